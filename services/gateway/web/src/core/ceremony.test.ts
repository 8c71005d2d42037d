import { beforeEach, describe, expect, it } from "vitest";
import { primitives } from "../verify/primitives";
import { bytesOf } from "./closedSet";
import { RESEND_MS } from "./postman";
import { readSeat } from "./views";
import type { Outcome } from "./table";
import { MATCH, ME, promptPrimitives } from "./testing/shuffles";
import { HAND, Sitting } from "./testing/sitting";

let my: Sitting;

beforeEach(async () => {
  my = await Sitting.begin();
});

describe("an honest shuffle", () => {
  it("is promised to, checked, opened and settled, and all of it kept as evidence", async () => {
    await my.told();
    const c = my.kept!.witness.c!;
    expect(c).toMatch(/^[0-9a-f]{64}$/);
    expect(my.promises).toEqual([await my.shuffle.promise(ME, c)]);
    expect(my.state).toMatchObject({ part: "taking", promised: true, opened: false });
    my.shuffle.close();
    await my.told();
    expect(my.opened).toEqual([c]);
    expect(my.state).toMatchObject({ part: "taking", promised: true, opened: true });
    await my.shuffle.settle();
    await my.told();
    expect(my.state).toMatchObject({ part: "in", settled: true, fault: null });
    await my.told(my.shuffle.dealt(HAND));
    expect(my.kept).toMatchObject({
      account: "me",
      key: my.shuffle.keyId,
      match: MATCH,
      signatures: {
        commit: my.shuffle.fair.commitSignatureHex,
        closed: my.shuffle.fair.closedSignatureHex,
        transcript: my.shuffle.fair.transcriptSignatureHex,
      },
    });
    expect(my.kept!.witness).toEqual({
      seat: ME,
      c,
      closed: my.shuffle.closed,
      transcript: my.shuffle.transcript,
      hand: HAND,
      receipts: {
        h: { unix_ms: 1_700_000_000_123, signature: my.shuffle.fair.receipts[1]!.hSignatureHex },
        c: { unix_ms: 1_700_000_003_123, signature: my.shuffle.fair.receipts[1]!.cSignatureHex },
      },
    });
    expect(my.sent).toHaveLength(2);
  });

  it("works without crypto.subtle, as on a page from a home network", async () => {
    const by = await primitives(null as never);
    my.load = async () => by;
    await my.toOpening();
    await my.told();
    await my.shuffle.settle();
    await my.told();
    expect(my.state).toMatchObject({ part: "in", fault: null });
  });

  it("goes on with another seat that is late, and with a seat that a bot takes meanwhile", async () => {
    const bot = readSeat({ seat: 2, occupant: "OCCUPANT_HOUSE_BOT" });
    await my.told();
    my.shuffle.promises[0] = undefined;
    my.shuffle.contributions[0] = "";
    my.shuffle.close();
    const view = my.shuffle.view();
    await my.told({ ...view, seats: view.seats.map((seat) => (seat.seat === 2 ? bot : seat)) });
    expect(my.opened).toHaveLength(1);
  });

  it("takes fresh numbers in every deal", async () => {
    await my.told();
    const first = my.kept!.witness.c;
    my.shuffle.ctx = { ...my.shuffle.ctx, dealNo: 2 };
    await my.told(my.shuffle.view({ match: { ...my.shuffle.view().match, dealNo: 1 } }));
    expect(my.kept!.witness.c).not.toBe(first);
  });
});

describe("who takes no part", () => {
  it("who only looks on sends nothing", async () => {
    const { viewerSeat: _, ...view } = my.shuffle.view();
    await my.told(view);
    expect(my.sent).toEqual([]);
    expect(my.kept).toBeNull();
    expect(my.state).toMatchObject({ part: "watching" });
  });

  it("a seat that a bot plays sends nothing", async () => {
    const view = my.shuffle.view();
    const seats = view.seats.map((seat) => (seat.seat === ME ? { ...seat, occupant: "OCCUPANT_BOT" as const } : seat));
    await my.told({ ...view, seats });
    expect(my.sent).toEqual([]);
  });

  it("a promise that came too late opens nothing", async () => {
    my.answer = () => ({ ok: false, code: "CONTRIBUTION_NOT_AWAITED" });
    await my.toOpening();
    await my.told();
    expect(my.opened).toEqual([]);
    expect(my.state).toMatchObject({ part: "late", fault: null });
    // A number that is not in the deal must not look as if the deal left it out.
    expect(my.kept).toMatchObject({ witness: { seat: ME, closed: my.shuffle.closed }, unused: expect.any(String) });
    expect(my.kept!.witness.c).toBeUndefined();
  });

  it("a page that cannot hash plays all the same", async () => {
    my.load = () => Promise.reject(new Error("offline"));
    await my.told();
    expect(my.sent).toEqual([]);
    my.load = async () => promptPrimitives;
    await my.told();
    expect(my.promises).toHaveLength(1);
  });
});

