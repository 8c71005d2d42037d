import { describe, expect, it } from "vitest";
import { readHints } from "../core/protocol";
import { readView } from "../core/views";
import { fitsOf } from "./models";

const meld = (id: number, cards: readonly string[]) => ({ id, owner: 0, cards, layers: cards.map(() => 0) });
const view = readView({
  deal: { melds: [meld(1, ["TC", "JC", "QC"]), meld(2, ["3H", "JK", "3C"])] },
});
const hand = ["9C.0", "KC.0", "KC.1", "3D.0", "5S.0"].map((key) => ({ key, card: key.slice(0, 2) }));
const marks = (hints: object) => [...fitsOf(hand, view, readHints(hints))];

describe("hints mark the cards of the hand", () => {
  it("marks what lies off on the table, at either end and of two alike one", () => {
    const layoffs = [
      { meldId: 1, cards: ["9C", "TC", "JC", "QC"] },
      { meldId: 1, cards: ["TC", "JC", "QC", "KC"] },
    ];
    expect(marks({ layoffs })).toEqual([
      ["9C.0", "plus"],
      ["KC.0", "plus"],
    ]);
  });

  it("marks the card that takes a joker back as that", () => {
    expect(marks({ jokers: [{ meldId: 2, card: "3D" }] })).toEqual([["3D.0", "back"]]);
  });

  it("marks nothing that the hand does not hold, nor for a meld that is gone", () => {
    expect(marks({ layoffs: [{ meldId: 1, cards: ["TC", "JC", "QC", "2D"] }] })).toEqual([]);
    expect(marks({ layoffs: [{ meldId: 7, cards: ["JC", "QC", "KC"] }] })).toEqual([]);
  });
});
