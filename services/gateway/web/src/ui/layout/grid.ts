/**
 * Where everything on the table stands, in units of the design: a phone's is 640×360, a desk's 1280×720 (LOOK.md, "Table
 * grid"). A larger window first scales the design, then what is left over widens the rug, the fields, the tray and the hand.
 */

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export type Kind = "phone" | "desk";

export interface Grid {
  readonly kind: Kind;
  /** CSS pixels to a unit. */
  readonly unit: number;
  /** The stage in units. */
  readonly width: number;
  readonly height: number;
  /** Whether the hand lies in two rows. */
  readonly twoRows: boolean;
  readonly rug: Rect;
  readonly medallion: Rect;
  readonly theirs: Rect;
  readonly ours: Rect;
  readonly stock: Rect;
  readonly pile: Rect;
  /** Top of the counts under stock and pile. */
  readonly countsY: number;
  readonly clock: Rect;
  readonly discard: Rect;
  readonly tray: Rect;
  readonly meldAll: Rect;
  readonly hand: Rect;
  readonly menu: Rect;
  readonly log: Rect;
  readonly hint: Rect;
  readonly sort: Rect;
  /** Cushions; names stand beside the partner's and under the others'. */
  readonly seats: { readonly left: Rect; readonly top: Rect; readonly right: Rect };
  readonly scores: { readonly them: Rect; readonly us: Rect };
  readonly cards: { readonly w: number; readonly h: number; readonly rowStep: number };
}

/** From so many cards on a hand lies in two rows: no strip may be under 24 px at 640. */
export const TWO_ROWS_FROM = 25;
const DESK_FROM = 0.85;
/** The least a control measures on a side, in CSS pixels (UX 10). A page that is magnified has few of them: there, in units. */
const FINGER_PX = 44;
const FINGER_UNITS = 50;

export function fingerPx(unit: number): number {
  return Math.min(FINGER_PX, FINGER_UNITS * unit);
}

/** The grid for a window of so many CSS pixels (safe areas taken off already) and a hand of so many cards. */
export function tableGrid(widthPx: number, heightPx: number, cards: number): Grid {
  const deskUnit = Math.min(widthPx / 1280, heightPx / 720);
  const twoRows = cards >= TWO_ROWS_FROM;
  if (deskUnit >= DESK_FROM) return deskGrid(widthPx / deskUnit, heightPx / deskUnit, deskUnit, twoRows);
  const unit = Math.min(widthPx / 640, heightPx / 360);
  return phoneGrid(widthPx / unit, heightPx / unit, unit, twoRows);
}

function phoneGrid(width: number, height: number, unit: number, twoRows: boolean): Grid {
  const wider = width - 640;
  const taller = height - 360;
  const mid = width / 2;
  const half = wider / 2;
  const rugH = (twoRows ? 126 : 160) + taller;
  const trayY = (twoRows ? 172 : 208) + taller;
  const trayH = twoRows ? 50 : 54;
  const side = Math.max(44, fingerPx(unit) / unit);
  const sideX = 29 - side / 2;
  const lowY = (twoRows ? 112 : 148) + taller;
  const seatY = twoRows ? Math.max(54, side + 8) + taller / 3 : 66 + taller / 2;
  const seat = twoRows ? 28 : 32;
  const down = taller / 2;
  const cards = twoRows ? { w: 52, h: 73, rowStep: 46 } : { w: 54, h: 76, rowStep: 0 };
  return {
    kind: "phone",
    unit,
    width,
    height,
    twoRows,
    rug: { x: 58, y: 42, w: width - 116, h: rugH },
    medallion: { x: mid - 56, y: 42, w: 112, h: rugH },
    theirs: { x: 80, y: 51, w: 176 + half, h: rugH - 16 },
    ours: { x: mid + 64, y: 51, w: 176 + half, h: rugH - 16 },
    stock: twoRows ? { x: mid - 45, y: 47 + down, w: 40, h: 56 } : { x: mid - 51, y: 50 + down, w: 46, h: 64 },
    pile: twoRows ? { x: mid + 5, y: 47 + down, w: 40, h: 56 } : { x: mid + 5, y: 50 + down, w: 46, h: 64 },
    countsY: (twoRows ? 105 : 117) + down,
    clock: twoRows ? { x: mid - 21, y: 121 + down, w: 42, h: 42 } : { x: mid - 24, y: 132 + down, w: 48, h: 48 },
    discard: { x: 8, y: trayY, w: 66, h: trayH },
    tray: { x: 92, y: trayY, w: width - 200, h: trayH },
    meldAll: { x: width - 100, y: trayY, w: 92, h: trayH },
    hand: { x: 12, y: (twoRows ? 236 : 276) + taller, w: width - 24, h: twoRows ? 119 : 76 },
    menu: { x: sideX, y: 4, w: side, h: side },
    log: { x: width - sideX - side, y: 4, w: side, h: side },
    hint: { x: sideX, y: lowY, w: side, h: side },
    sort: { x: width - sideX - side, y: lowY, w: side, h: side },
    seats: {
      left: { x: 29 - seat / 2, y: seatY, w: seat, h: seat },
      right: { x: width - 29 - seat / 2, y: seatY, w: seat, h: seat },
      top: { x: mid - 38, y: 6, w: 32, h: 32 },
    },
    scores: { them: { x: 66, y: 4, w: 190 + half, h: 32 }, us: { x: mid + 64, y: 4, w: 190 + half, h: 32 } },
    cards,
  };
}

