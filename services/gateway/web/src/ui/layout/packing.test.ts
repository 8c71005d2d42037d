import { describe, expect, it } from "vitest";
import { packField, packOpen, type Asked, type Packed } from "./packing";

const PHONE = [176, 144] as const;
const DESK = [340, 318] as const;
const melds = (...counts: number[]): Asked[] => counts.map((count) => ({ count }));

function rowsOf(packed: Packed): number[] {
  const tops = new Map<number, number>();
  for (const { y } of packed.melds) tops.set(y, (tops.get(y) ?? 0) + 1);
  return [...tops.values()];
}

function inside(packed: Packed, width: number, height: number): boolean {
  return packed.melds.every(
    ({ x, y, w }) => x >= -0.01 && y >= -0.01 && x + w <= width + 0.01 && y + packed.card.h <= height + 0.01,
  );
}

/** Rectangles of two melds never meet. */
function apart(packed: Packed): boolean {
  return packed.melds.every((one, at) =>
    packed.melds
      .slice(at + 1)
      .every((other) => one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + packed.card.h <= other.y),
  );
}

describe("packing a field", () => {
  it("takes the largest size at which all rows fit, as the pictures show", () => {
    expect(packField("phone", ...PHONE, melds(4, 3, 4, 3)).card.w).toBe(33);
    expect(packField("phone", ...PHONE, melds(5, 3, 5, 3, 4)).card.w).toBe(30);
    expect(packField("desk", ...DESK, melds(4, 3, 4, 3)).card.w).toBe(66);
    expect(packField("desk", ...DESK, [{ count: 5, after: true }, ...melds(3, 5, 3, 4)]).card.w).toBe(60);
    expect(packField("phone", ...PHONE, melds(3)).card.w).toBe(36);
  });

  it("UX 11: lays twelve melds in four rows of three at 22", () => {
    const packed = packField("phone", ...PHONE, melds(3, 3, 3, 4, 3, 4, 3, 3, 3, 3, 3, 4));
    expect(packed.card.w).toBe(22);
    expect(rowsOf(packed)).toEqual([3, 3, 3, 3]);
    expect(inside(packed, ...PHONE) && apart(packed)).toBe(true);
  });

  it("keeps the order laid, row by row", () => {
    const { melds: places } = packField("phone", ...PHONE, melds(4, 3, 5, 3, 3, 6, 3));
    for (const [at, place] of places.entries()) {
      const before = places[at - 1];
      if (before) expect(place.y > before.y || (place.y === before.y && place.x > before.x)).toBe(true);
    }
  });

  it("draws in the longest runs where the smallest size is still too wide", () => {
    const packed = packField("phone", ...PHONE, melds(14, 14, 13, 3, 3, 3, 3, 3));
    expect(packed.card.w).toBe(21);
    expect(inside(packed, ...PHONE) && apart(packed)).toBe(true);
    const [long, , , short] = packed.melds;
    expect(long!.cards[1]).toBeLessThan(11);
    expect(short!.cards[1]).toBe(11);
  });

  it("never lets melds overlap, whatever is on the table", () => {
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let round = 0; round < 300; round += 1) {
      const asked = Array.from({ length: 1 + next(12) }, () => ({
        count: 3 + next(next(4) ? 3 : 8),
        after: next(5) === 0,
      }));
      for (const [kind, [width, height]] of [["phone", PHONE] as const, ["desk", DESK] as const] as const)
        expect(apart(packField(kind, width, height, asked)), `round ${round} ${JSON.stringify(asked)}`).toBe(true);
    }
  });

  it("is larger when tapped open", () => {
    expect(packOpen("phone", 500, 190, melds(3, 4, 3, 3, 3, 4)).card.w).toBeGreaterThan(36);
  });
});
