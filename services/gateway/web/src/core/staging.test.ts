import { describe, expect, it } from "vitest";
import { arrangements } from "./arrange";
import { newHand, heldCards, followHand } from "./hand";
import { presetOptions } from "./options";
import {
  NO_STAGING,
  comesBack,
  followStaging,
  groupCards,
  judgedGroups,
  meldAll,
  movedInGroup,
  restoreStaging,
  staged,
  stagedKeys,
  stagedLayouts,
  unstaged,
  type Moment,
  type Staging,
} from "./staging";

const sahrat = presetOptions("PRESET_SAHRAT");
const banakil202 = presetOptions("PRESET_BANAKIL202");
const cardsOf = (staging: Staging) => staging.groups.map((group) => groupCards(group).join(" "));

function two(): Staging {
  const first = staged(NO_STAGING, ["7H.0", "6H.0", "5H.0"], sahrat);
  return staged(first, ["KS.0", "KH.0", "KD.0"], sahrat);
}

describe("the tray", () => {
  it("UX 19: says of each group at once whether it is a meld, what it is worth, or why not", () => {
    const [run, kings] = judgedGroups(two(), sahrat);
    expect(run).toMatchObject({ cards: ["5H", "6H", "7H"], verdict: { ok: true, halfPoints: 4 } });
    expect(kings).toMatchObject({ verdict: { ok: false, code: "SET_RANK_NOT_ALLOWED" } });
  });

  it("lays cards out legally by itself, wilds at the high end and a two at home", () => {
    expect(arrangements(["JK", "8H", "7H"], sahrat)[0]).toEqual(["7H", "8H", "JK"]);
    expect(arrangements(["9H", "JK", "7H"], sahrat)).toEqual([["7H", "JK", "9H"]]);
    expect(arrangements(["2H", "4H", "3H"], sahrat)[0]).toEqual(["2H", "3H", "4H"]);
    expect(arrangements(["2C", "2H", "5H", "AH", "3H"], banakil202)[0]).toEqual(["AH", "2H", "3H", "2C", "5H"]);
    expect(arrangements(["AC", "JK", "AS"], sahrat)).toEqual([["AS", "AC", "JK"]]);
    expect(arrangements(["AH", "KH", "QH"], sahrat)).toEqual([["QH", "KH", "AH"]]);
    expect(arrangements(["7H", "7H", "8H"], sahrat)).toEqual([]);
    expect(arrangements(["2H", "JK", "2S"], sahrat)).toEqual([]);
  });

  it("keeps a legal order that the player chose, also when a card joins", () => {
    const start = staged(NO_STAGING, ["7H.0", "8H.0", "JK.0"], sahrat);
    const low = movedInGroup(start, "JK.0", 0);
    expect(cardsOf(low)).toEqual(["JK 7H 8H"]);
    expect(cardsOf(staged(low, ["9H.0"], sahrat, 1))).toEqual(["JK 7H 8H 9H"]);
  });

  it("lets an illegal order stand where the player made it, and says so", () => {
    const wrong = movedInGroup(two(), "5H.0", 2);
    expect(judgedGroups(wrong, sahrat)[0]).toMatchObject({
      cards: ["6H", "7H", "5H"],
      verdict: { code: "RUN_NOT_CONSECUTIVE" },
    });
  });

  it("moves a card from one group to another, and an empty group goes", () => {
    expect(cardsOf(staged(two(), ["KS.0"], sahrat, 1))).toEqual(["5H 6H 7H KS", "KH KD"]);
    expect(cardsOf(unstaged(two(), ["5H.0", "6H.0", "7H.0"], sahrat))).toEqual(["KS KH KD"]);
    expect(cardsOf(staged(two(), ["5H.0", "6H.0", "7H.0"], sahrat, 2))).toHaveLength(1);
  });

  it("UX 22: sends the legal groups in one command, and keeps the illegal ones", () => {
    const sent = meldAll(two(), sahrat)!;
    expect(sent.action).toEqual({ meld: { melds: [{ cards: ["5H", "6H", "7H"] }] } });
    // The server accepted: those cards have left the hand.
    expect(cardsOf(followStaging(two(), ["KS.0", "KH.0", "KD.0", "9C.0"]))).toEqual(["KS KH KD"]);
    expect(meldAll(unstaged(two(), sent.keys, sahrat), sahrat)).toBeNull();
  });

  it("UX 22: is exactly as it was when the command is refused: nothing has left the hand", () => {
    const before = two();
    meldAll(before, sahrat);
    expect(followStaging(before, stagedKeys(before))).toBe(before);
  });

  it("UX 21: stages off-turn: other turns that pass leave it alone", () => {
    const then: Moment = { deal: "t/m/1", turnNo: 2, timeUp: false };
    // Seat 0 starts: turn 5 is its own; turns 2 to 4 are the others'.
    for (const turnNo of [2, 3, 4, 5]) expect(comesBack(then, { ...then, turnNo }, 0, 0, sahrat)).toBe(false);
  });

  it("UX 23: gives its cards back at the end of the own turn, at timeout and with the deal", () => {
    const mine: Moment = { deal: "t/m/1", turnNo: 5, timeUp: false };
    expect(comesBack(mine, { ...mine, turnNo: 6 }, 0, 0, sahrat)).toBe(true);
    expect(comesBack(mine, { ...mine, timeUp: true }, 0, 0, sahrat)).toBe(true);
    expect(comesBack({ ...mine, timeUp: true }, { ...mine, timeUp: true }, 0, 0, sahrat)).toBe(false);
    expect(comesBack(mine, { ...mine, deal: "t/m/2", turnNo: 1 }, 0, 0, sahrat)).toBe(true);
    // Seen last in another's turn, and the own one has come and gone since.
    expect(comesBack({ ...mine, turnNo: 4 }, { ...mine, turnNo: 7 }, 0, 0, sahrat)).toBe(true);
  });

  it("UX 23: survives a reload with every card, unless its turn is over by then", () => {
    const moment: Moment = { deal: "t/m/1", turnNo: 4, timeUp: false };
    const saved = JSON.parse(JSON.stringify({ moment, groups: two().groups }));
    expect(restoreStaging(saved, { ...moment, turnNo: 5 }, 0, 0, sahrat)).toEqual(two());
    expect(restoreStaging(saved, { ...moment, turnNo: 6 }, 0, 0, sahrat)).toEqual(NO_STAGING);
    for (const rubbish of [null, {}, { moment, groups: 3 }, { moment, groups: [{ id: "x" }] }]) {
      expect(restoreStaging(rubbish as never, moment, 0, 0, sahrat)).toEqual(NO_STAGING);
    }
  });

  it("takes two copies of a face as two cards", () => {
    const hand = newHand(["7H", "7H", "8H", "9H"], "suit");
    const keys = heldCards(hand).map((one) => one.key);
    const tray = staged(NO_STAGING, [keys[1]!, keys[2]!, keys[3]!], sahrat);
    expect(cardsOf(tray)).toEqual(["7H 8H 9H"]);
    const after = followHand(hand, ["7H"], 1, stagedKeys(tray));
    expect(heldCards(after).map((one) => one.key)).toEqual([keys[0]]);
  });

  it("stages what hints propose, each layout in a group", () => {
    const tray = stagedLayouts(
      [
        ["5H", "6H", "7H"],
        ["AS", "AH", "JK"],
      ],
      ["7H.0", "6H.1", "5H.0", "AS.0", "AH.0", "JK.0", "9C.0"],
    );
    expect(tray.groups.map((group) => group.keys)).toEqual([
      ["5H.0", "6H.1", "7H.0"],
      ["AS.0", "AH.0", "JK.0"],
    ]);
  });

  it("has a limit", () => {
    let tray = NO_STAGING;
    for (let n = 0; n < 40; n++) tray = staged(tray, [`7H.${n}`], sahrat);
    expect(tray.groups).toHaveLength(16);
  });
});