function deskGrid(width: number, height: number, unit: number, twoRows: boolean): Grid {
  const wider = width - 1280;
  const taller = height - 720;
  const mid = width / 2;
  const half = wider / 2;
  const lost = twoRows ? 62 : 0;
  const rugH = 350 + taller - lost;
  const trayY = 446 + taller - lost;
  const down = taller / 2;
  const low = { y: 368 + taller - lost, w: 92, h: 52 };
  return {
    kind: "desk",
    unit,
    width,
    height,
    twoRows,
    rug: { x: 124, y: 82, w: width - 248, h: rugH },
    medallion: { x: mid - 116, y: 82, w: 232, h: rugH },
    theirs: { x: 168, y: 100, w: 340 + half, h: rugH - 32 },
    ours: { x: mid + 132, y: 100, w: 340 + half, h: rugH - 32 },
    stock: twoRows ? { x: mid - 94, y: 94 + down, w: 80, h: 112 } : { x: mid - 104, y: 100 + down, w: 94, h: 132 },
    pile: twoRows ? { x: mid + 14, y: 94 + down, w: 80, h: 112 } : { x: mid + 10, y: 100 + down, w: 94, h: 132 },
    countsY: (twoRows ? 210 : 240.5) + down,
    clock: twoRows ? { x: mid - 48, y: 240 + down, w: 96, h: 96 } : { x: mid - 52, y: 272 + down, w: 104, h: 104 },
    discard: { x: 16, y: trayY, w: 132, h: 98 },
    tray: { x: 168, y: trayY, w: width - 348, h: 98 },
    meldAll: { x: width - 164, y: trayY, w: 148, h: 98 },
    hand: { x: 28, y: (twoRows ? 508 : 570) + taller, w: width - 56, h: twoRows ? 199 : 137 },
    menu: { x: 16, y: 14, w: 92, h: 52 },
    log: { x: width - 108, y: 14, w: 92, h: 52 },
    hint: { x: 16, ...low },
    sort: { x: width - 108, ...low },
    seats: {
      left: { x: 32, y: (twoRows ? 110 : 148) + down, w: 60, h: 60 },
      right: { x: width - 92, y: (twoRows ? 110 : 148) + down, w: 60, h: 60 },
      top: { x: mid - 66, y: 10, w: 60, h: 60 },
    },
    scores: { them: { x: 140, y: 8, w: 368 + half, h: 64 }, us: { x: mid + 132, y: 8, w: 368 + half, h: 64 } },
    cards: twoRows ? { w: 92, h: 129, rowStep: 70 } : { w: 98, h: 137, rowStep: 0 },
  };
}
