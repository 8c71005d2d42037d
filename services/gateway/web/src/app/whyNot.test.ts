import { describe, expect, it } from "vitest";
import { presetOptions } from "../core/options";
import { readView, type DealView, type View } from "../core/views";
import { whyNotDiscard, whyNotMeld } from "./whyNot";

/** Seat 0 sees the table. */
function at(deal: Partial<DealView> = {}, more: object = {}): View {
  return readView({
    stage: "STAGE_DEAL",
    viewerSeat: 0,
    options: presetOptions("PRESET_SAHRAT"),
    deal: { turnSeat: 0, phase: "PHASE_PLAY", hand: ["5H"], ...deal },
    ...more,
  });
}

describe("a dead Meld All says why", () => {
  it("says nothing where there is something to lay", () => {
    expect(whyNotMeld(at(), true)).toBeNull();
  });

  it("says whose turn it is before it speaks of cards", () => {
    expect(whyNotMeld(at({ turnSeat: 1 }), true)).toBe("why.NOT_YOUR_TURN");
    expect(whyNotMeld(at({ phase: "PHASE_DRAW" }), true)).toBe("why.MUST_DRAW_FIRST");
    expect(whyNotMeld(at({ timeUp: true }), true)).toBe("why.TIME_IS_UP");
    expect(whyNotMeld(at(), false)).toBe("act.meldAll.none");
  });

  it("knows that between deals nothing can be laid", () => {
    expect(whyNotMeld(at({}, { stage: "STAGE_RESULT" }), true)).toBe("why.DEAL_OVER");
    expect(whyNotMeld(at({}, { deal: undefined }), true)).toBe("why.DEAL_OVER");
  });
});

describe("a dead Discard says why", () => {
  it("takes one card, no more and no less", () => {
    expect([0, 1, 2].map((chosen) => whyNotDiscard(at(), chosen))).toEqual([
      "act.discard.pick",
      null,
      "act.discard.pick",
    ]);
  });

  it("waits for what is owed, unless time is up", () => {
    expect(whyNotDiscard(at({ duties: ["7H"] }), 1)).toBe("why.DUTY_UNMET");
    expect(whyNotDiscard(at({ duties: ["7H"], timeUp: true }), 1)).toBeNull();
  });
});
