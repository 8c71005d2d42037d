import { describe, expect, it } from "vitest";
import { tableGrid, type Grid, type Rect } from "./grid";
import { handSlots, slotAt } from "./hand";

const overlap = (one: Rect, other: Rect) =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

function controls(grid: Grid): Rect[] {
  return [grid.menu, grid.log, grid.hint, grid.sort, grid.discard, grid.meldAll];
}

const WINDOWS = [
  [640, 360],
  [568, 320],
  [667, 375],
  [750, 369],
  [844, 390],
  [932, 430],
  [1024, 768],
  [1280, 720],
  [1920, 1080],
  [2560, 1080],
] as const;

describe("the table's grid", () => {
  it("is LOOK.md's at both sizes of the pictures", () => {
    const phone = tableGrid(640, 360, 19);
    expect(phone).toMatchObject({
      unit: 1,
      rug: { x: 58, y: 42, w: 524, h: 160 },
      medallion: { x: 264, y: 42, w: 112, h: 160 },
      theirs: { x: 80, y: 51, w: 176, h: 144 },
      ours: { x: 384, y: 51, w: 176, h: 144 },
      stock: { x: 269, y: 50, w: 46, h: 64 },
      pile: { x: 325, y: 50, w: 46, h: 64 },
      clock: { x: 296, y: 132, w: 48, h: 48 },
      discard: { x: 8, y: 208, w: 66, h: 54 },
      tray: { x: 92, y: 208, w: 440, h: 54 },
      meldAll: { x: 540, y: 208, w: 92, h: 54 },
      hand: { x: 12, y: 276, w: 616, h: 76 },
    });
    expect(tableGrid(1280, 720, 19)).toMatchObject({
      unit: 1,
      rug: { x: 124, y: 82, w: 1032, h: 350 },
      theirs: { x: 168, y: 100, w: 340, h: 318 },
      ours: { x: 772, y: 100, w: 340, h: 318 },
      stock: { x: 536, y: 100, w: 94, h: 132 },
      clock: { x: 588, y: 272, w: 104, h: 104 },
      discard: { x: 16, y: 446, w: 132, h: 98 },
      tray: { x: 168, y: 446, w: 932, h: 98 },
      meldAll: { x: 1116, y: 446, w: 148, h: 98 },
      hand: { x: 28, y: 570, w: 1224, h: 137 },
    });
  });

  it("UX 10: has controls of 44 px or more that never meet, Discard 16 px from any other", () => {
    for (const [width, height] of WINDOWS)
      for (const cards of [19, 32]) {
        const grid = tableGrid(width, height, cards);
        for (const one of controls(grid)) {
          expect(Math.min(one.w, one.h) * grid.unit, `${width}×${height}`).toBeGreaterThanOrEqual(43.99);
          for (const other of controls(grid)) if (one !== other) expect(overlap(one, other)).toBe(false);
        }
        expect((grid.tray.x - grid.discard.x - grid.discard.w) * grid.unit).toBeGreaterThanOrEqual(15.9);
      }
  });

  it("UX 12: is laid out alike where the page is magnified to 200%", () => {
    for (const cards of [19, 32]) {
      const { unit, ...magnified } = tableGrid(320, 180, cards);
      expect(unit).toBe(0.5);
      for (const one of controls({ unit, ...magnified }))
        for (const other of controls({ unit, ...magnified }))
          if (one !== other) expect(overlap(one, other)).toBe(false);
      expect(magnified.hand).toEqual(tableGrid(640, 360, cards).hand);
    }
  });

  it("UX 6: keeps everything inside the window", () => {
    for (const [width, height] of WINDOWS)
      for (const cards of [3, 19, 25, 40]) {
        const grid = tableGrid(width, height, cards);
        for (const { x, y, w, h } of [...controls(grid), grid.rug, grid.hand, grid.tray]) {
          expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
          expect(x + w).toBeLessThanOrEqual(grid.width + 0.01);
          expect(y + h).toBeLessThanOrEqual(grid.height + 0.01);
        }
      }
  });
});

describe("a hand's strips", () => {
  it("UX 8, 9: are 31 px at 640 with 19 cards, and never under 24 px", () => {
    expect(handSlots(tableGrid(640, 360, 19), 19)[0]!.shown).toBeCloseTo(31.2, 1);
    for (let count = 1; count <= 40; count += 1) {
      const slots = handSlots(tableGrid(640, 360, count), count);
      expect(Math.min(...slots.map(({ shown }) => shown))).toBeGreaterThanOrEqual(24);
      expect(slots.length).toBe(count);
    }
  });

  it("lie in two rows from 25 on, as the pictures show", () => {
    const rows = (count: number) =>
      [0, 1].map((row) => handSlots(tableGrid(640, 360, count), count).filter((slot) => slot.row === row).length);
    expect(rows(24)).toEqual([24, 0]);
    expect(rows(25)).toEqual([13, 12]);
    expect(rows(32)).toEqual([16, 16]);
    expect(rows(40)).toEqual([20, 20]);
    expect(handSlots(tableGrid(640, 360, 40), 40)[0]!.shown).toBeCloseTo(29.7, 1);
  });

  it("UX 15: tell the place that a point means", () => {
    const grid = tableGrid(640, 360, 19);
    const slots = handSlots(grid, 19);
    expect(slotAt(slots, 54, 0, -5, 40)).toBe(0);
    expect(slotAt(slots, 54, 0, 32, 40)).toBe(1);
    expect(slotAt(slots, 54, 0, 615, 40)).toBe(19);
    const two = handSlots(tableGrid(640, 360, 25), 25);
    expect(slotAt(two, 52, 46, 0, 60)).toBe(13);
    expect(slotAt(two, 52, 46, 616, 10)).toBe(13);
    expect(slotAt(two, 52, 46, 616, 60)).toBe(25);
  });
});
