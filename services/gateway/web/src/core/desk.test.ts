import { describe, expect, it } from "vitest";
import {
  answered,
  dragCard,
  fieldNote,
  followDesk,
  keepDesk,
  openDesk,
  openTargets,
  orderCards,
  outgoingAmend,
  outgoingDiscard,
  outgoingMelds,
  selectedCards,
  sent,
  shownCards,
  sortDesk,
  stageCards,
  stageProposed,
  stageSelected,
  toggleCard,
  unstageCards,
  type Desk,
} from "./desk";
import { presetOptions } from "./options";
import { applyEvent } from "./reducer";
import { memoryKeeper } from "./storage";
import { eventsOf, followed, streams } from "./testing/streams";
import { readDeal, readView, type View } from "./views";

const HAND = ["5H", "6H", "7H", "7H", "9C", "KS"];

/** Seat 0's own turn, after the draw. */
function view(more: object = {}): View {
  const deal = readDeal({
    dealNo: 1,
    turnNo: 5,
    phase: "PHASE_PLAY",
    hand: HAND,
    handCounts: [6, 18, 18, 18],
    opened: [true, false, false, false],
    putDown: [true, false, false, false],
    stockCount: 20,
    melds: [{ id: 1, owner: 0, cards: ["TC", "JC", "QC"], layers: [0, 0, 0] }],
    ...more,
  });
  const options = presetOptions("PRESET_SAHRAT");
  return readView({
    tableId: "t",
    revision: 7,
    stage: "STAGE_DEAL",
    viewerSeat: 0,
    options,
    match: { matchId: "m" },
    deal,
  });
}

const open = (at = view()) => openDesk(at, memoryKeeper(), memoryKeeper());
const shown = (desk: Desk) =>
  shownCards(desk)
    .map((one) => one.card)
    .join(" ");
const after = (desk: Desk, event: object) => followDesk(desk, applyEvent(desk.view, { ...event }), [{ ...event }]);

