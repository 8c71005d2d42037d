import { describe, expect, it } from "vitest";
import { closedTo, judgeAmend } from "./amend";
import { judge, standsFor } from "./legality";
import type { AmendOptions } from "./options";
import { presetOptions } from "./options";
import { builtFile } from "./testing/built";
import type { Meld } from "./views";

interface VectorOptions {
  min_real: number;
  twos_in_sets: boolean;
  natural_two_is_real: boolean;
  two_move?: "free" | "displaced_only";
  partner_needs_opening?: boolean;
}

interface Vectors {
  melds: {
    options: VectorOptions;
    cards: string[];
    ok: boolean;
    kind?: string;
    start?: number | null;
    code?: string;
  }[];
  amends: {
    options: VectorOptions;
    melds: Meld[];
    seat: number;
    opened: boolean;
    hand: string[];
    id: number;
    cards: string[];
    ok: boolean;
    code?: string;
    layers?: number[];
    added?: string[];
    joker_released?: boolean;
  }[];
}

const vectors = builtFile<Vectors>("vectors.json");

function options(of: VectorOptions): AmendOptions {
  return {
    minReal: of.min_real,
    twosInSets: of.twos_in_sets,
    naturalTwoIsReal: of.natural_two_is_real,
    twoMove: of.two_move === "free" ? "TWO_MOVE_FREE" : "TWO_MOVE_DISPLACED_ONLY",
    partnerNeedsOpening: of.partner_needs_opening ?? false,
  };
}

describe("UX 20: legality equals the engine's", () => {
  it("on at least 1,000 new melds", () => {
    expect(vectors.melds.length).toBeGreaterThanOrEqual(1000);
    for (const one of vectors.melds) {
      const judged = judge(one.cards, options(one.options));
      const said = judged.ok
        ? { ok: true, kind: judged.shape.start ? "run" : "set", start: judged.shape.start || null }
        : { ok: false, code: judged.code };
      const { options: _options, cards: _cards, ...told } = one;
      expect(said, JSON.stringify(one)).toEqual(told);
    }
  });

  it("on at least 1,000 amends", () => {
    expect(vectors.amends.length).toBeGreaterThanOrEqual(1000);
    for (const one of vectors.amends) {
      const { ok, code, layers, added, joker_released } = one;
      expect(answer(one), JSON.stringify(one)).toEqual(ok ? { ok, layers, added, joker_released } : { ok, code });
    }
  });

  function answer(one: Vectors["amends"][number]): object {
    const meld = one.melds.find(({ id }) => id === one.id);
    if (!meld) return { ok: false, code: "NO_SUCH_MELD" };
    const closed = closedTo(one.seat, meld, one.opened, options(one.options));
    if (closed) return { ok: false, code: closed };
    const amended = judgeAmend(meld, one.cards, one.seat, one.hand, options(one.options));
    if (!amended.ok) return amended;
    const { meld: next, added, jokerReleased } = amended.amendment;
    return { ok: true, layers: next.layers, added, joker_released: jokerReleased };
  }
});

describe("a layout", () => {
  it("says what its wilds stand for (R4.6)", () => {
    const judged = judge(["7H", "8H", "2C", "TH", "JK"], presetOptions("PRESET_SAHRAT"));
    expect(judged.ok && standsFor(judged.shape, ["7H", "8H", "2C", "TH", "JK"])).toEqual([
      "7H",
      "8H",
      "9H",
      "TH",
      "JH",
    ]);
  });
});

describe("UX 19: legality", () => {
  it("takes far less than 100 ms for all groups that a hand could stage", () => {
    const began = performance.now();
    for (const one of vectors.melds.slice(0, 1000)) judge(one.cards, options(one.options));
    expect(performance.now() - began).toBeLessThan(100);
  });
});
