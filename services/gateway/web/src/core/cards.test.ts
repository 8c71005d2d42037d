import { describe, expect, it } from "vitest";
import { RANKS, SUITS, halfPoints, isCard, byRank, bySuit, runCard, sortedCards, without } from "./cards";

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

  it("sort by rank as servers list hands, and for a player with twos and jokers last", () => {
    const cards = ["JK", "TC", "2D", "AH", "2S", "AS"];
    expect(sortedCards(cards)).toEqual(["AS", "AH", "2S", "2D", "TC", "JK"]);
    const by = (key: (card: string) => number) => [...cards].sort((one, other) => key(one) - key(other));
    expect(by(bySuit)).toEqual(["AS", "AH", "TC", "2S", "2D", "JK"]);
    expect(by(byRank)).toEqual(["AS", "AH", "TC", "2S", "2D", "JK"]);
    for (const key of [byRank, bySuit]) expect(new Set(faces.map(key)).size).toBe(53);
  });

  it("are taken away one copy at a time", () => {
    expect(without(["7H", "7H", "8H"], ["7H"])).toEqual(["7H", "8H"]);
    expect(without(["7H"], ["7H", "7H"])).toBeNull();
  });
});