describe("the desk", () => {
  it("stages what is chosen, shows the rest, and sends the legal groups", () => {
    let desk = open();
    for (const key of ["5H.0", "6H.0", "7H.1"]) desk = toggleCard(desk, key);
    expect(selectedCards(desk)).toEqual(["5H", "6H", "7H"]);
    desk = stageSelected(desk);
    expect(shown(desk)).toBe("KS 7H 9C");
    const outgoing = outgoingMelds(desk)!;
    expect(outgoing.keys).toEqual(["5H.0", "6H.0", "7H.1"]);
    const laid = { laid: { seat: 0, melds: [{ id: 2, owner: 0, cards: ["5H", "6H", "7H"], layers: [0, 0, 0] }] } };
    const next = answered(after(sent(desk, outgoing), laid));
    expect(shownCards(next).map((one) => one.key)).toEqual(["KS.0", "7H.0", "9C.0"]);
    expect([next.staging.groups, next.cameBack]).toEqual([[], false]);
  });

  it("UX 22: is exactly as before when an action is refused", () => {
    const desk = stageCards(toggleCard(open(), "KS.0"), ["5H.0", "6H.0", "7H.0"]);
    expect(answered(sent(desk, outgoingMelds(desk)!))).toEqual(desk);
  });

  it("UX 27: offers targets for what is chosen, on one's turn alone", () => {
    const chosen = toggleCard(open(), "9C.0");
    const [target] = openTargets(chosen);
    expect(target).toMatchObject({ kind: "layoff", meldId: 1, cards: ["9C", "TC", "JC", "QC"] });
    expect(outgoingAmend(chosen, target!)).toEqual({
      action: { amend: { meldId: 1, cards: ["9C", "TC", "JC", "QC"] } },
      keys: ["9C.0"],
    });
    for (const more of [{ turnSeat: 1, turnNo: 6 }, { phase: "PHASE_DRAW" }, { timeUp: true }]) {
      expect(openTargets(toggleCard(open(view(more)), "9C.0"))).toEqual([]);
    }
  });

  it("says on one's turn that what is chosen fits no meld there", () => {
    const nine = toggleCard(open(), "9C.0");
    const king = toggleCard(open(), "KS.0");
    expect([fieldNote(open(), "us"), fieldNote(nine, "us"), fieldNote(king, "us")]).toEqual([
      "",
      "",
      "table.field.unfit",
    ]);
    expect([fieldNote(open(), "them"), fieldNote(nine, "them")]).toEqual(["", "table.field.theirs"]);
    expect(fieldNote(toggleCard(open(view({ turnSeat: 1, turnNo: 6 })), "KS.0"), "us")).toBe("");
  });

  it("UX 23: gives staged cards back at the end of the own turn and at timeout, and says so", () => {
    const desk = stageCards(open(), ["5H.0", "6H.0"]);
    const discarded = after(sent(desk, outgoingDiscard("KS.0")), { discarded: { seat: 0, card: "KS" } });
    expect([shown(discarded), discarded.cameBack]).toEqual(["5H 6H 7H 7H 9C", true]);
    const late = after(desk, { timeRanOut: { seat: 0 } });
    expect([shown(late), late.cameBack]).toEqual(["KS 5H 6H 7H 7H 9C", true]);
  });

  it("UX 21: keeps the tray through others' turns", () => {
    const desk = stageCards(open(view({ turnSeat: 1, turnNo: 2, phase: "PHASE_PLAY" })), ["5H.0", "6H.0", "7H.0"]);
    let next = after(desk, { discarded: { seat: 1, card: "4S" } });
    next = after(next, { drew: { seat: 2 } });
    expect(next.staging).toEqual(desk.staging);
  });

  it("UX 14: a choice leaves all else the very same, and nothing is kept anew for it", () => {
    const desk = stageCards(open(), ["5H.0"]);
    const chosen = toggleCard(desk, "KS.0");
    const { selected, ...rest } = chosen;
    expect(selected).toEqual(["KS.0"]);
    for (const [name, part] of Object.entries(rest)) expect(part, name).toBe(desk[name as keyof Desk]);
    const writes: string[] = [];
    const counting = { ...memoryKeeper(), set: (name: string) => void writes.push(name) };
    keepDesk(chosen, counting, counting, desk);
    expect(writes).toEqual([]);
    keepDesk(sortDesk(chosen, "rank"), counting, counting, chosen);
    expect(writes).toEqual(["sorting", "hand", "tray"]);
  });

  it("UX 16, 23: a reload keeps the hand's order, the tray and the way of sorting", () => {
    const [lasting, tab] = [memoryKeeper(), memoryKeeper()];
    let desk = openDesk(view(), lasting, tab);
    desk = stageCards(dragCard(desk, "9C.0", 0), ["5H.0", "6H.0", "7H.1"]);
    keepDesk(desk, lasting, tab);
    const again = openDesk(view(), lasting, tab);
    expect([shown(again), again.staging, again.sorting]).toEqual([shown(desk), desk.staging, "own"]);
    // In the next deal the order begins anew, the way of sorting does not.
    const next = openDesk(view({ dealNo: 2 }), lasting, tab);
    expect([shown(next), next.staging.groups, next.sorting]).toEqual(["KS 5H 6H 7H 7H 9C", [], "own"]);
  });

  it("orders by drag while the tray hides cards, and sorts on demand", () => {
    const desk = stageCards(open(), ["6H.0"]);
    expect(shown(orderCards(desk, ["9C.0", "KS.0", "5H.0", "7H.0", "7H.1"]))).toBe("9C KS 5H 7H 7H");
    expect(shown(unstageCards(orderCards(desk, ["9C.0", "KS.0", "5H.0", "7H.0", "7H.1"]), ["6H.0"]))).toContain("6H");
    expect(shown(sortDesk(open(), "rank"))).toBe("5H 6H 7H 7H 9C KS");
  });

  it("stages what hints propose", () => {
    const desk = stageProposed(toggleCard(open(), "KS.0"), [["5H", "6H", "7H"]]);
    expect([shown(desk), desk.selected]).toEqual(["KS 7H 9C", []]);
  });

  it("follows whole tables, and holds what the view holds", () => {
    for (const stream of streams) {
      let now = readView(stream.first.snapshot);
      let desk = open(now);
      for (const step of stream.steps) {
        now = followed(now, step);
        desk = followDesk(desk, now, eventsOf(step));
        expect(
          shownCards(desk)
            .map((one) => one.card)
            .sort(),
        ).toEqual([...(now.deal?.hand ?? [])].sort());
      }
      expect(desk.log.length).toBeGreaterThan(50);
    }
  });
});
