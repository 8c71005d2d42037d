import { describe, expect, it } from "vitest";
import { countOf, sortedCards, type Card } from "../core/cards";
import { Draws } from "./draws";
import { readFair } from "./fairJson";
import { follow } from "./follow";
import type { Course, Followed, Step } from "./steps";
import { primitives } from "./primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord } from "./record";
import { readOptions } from "./rulesId";
import { asJson, matches } from "./testing/python";

const by = await primitives();
const SAHRAT = readOptions(asJson({ preset: "sahrat", mode: "duel" }));
const FREE = readOptions(asJson({ preset: "banakil202", mode: "duel" }));

/** A duel whose starter, seat 0, is dealt these cards first, seat 1 those, and the stock begins with the rest. */
function course(first: string, second: string, stock: string, actions: string[], more: Partial<Course> = {}): Course {
  const idle = (text: string, most: number) => [...text.split(" "), ...Array<Card>(most).fill("9C")].slice(0, most);
  const deck = [...idle(first, 19), ...idle(second, 18), ...stock.split(" ")];
  const newStock = async (pile: readonly Card[]) => [...pile].reverse();
  return { starter: 0, deck, actions, isLast: true, newStock, ...more };
}

const said = ({ steps }: Followed, ...kinds: Step["what"][]) =>
  steps.filter(({ what }) => kinds.includes(what)).map(({ seat, what, cards }) => `${seat} ${what} ${cards.join(" ")}`);

describe("following a deal's cards", () => {
  it("tells who was dealt what, and each card of the stock by its place in the deck", async () => {
    const found = await follow(FREE, course("AS", "KD", "5H 6H", ["0 discard AS", "1 draw", "1 discard 5H"]));
    expect(found.fault).toBeNull();
    expect(said(found, "drew", "threw")).toEqual(["0 threw AS", "1 drew 5H", "1 threw 5H"]);
    expect(found.steps.find(({ what }) => what === "drew")).toMatchObject({ place: 38 });
    expect(found.steps.slice(0, 2).map(({ seat, cards }) => [seat, cards.length])).toEqual([
      [0, 19],
      [1, 18],
    ]);
  });

  it.each([
    ["0 discard KD", "plays KD, which the hand does not hold"],
    ["0 meld AS AH AD", "plays AH AD, which the hand does not hold"],
    ["0 meld AS 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C 9C", "plays 9C, which"],
    ["1 discard KD", "is of seat 1, and seat 0 is to act"],
    ["0 draw", "draws a second time"],
    ["0 amend 1: AS 2S 3S", "gives a layout to meld 1, which is not there"],
    ["0 undo", "takes back what cannot be taken back"],
    ["0 play AS", "is not an action"],
    ["0 discard AS AS", "is not an action"],
    ["0 meld", "is not an action"],
    ["4 draw", "is not an action"],
    [7, "is not an action"],
  ])("notices %s", async (action, why) => {
    const found = await follow(FREE, { ...course("AS", "KD", "5H 6H", []), actions: [action] });
    expect(found.fault).toMatchObject({ action: 1 });
    expect(found.fault!.detail).toContain(why);
  });

  it("lets a joker that was replaced come back, and nothing else", async () => {
    const begin = course("5H 6H JK 8H 7H", "KD", "5D", [
      "0 meld 5H 6H JK 8H",
      "0 amend 1: 5H 6H 7H 8H",
      "0 discard JK",
    ]);
    const found = await follow(FREE, begin);
    expect(found.fault).toBeNull();
    expect(found.steps.find(({ what }) => what === "amended")).toMatchObject({ cards: ["7H"], released: true });
    const other = await follow(FREE, { ...begin, actions: ["0 meld 5H 6H JK 8H", "0 amend 1: 6H JK 8H 7H"] });
    expect(other.fault).toEqual({ action: 2, detail: "takes 5H from a meld" });
  });

  it("goes back to the last moment with no duty unmet, by an undo and by the clock (R5.8, R9.2)", async () => {
    const turn = ["0 discard AS", "1 take 1", "1 undo", "1 draw", "1 discard 5H"];
    expect(said(await follow(SAHRAT, course("AS", "KD", "5H 6H", turn)), "took", "undone", "drew")).toEqual([
      "1 took AS",
      "1 undone ",
      "1 drew 5H",
    ]);
    const late = await follow(SAHRAT, course("AS", "KD", "5H 6H", ["0 discard AS", "1 take 1", "- timeout"]));
    expect(said(late, "took", "undone", "drew", "timeUp")).toEqual([
      "1 took AS",
      "1 undone ",
      "1 drew 5H",
      "1 timeUp ",
    ]);
    const kept = await follow(SAHRAT, course("AS", "KD", "5H 6H", ["0 discard AS", "1 take 1", "1 discard KD"]));
    expect(kept.fault!.detail).toBe("ends the turn with AS to be laid");
  });

  it("lets the server throw the card of least use (R9.3)", async () => {
    const hand = "2S JK 5H 6H KS QS 9C";
    const found = await follow(SAHRAT, course(hand, "KD", "5D", ["- timeout", "- timeout"]));
    expect(said(found, "timeUp", "threw")).toEqual(["0 timeUp ", "0 threw 9C"]);
  });

  it("notices a second draw, and a deal that is not over though another follows", async () => {
    const stock = Array(69).fill("9C").join(" ");
    const actions = ["0 discard 9C", ...Array<string>(30).fill("1 draw")];
    expect((await follow(FREE, course("9C", "9C", stock, actions))).fault).toEqual({
      action: 3,
      detail: "draws a second time",
    });
    const open = await follow(FREE, course("9C", "9C", stock, ["0 discard 9C"], { isLast: false }));
    expect(open.fault!.detail).toBe("is the last one, and the deal is not over");
  });

  it("makes a new stock of the pile but for its top card, and is dead where it may not (R6)", async () => {
    const turns = ["0 discard AS", "1 draw", "1 discard KD", "0 draw"];
    const found = await follow(FREE, course("AS", "KD", "5H", turns));
    expect(said(found, "reshuffled", "drew")).toEqual(["1 drew 5H", "null reshuffled AS", "0 drew AS"]);
    expect(found.steps.at(-1)).toMatchObject({ stockNo: 1, place: 1 });
    const none = readOptions(asJson({ preset: "banakil202", mode: "duel", max_reshuffles: 0 }));
    expect(said(await follow(none, course("AS", "KD", "5H", turns.slice(0, 3))), "dead")).toEqual(["null dead "]);
  });
});

