/** How melds are packed into a team's field (LOOK.md, "Packing the fields"): in laying order, as large as all rows allow. */

import type { MeldModel } from "../types";
import type { Kind } from "./grid";

export interface PackedMeld {
  readonly x: number;
  readonly y: number;
  /** Width without its slots. */
  readonly w: number;
  /** Left edge of each card, from the meld's. */
  readonly cards: readonly number[];
  /** Left edges of the slots for one more card, from the meld's. */
  readonly slotBefore: number | null;
  readonly slotAfter: number | null;
}

export interface Packed {
  readonly card: { readonly w: number; readonly h: number };
  readonly slotW: number;
  readonly melds: readonly PackedMeld[];
}

/** What is asked to be packed: how many cards, and whether a slot is shown at an end. */
export interface Asked {
  readonly count: number;
  readonly before?: boolean;
  readonly after?: boolean;
}

/** What a meld on show asks for. */
export function asked({ cards, slots }: MeldModel): Asked {
  return { count: cards.length, before: slots?.before !== undefined, after: slots?.after !== undefined };
}

/** A card's width and its strip's; its height follows, 33:46. */
type Size = readonly [w: number, strip: number];

const PHONE: readonly Size[] = [
  [36, 21],
  [33, 19],
  [30, 17],
  [28, 16.5],
  [25, 15],
  [23, 13],
  [22, 12],
  [21, 11],
];
const DESK: readonly Size[] = [
  [74, 42],
  [66, 38],
  [60, 33],
  [56, 31],
  [52, 29],
  [48, 27],
  [44, 24],
  [40, 22],
];
const SIZES = { phone: PHONE, desk: DESK } as const;
/** A field tapped open starts larger. */
const LARGER = 1.5;
const GAPS = {
  phone: { across: 7, down: 5, mostDown: 13 },
  desk: { across: 14, down: 10, mostDown: 26 },
} as const;
/** Of the height that is left over, so much goes between the rows. */
const SPREAD = 0.9;
/** A strip may be squeezed to so much of its card before anything is drawn smaller than the smallest size. */
const LEAST_STRIP = 0.24;
/** The slot for one more card: its width, and its distance from the meld in slot widths. */
const SLOT_WIDTH = 0.4;
const SLOT_APART = 0.2;

/** Packs melds into a field of so many units; a meld keeps its place in the order laid. */
export function packField(kind: Kind, width: number, height: number, melds: readonly Asked[]): Packed {
  return packed(SIZES[kind], kind, width, height, melds);
}

/** Packs a field tapped open. */
export function packOpen(kind: Kind, width: number, height: number, melds: readonly Asked[]): Packed {
  const larger = SIZES[kind].map(([w, strip]): Size => [w * LARGER, strip * LARGER]);
  return packed([...larger, ...SIZES[kind]], kind, width, height, melds);
}

function packed(sizes: readonly Size[], kind: Kind, width: number, height: number, melds: readonly Asked[]): Packed {
  const field = { width, height, ...GAPS[kind] };
  for (const size of sizes) {
    const strips = melds.map(() => size[1]);
    const rows = fittingRows(field, size, melds, strips);
    if (rows) return placed(field, melds, size, rows, strips);
  }
  return squeezed(field, melds, sizes[sizes.length - 1]!);
}

interface Room {
  readonly width: number;
  readonly height: number;
  readonly across: number;
  readonly down: number;
  readonly mostDown: number;
}

/** The smallest size with the inner strips of the longest runs drawn in, the longest first, until all rows fit. */
function squeezed(field: Room, melds: readonly Asked[], size: Size): Packed {
  const least = size[0] * LEAST_STRIP;
  const strips = melds.map(() => size[1]);
  for (;;) {
    const rows = fittingRows(field, size, melds, strips);
    if (rows) return placed(field, melds, size, rows, strips);
    const longest = longestOf(
      melds.map((meld, at) => extent(meld, size, strips[at]!)),
      strips,
      least,
    );
    if (longest < 0) break;
    strips[longest] = Math.max(least, strips[longest]! - 0.5);
  }
  const rows = intoRows(
    melds.map((meld, at) => extent(meld, size, strips[at]!)),
    field.width,
    field.across,
  );
  return placed(field, melds, size, rows, strips);
}

function fittingRows(field: Room, size: Size, melds: readonly Asked[], strips: readonly number[]): number[][] | null {
  const spans = melds.map((meld, at) => extent(meld, size, strips[at]!));
  if (spans.some((span) => span > field.width)) return null;
  const rows = intoRows(spans, field.width, field.across);
  return heightOf(rows.length, size, field.down) <= field.height ? rows : null;
}

function longestOf(spans: readonly number[], strips: readonly number[], least: number): number {
  let longest = -1;
  spans.forEach((span, at) => {
    if (strips[at]! > least && (longest < 0 || span > spans[longest]!)) longest = at;
  });
  return longest;
}

function slotWidth(size: Size): number {
  return size[0] * SLOT_WIDTH;
}

function extent(meld: Asked, size: Size, strip: number): number {
  const slot = slotWidth(size) * (1 + SLOT_APART);
  return strip * (meld.count - 1) + size[0] + (meld.before ? slot : 0) + (meld.after ? slot : 0);
}

/** Indices by row, filled from left to right. */
function intoRows(spans: readonly number[], width: number, gap: number): number[][] {
  const rows: number[][] = [];
  let used = width;
  for (const [at, span] of spans.entries()) {
    const row = rows[rows.length - 1];
    if (row && used + gap + span <= width) {
      row.push(at);
      used += gap + span;
    } else {
      rows.push([at]);
      used = span;
    }
  }
  return rows;
}

function cardHeight(size: Size): number {
  return (size[0] * 46) / 33;
}

function heightOf(rows: number, size: Size, gap: number): number {
  return rows * cardHeight(size) + Math.max(0, rows - 1) * gap;
}

function placed(
  field: Room,
  asked: readonly Asked[],
  size: Size,
  rows: readonly (readonly number[])[],
  strips: readonly number[],
): Packed {
  const w = size[0];
  const h = cardHeight(size);
  const spare = rows.length > 1 ? ((field.height - rows.length * h) * SPREAD) / (rows.length - 1) : 0;
  const gap = Math.min(field.mostDown, spare);
  const top = (field.height - heightOf(rows.length, size, gap)) / 2;
  const slotW = slotWidth(size);
  const apart = slotW * SLOT_APART;
  const melds: PackedMeld[] = [];
  rows.forEach((row, rowAt) => {
    let x = 0;
    for (const at of row) {
      const meld = asked[at]!;
      const span = strips[at]! * (meld.count - 1) + w;
      const left = x + (meld.before ? slotW + apart : 0);
      melds[at] = {
        x: left,
        y: top + rowAt * (h + gap),
        w: span,
        cards: Array.from({ length: meld.count }, (_, place) => place * strips[at]!),
        slotBefore: meld.before ? -slotW - apart : null,
        slotAfter: meld.after ? span + apart : null,
      };
      x = left + span + (meld.after ? slotW + apart : 0) + field.across;
    }
  });
  return { card: { w, h }, slotW, melds };
}