describe("a void attempt", () => {
  it("of somebody else: the next one gets a number of its own", async () => {
    await my.toOpening();
    await my.told();
    const first = my.kept!.witness.c!;
    await my.shuffle.fail(2);
    await my.told();
    my.shuffle.close();
    await my.told();
    await my.shuffle.settle();
    await my.told();
    const { witness, earlier } = my.kept!;
    expect(witness.c).not.toBe(first);
    expect(my.opened).toEqual([first, witness.c]);
    expect(earlier.map(({ witness }) => [witness.attempt, witness.c])).toEqual([[0, first]]);
    expect(my.state).toMatchObject({ part: "in", fault: null });
  });

  it("of one's own: one is shut out, sends nothing, and keeps the evidence of both", async () => {
    await my.toOpening();
    await my.told();
    await my.shuffle.fail(ME);
    my.shuffle.promises[ME] = undefined;
    await my.told();
    expect(my.state).toMatchObject({ part: "shut" });
    my.shuffle.close();
    await my.told();
    await my.shuffle.settle();
    await my.told();
    await my.told(my.shuffle.dealt(HAND));
    expect([my.promises.length, my.opened.length]).toEqual([1, 1]);
    expect(my.state).toMatchObject({ part: "shut", fault: null });
    expect(my.kept).toMatchObject({ witness: { hand: HAND, closed: my.shuffle.closed }, earlier: [{ attempt: 0 }] });
    expect(my.kept!.witness.c).toBeUndefined();
  });

  it("that lets somebody in who has failed before is not opened to", async () => {
    await my.toOpening();
    await my.told();
    await my.shuffle.fail(2);
    my.shuffle.shutOut = [];
    await my.shuffle.others();
    await my.told();
    my.shuffle.close();
    await my.told();
    expect([my.opened.length, my.state?.fault]).toEqual([1, "seats"]);
  });

  it("after a fault is still told as one", async () => {
    await my.told();
    my.shuffle.tamperClosed = (closed) => ({ ...closed, commitment: bytesOf("00".repeat(64)) });
    my.shuffle.close();
    await my.told();
    await my.shuffle.fail(ME);
    await my.told();
    expect(my.state).toMatchObject({ part: "shut", fault: "commitment" });
  });
});

describe("UX 32: the cut", () => {
  beforeEach(async () => {
    my = await Sitting.begin("PRESET_BANAKIL202");
    await my.told();
    my.shuffle.step = "FAIR_STEP_CUTTING";
    await my.told();
  });

  it("of one's own is sent once, and K must have it", async () => {
    expect(await my.tab.cut(41)).toEqual({ ok: true });
    await my.around.pass(10 * RESEND_MS);
    expect(my.cuts).toEqual([41]);
    my.shuffle.close();
    await my.told();
    expect(my.opened).toHaveLength(1);
  });

  it("of one's own that K has not is not opened to, even after a reload", async () => {
    await my.tab.cut(41);
    my.shuffle.cut = 0;
    my.reload();
    my.shuffle.close();
    await my.told();
    expect([my.opened, my.state?.fault]).toEqual([[], "cut"]);
  });

  it("is another one in K than the table tells: not opened to", async () => {
    my.shuffle.cut = 41;
    my.shuffle.tamperClosed = (closed) => ({ ...closed, cut: 42 });
    my.shuffle.close();
    await my.told();
    expect([my.opened, my.state?.fault]).toEqual([[], "cut"]);
  });

  it("was told otherwise before: not opened to", async () => {
    my.shuffle.cut = 41;
    my.shuffle.step = "FAIR_STEP_CLOSING";
    await my.told();
    my.shuffle.cut = 42;
    my.shuffle.close();
    await my.told();
    expect([my.opened, my.state?.fault]).toEqual([[], "cut"]);
  });

  it("that nobody made in time is automatic", async () => {
    my.shuffle.close();
    await my.told();
    await my.shuffle.settle();
    await my.told();
    expect(my.state).toMatchObject({ part: "in", fault: null, fair: { automaticCut: 17 } });
  });

  it("whose answer is lost is sent again, until the step is over", async () => {
    my.answer = (what) => ("cut" in what ? { ok: false, code: "OFFLINE" } : { ok: true });
    let outcome: Outcome | null = null;
    void my.tab.cut(41).then((came) => (outcome = came));
    await my.around.pass(2 * RESEND_MS);
    expect(my.cuts.length).toBeGreaterThan(1);
    my.shuffle.step = "FAIR_STEP_CLOSING";
    await my.told();
    expect(outcome).toEqual({ ok: false, code: "CONTRIBUTION_NOT_AWAITED" });
    expect(await my.tab.cut(41)).toEqual({ ok: false, code: "CONTRIBUTION_NOT_AWAITED" });
  });

  it("that is refused is refused", async () => {
    my.answer = () => ({ ok: false, code: "NOT_HOST" });
    expect(await my.tab.cut(41)).toEqual({ ok: false, code: "NOT_HOST" });
  });

  it("by a host that the table does not call one: not opened to", async () => {
    const hostSeat = 0;
    my.shuffle.close();
    await my.told(my.shuffle.view({ hostSeat }));
    expect([my.opened, my.state?.fault]).toEqual([[], "host"]);
  });
});

it("hands that are not as they were dealt are not kept", async () => {
  await my.toOpening();
  await my.told();
  await my.shuffle.settle();
  const view = my.shuffle.dealt(HAND);
  my.reload();
  await my.told({ ...view, deal: { ...view.deal!, turnNo: 5 } });
  expect(my.kept!.witness.hand).toBeUndefined();
  my.reload();
  await my.told({ ...view, deal: { ...view.deal!, starter: ME, hand: [...HAND, "JK"] } });
  expect(my.kept!.witness.hand).toEqual([...HAND, "JK"]);
});
