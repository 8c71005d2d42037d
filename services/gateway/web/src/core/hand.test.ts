import { describe, expect, it } from "vitest";
import {
  dragged,
  followHand,
  heldCards,
  newHand,
  reordered,
  restoreHand,
  saveHand,
  sortedHand,
  unmarked,
  type Hand,
} from "./hand";
import { followed, streams } from "./testing/streams";
import { readView } from "./views";

const DEALT = ["9S", "TS", "7H", "7H", "KH", "3C", "2D", "JK"];
const shown = (hand: Hand) =>
  heldCards(hand)
    .map((one) => one.card)
    .join(" ");
const keys = (hand: Hand) => heldCards(hand).map((one) => one.key);

function own(): Hand {
  // The king to the front.
  return dragged(newHand(DEALT, "suit"), "KH.0", 0);
}

describe("UX 16: the own order", () => {
  it("begins with a drag and puts the card where it was dropped", () => {
    expect(shown(newHand(DEALT, "suit"))).toBe("9S TS 7H 7H KH 3C 2D JK");
    expect(shown(own())).toBe("KH 9S TS 7H 7H 3C 2D JK");
    expect(shown(dragged(own(), "9S.0", 99))).toBe("KH TS 7H 7H 3C 2D JK 9S");
    expect(shown(dragged(own(), "JK.0", 3))).toBe("KH 9S TS JK 7H 7H 3C 2D");
  });

  it("survives draws: what comes goes to the end and is marked", () => {
    const drew = followHand(own(), [...DEALT, "4S"], 1);
    expect(shown(drew)).toBe("KH 9S TS 7H 7H 3C 2D JK 4S");
    expect(drew.fresh).toEqual(["4S.0"]);
    expect(unmarked(drew).fresh).toEqual([]);
  });

  it("survives others' moves", () => {
    const hand = own();
    for (const turnNo of [2, 3, 4]) expect(keys(followHand(hand, DEALT, turnNo))).toEqual(keys(hand));
  });

  it("survives reload and reconnect, with what came and went meanwhile", () => {
    const saved = JSON.parse(JSON.stringify(saveHand(own(), "t/m/1")));
    expect(keys(restoreHand(saved, "t/m/1", DEALT, 3)!)).toEqual(keys(own()));
    const later = DEALT.filter((card) => card !== "9S").concat("4S");
    expect(shown(restoreHand(saved, "t/m/1", later, 3)!)).toBe("KH TS 7H 7H 3C 2D JK 4S");
    expect(restoreHand(saved, "t/m/2", DEALT, 3)).toBeNull();
    for (const rubbish of [null, {}, { deal: "t/m/1" }, { deal: "t/m/1", sorting: "x", keys: [] }]) {
      expect(restoreHand(rubbish as never, "t/m/1", DEALT, 3)).toBeNull();
    }
  });

  it("gets a card back where it was when the turn is undone", () => {
    const laid = followHand(
      own(),
      DEALT.filter((card) => card !== "TS"),
      1,
    );
    expect(shown(laid)).toBe("KH 9S 7H 7H 3C 2D JK");
    expect(shown(followHand(laid, DEALT, 1))).toBe("KH 9S TS 7H 7H 3C 2D JK");
    // In a later turn the place is forgotten: the card comes as any other.
    expect(shown(followHand(laid, DEALT, 5))).toBe("KH 9S 7H 7H 3C 2D JK TS");
  });

  it("tells two copies of a face apart: the one that was sent away goes", () => {
    const hand = dragged(newHand(DEALT, "suit"), "7H.1", 0);
    expect(shown(hand)).toBe("7H 9S TS 7H KH 3C 2D JK");
    const without7 = [...DEALT];
    without7.splice(2, 1);
    expect(keys(followHand(hand, without7, 1, ["7H.1"]))[0]).toBe("9S.0");
    expect(keys(followHand(hand, without7, 1, ["7H.0"]))[0]).toBe("7H.1");
  });

  it("never gives two cards one key", () => {
    let hand = newHand(DEALT, "own");
    hand = followHand(hand, DEALT.slice(0, 3), 1);
    hand = followHand(hand, [...DEALT.slice(0, 3), "7H", "4S"], 2);
    expect(new Set(keys(hand)).size).toBe(5);
  });

  it("takes the order of a list that hides the staged cards", () => {
    expect(shown(reordered(own(), ["JK.0", "KH.0", "9S.0", "3C.0"]))).toBe("JK KH 9S TS 7H 7H 3C 2D");
  });

  it("holds the hand of the server through whole tables, and rearranges nothing", () => {
    for (const stream of streams.filter(({ viewer }) => viewer === 0)) {
      let view = readView(stream.first.snapshot);
      let hand: Hand | null = null;
      for (const step of stream.steps) {
        view = followed(view, step);
        if (!view.deal) {
          hand = null;
          continue;
        }
        const before: Hand =
          hand ?? dragged(newHand(view.deal.hand, "own"), keys(newHand(view.deal.hand, "own"))[3]!, 0);
        hand = followHand(before, view.deal.hand, view.deal.turnNo);
        expect([...heldCards(hand)].map((one) => one.card).sort()).toEqual([...view.deal.hand].sort());
        const stayed = keys(before).filter((key) => keys(hand!).includes(key));
        expect(keys(hand).filter((key) => stayed.includes(key))).toEqual(stayed);
      }
    }
  });
});

describe("UX 17: sorting", () => {
  it("by suit and by rank is stable, and stays on while cards come", () => {
    const hand = sortedHand(own(), "rank");
    expect(shown(hand)).toBe("3C 7H 7H 9S TS KH 2D JK");
    expect(keys(sortedHand(hand, "rank"))).toEqual(keys(hand));
    expect(keys(sortedHand(sortedHand(hand, "suit"), "rank"))).toEqual(keys(hand));
    expect(shown(followHand(hand, [...DEALT, "8D"], 1))).toBe("3C 7H 7H 8D 9S TS KH 2D JK");
  });

  it("marks what was drawn wherever it goes", () => {
    expect(followHand(newHand(DEALT, "suit"), [...DEALT, "8D"], 1).fresh).toEqual(["8D.0"]);
    expect(newHand(DEALT, "suit").fresh).toEqual([]);
  });

  it("to one's own order changes nothing by itself", () => {
    const hand = newHand(DEALT, "rank");
    expect(keys(sortedHand(hand, "own"))).toEqual(keys(hand));
  });
});
