import { describe, expect, it } from "vitest";
import { RANKS, SUITS, halfPoints, isCard, rankKey, runCard, sortedCards, suitKey, without } from "./cards";

const faces = [...[...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit)), "JK"];

describe("cards", () => {
  it("are worth 104 points, all 106 of them (R2.2)", () => {
    expect(halfPoints([...faces, ...faces])).toBe(2 * 104);
  });

  it("have codes, and nothing else is one", () => {
    expect(faces.every(isCard)).toBe(true);
    expect(["", "7", "1H", "7X", "JKS", "TT", "jk"].filter(isCard)).toEqual([]);
  });

  it("stand in a run with the ace on both ends (R4.2)", () => {
    expect([1, 2, 13, 14].map((place) => runCard(place, 1))).toEqual(["AH", "2H", "KH", "AH"]);
  });

  it("sort by rank as servers list hands, by suit with neighbours of two colours", () => {
    expect(sortedCards(["JK", "TC", "2D", "AH", "2S"])).toEqual(["AH", "2S", "2D", "TC", "JK"]);
    expect([...faces].sort((one, other) => suitKey(one) - suitKey(other))[13]).toBe("AH");
    expect(new Set(faces.map(rankKey)).size).toBe(53);
    expect(new Set(faces.map(suitKey)).size).toBe(53);
  });

  it("are taken away one copy at a time", () => {
    expect(without(["7H", "7H", "8H"], ["7H"])).toEqual(["7H", "8H"]);
    expect(without(["7H"], ["7H", "7H"])).toBeNull();
  });
});
