import { describe, expect, it } from "vitest";
import { closedTo } from "./amend";
import { presetOptions, type AmendOptions, type Preset } from "./options";
import { builtFile } from "./testing/built";
import { layoutsAdding, targetsFor, twoMoves } from "./targets";
import { readDeal, type Meld } from "./views";

const sahrat = presetOptions("PRESET_SAHRAT");
const banakil202 = presetOptions("PRESET_BANAKIL202");

function deal(melds: string[], opened = true, owner = 0) {
  return readDeal({
    opened: [opened, false, true, false],
    melds: melds.map((cards, index) => ({
      id: index + 1,
      owner,
      cards: cards.split(" "),
      layers: cards.split(" ").map(() => owner),
    })),
  });
}

function ways(melds: string[], chosen: string, options: AmendOptions, owner = 0, opened = true): string[] {
  return targetsFor(chosen.split(" "), deal(melds, opened, owner), 0, options).map(
    (target) => `${target.kind} ${target.meldId}: ${target.cards.join(" ")} @${target.at.join()}`,
  );
}

describe("UX 27: targets", () => {
  it("are every end that a card fits", () => {
    expect(ways(["5H 6H 7H", "9H TH JH"], "8H", sahrat)).toEqual([
      "layoff 1: 5H 6H 7H 8H @3",
      "layoff 2: 8H 9H TH JH @0",
    ]);
    expect(ways(["5H 6H 7H"], "2C", sahrat)).toEqual(["layoff 1: 2C 5H 6H 7H @0", "layoff 1: 5H 6H 7H 2C @3"]);
    expect(ways(["5H 6H 7H"], "9H", sahrat)).toEqual([]);
    expect(ways(["5H 6H 7H"], "4H 8H", sahrat)).toEqual(["layoff 1: 4H 5H 6H 7H 8H @0,4"]);
  });

  it("offer a joker swap for the exact card only (R5.5c)", () => {
    expect(ways(["5H 6H JK 8H"], "7H", sahrat)).toEqual(["swap 1: 5H 6H 7H 8H @2"]);
    expect(ways(["5H 6H JK 8H"], "7D", sahrat)).toEqual([]);
    expect(ways(["AS AH JK"], "AD", sahrat)).toEqual(["layoff 1: AS AH JK AD @3", "swap 1: AS AH AD @2"]);
    expect(ways(["5H 6H JK 8H"], "JK", sahrat)).toEqual([]);
  });

  it("move a two where its place is taken, or freely where the table has it so (R5.5e, f)", () => {
    expect(ways(["7H 8H 2C TH"], "9H", sahrat)).toEqual([
      "layoff 1: 2C 7H 8H 9H TH @3,0",
      "layoff 1: 7H 8H 9H TH 2C @2,4",
    ]);
    const free = (melds: string[], options: AmendOptions) =>
      twoMoves(1, deal(melds), 0, options).map(
        (target) => `${target.kind} ${target.cards.join(" ")} @${target.at.join()}`,
      );
    expect(free(["7H 8H 9H 2C"], banakil202)).toEqual(["moveTwo 2C 7H 8H 9H @0"]);
    expect(free(["7H 8H 9H 2C"], sahrat)).toEqual([]);
    expect(free(["7H 8H 9H"], banakil202)).toEqual([]);
  });

  it("leave a two alone that need not move", () => {
    expect(ways(["7H 8H 9H 2C"], "JH", banakil202)).toEqual(["layoff 1: 7H 8H 9H 2C JH @4"]);
  });

  it("are only melds that the seat may amend (R5.5h)", () => {
    expect(ways(["5H 6H 7H"], "8H", sahrat, 1)).toEqual([]);
    expect(ways(["5H 6H 7H"], "8H", sahrat, 2, false)).toEqual([]);
    expect(ways(["5H 6H 7H"], "8H", banakil202, 2, false)).toHaveLength(1);
  });

  it("are nothing for nothing, and for more cards than a run has places", () => {
    expect(targetsFor([], deal(["5H 6H 7H"]), 0, sahrat)).toEqual([]);
    expect(
      targetsFor(
        Array.from({ length: 20 }, () => "2H"),
        deal(["5H 6H 7H"]),
        0,
        sahrat,
      ),
    ).toEqual([]);
  });

  it("hold every legal amend of the engine's vectors", () => {
    const { amends } = builtFile<{ amends: Vector[] }>("vectors.json");
    let seen = 0;
    for (const one of amends.filter(({ ok }) => ok)) {
      const meld = one.melds.find(({ id }) => id === one.id)!;
      const options = optionsOf(one);
      expect(closedTo(one.seat, meld, one.opened, options)).toBeNull();
      const sorted = (cards: readonly string[]) =>
        (meld.cards.length && isSet(one.cards) ? [...cards].sort() : cards).join(" ");
      const layouts = layoutsAdding(meld, one.added, one.seat, options).map((found) => sorted(found.meld.cards));
      expect(layouts, JSON.stringify(one)).toContain(sorted(one.cards));
      seen++;
    }
    expect(seen).toBeGreaterThan(500);
  });
});

interface Vector {
  options: Record<string, unknown>;
  melds: Meld[];
  seat: number;
  opened: boolean;
  id: number;
  cards: string[];
  ok: boolean;
  added: string[];
}

function optionsOf({ options }: Vector): AmendOptions {
  return {
    ...presetOptions("PRESET_SAHRAT" satisfies Preset),
    minReal: options.min_real as number,
    twosInSets: options.twos_in_sets as boolean,
    naturalTwoIsReal: options.natural_two_is_real as boolean,
    twoMove: options.two_move === "free" ? "TWO_MOVE_FREE" : "TWO_MOVE_DISPLACED_ONLY",
    partnerNeedsOpening: options.partner_needs_opening as boolean,
  };
}

function isSet(cards: readonly string[]): boolean {
  const plain = cards.filter((card) => card !== "JK" && card[0] !== "2");
  return plain.length > 1 && plain.every((card) => card[0] === plain[0]![0]);
}