describe("whole matches", () => {
  it("are found out where a card that was thrown is another one", async () => {
    for (const { record } of matches.slice(0, 20)) {
      const file = record as unknown as {
        deals: { starter?: number; fair: object; actions: string[] }[];
        options: object;
      };
      const [deal] = file.deals as [(typeof file.deals)[0]];
      const fair = readFair(asJson(deal.fair));
      const deck = await new Draws(by, fair.played.secret, fair.transcript).deck();
      const options = readOptions(asJson(file.options));
      const starter = deal.starter ?? 0;
      const draws = new Draws(by, fair.played.secret, fair.transcript);
      const newStock = (pile: readonly Card[], n: number) => draws.reshuffled(pile, n);
      const at = deal.actions.findIndex((action) => action.includes("discard"));
      if (at < 0 || deal.starter === undefined) continue;
      const hand = (
        await follow(options, { starter, deck, actions: deal.actions.slice(0, at), isLast: true, newStock })
      ).hands[Number(deal.actions[at]![0])]!;
      const other = sortedCards(new Set(deck)).find((card) => countOf(hand, card) === 0)!;
      const actions = deal.actions.map((action, no) => (no === at ? action.replace(/\S+$/, other) : action));
      const forged = { ...record, deals: [{ ...deal, actions }] };
      const [report] = await verifyRecord(by, readRecord(asJson(forged)), NOTHING_KNOWN);
      const failed = report!.checks.find(({ outcome }) => outcome === "fails");
      expect(failed).toMatchObject({
        name: "draws",
        detail: expect.stringContaining(`action ${at + 1} plays ${other}`),
      });
    }
  });
});
