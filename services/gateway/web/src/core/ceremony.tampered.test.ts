import { beforeEach, describe, expect, it } from "vitest";
import type { FairCheck } from "./closedChecks";
import type { ClosedSet } from "../verify/deal";
import { bytesOf } from "./closedSet";
import { ME } from "./testing/shuffles";
import { HAND, Sitting } from "./testing/sitting";
import type { FairInfo } from "./views";

const NONE = new Uint8Array();
let my: Sitting;

beforeEach(async () => {
  my = await Sitting.begin();
});

describe("a closed set that is not as it was seen", () => {
  const seat = (closed: ClosedSet, at: number, change: object): ClosedSet => ({
    ...closed,
    seats: closed.seats.map((one, number) => (number === at ? { ...one, ...change } : one)),
  });
  const cases: [string, FairCheck, (closed: ClosedSet) => ClosedSet][] = [
    ["another h of one's own", "promise", (closed) => seat(closed, ME, { h: bytesOf("ab".repeat(64)) })],
    ["another account of one's own", "own", (closed) => seat(closed, ME, { account: "eve" })],
    ["oneself shut out", "own", (closed) => seat(closed, ME, { kind: 3, h: NONE })],
    ["oneself a bot", "own", (closed) => seat(closed, ME, { kind: 2, h: NONE, account: "" })],
    ["another account of someone else's", "seats", (closed) => seat(closed, 0, { account: "eve" })],
    ["a bot where a person sits", "seats", (closed) => seat(closed, 0, { kind: 2, account: "", h: NONE })],
    ["a person where a bot sits", "seats", (closed) => seat(closed, 3, { kind: 0, account: "eve" })],
    ["somebody shut out without having failed", "seats", (closed) => seat(closed, 2, { kind: 3, h: NONE })],
    ["another commitment", "commitment", (closed) => ({ ...closed, commitment: bytesOf("00".repeat(64)) })],
    ["a host where none is due", "host", (closed) => ({ ...closed, host: ME, cutKind: 2 })],
    ["a cut where none is due", "cut", (closed) => ({ ...closed, cutKind: 1, cut: 5 })],
    ["another deal", "context", ({ ctx, ...closed }) => ({ ...closed, ctx: { ...ctx, dealNo: 2 } })],
    ["another attempt", "context", ({ ctx, ...closed }) => ({ ...closed, ctx: { ...ctx, attempt: 1 } })],
    [
      "another match",
      "context",
      ({ ctx, ...closed }) => ({ ...closed, ctx: { ...ctx, match: bytesOf("cd".repeat(16)) } }),
    ],
    ["other rules", "context", ({ ctx, ...closed }) => ({ ...closed, ctx: { ...ctx, rules: "banakil202" } })],
    ["fewer seats than play", "closed", (closed) => ({ ...closed, seats: closed.seats.slice(0, 2) })],
    ["a beacon that nobody announced", "closed", (closed) => ({ ...closed, beacon: bytesOf("ab") })],
    ["an h of half the length", "closed", (closed) => seat(closed, 0, { h: bytesOf("ab".repeat(32)) })],
    ["a person without h", "closed", (closed) => seat(closed, 0, { h: NONE })],
    ["an absent one with h", "closed", (closed) => seat(closed, 0, { kind: 0 })],
    ["a kind that there is not", "closed", (closed) => seat(closed, 0, { kind: 4, h: NONE })],
  ];

  it.each(cases)("%s: nothing is given, it is said, and the evidence kept", async (_, check, tamper) => {
    await my.told();
    my.shuffle.tamperClosed = tamper;
    my.shuffle.close();
    await my.told();
    expect(my.opened).toEqual([]);
    expect(my.state).toMatchObject({ part: "held", fault: check });
    expect(my.kept).toMatchObject({ fault: { check, fair: { closedHex: my.shuffle.closed } } });
    // Not even when the table shows the right one afterwards, or the page is loaded again.
    my.shuffle.tamperClosed = (closed) => closed;
    my.shuffle.close();
    await my.told();
    my.reload();
    await my.told();
    await my.around.pass(5_000);
    expect(my.opened).toEqual([]);
    expect(my.kept!.fault!.check).toBe(check);
  });

  const published: [string, FairCheck, (fair: FairInfo) => FairInfo][] = [
    ["bytes that are no closed set", "closed", (fair) => ({ ...fair, closedHex: fair.closedHex.slice(2) })],
    ["a signature of K that is not", "signature", (fair) => ({ ...fair, closedSignatureHex: "ab".repeat(64) })],
    ["no signature of K", "signature", (fair) => ({ ...fair, closedSignatureHex: "" })],
    ["another C than before", "changed", (fair) => ({ ...fair, commitmentHex: "00".repeat(64) })],
    ["another key than before", "changed", (fair) => ({ ...fair, keyId: "ab".repeat(32) })],
    ["other rules than before", "changed", (fair) => ({ ...fair, rulesId: "sahrat+0123456789abcdef" })],
    ["a host that the rules know nothing of", "host", (fair) => ({ ...fair, hostSeat: 0 })],
  ];

  it.each(published)("%s: nothing is given", async (_, check, tamper) => {
    await my.toOpening();
    my.shuffle.tamperFair = tamper;
    await my.told();
    expect(my.opened).toEqual([]);
    expect(my.state?.fault).toBe(check);
  });

  it("rules with a hash that these options do not call for", async () => {
    my.shuffle.ctx = { ...my.shuffle.ctx, rules: "sahrat+0123456789abcdef" };
    await my.toOpening();
    await my.told();
    expect([my.opened, my.state?.fault]).toEqual([[], "context"]);
  });

  it("a series that the table does not tell of", async () => {
    my.shuffle.ctx = { ...my.shuffle.ctx, series: bytesOf("cd".repeat(16)) };
    await my.toOpening();
    await my.told();
    expect([my.opened, my.state?.fault]).toEqual([[], "context"]);
  });

  it("an attempt before which no other one is told", async () => {
    my.shuffle.ctx = { ...my.shuffle.ctx, attempt: 1 };
    my.shuffle.shutOut = [0];
    await my.shuffle.others();
    await my.toOpening();
    await my.told();
    expect([my.opened, my.state?.fault]).toEqual([[], "context"]);
  });

  it("shown after another one of the same attempt: c is not asked for twice", async () => {
    my.answer = (what) => ("cHex" in what ? { ok: false, code: "OFFLINE" } : { ok: true });
    await my.toOpening();
    await my.told();
    my.shuffle.promises[0] = "cd".repeat(64);
    my.shuffle.close();
    my.answer = () => ({ ok: true });
    const before = my.opened.length;
    await my.told();
    expect(my.opened).toHaveLength(before);
    expect(my.state?.fault).toBe("changed");
  });
});

describe("a transcript", () => {
  const cases: [string, FairCheck, () => void][] = [
    ["that does not follow", "transcript", () => (my.shuffle.transcript = "ab".repeat(64))],
    ["with another c of one's own", "contribution", () => (my.shuffle.contributions[ME] = "ab".repeat(32))],
    ["with a c that was not promised", "contribution", () => (my.shuffle.contributions[0] = "ab".repeat(32))],
    ["with a c of a bot's", "contribution", () => (my.shuffle.contributions[3] = "ab".repeat(32))],
    ["without somebody's c", "contribution", () => (my.shuffle.contributions[2] = "")],
  ];

  it.each(cases)("%s is said, and kept", async (_, check, tamper) => {
    await my.toOpening();
    await my.told();
    await my.shuffle.settle();
    tamper();
    await my.told();
    expect(my.state).toMatchObject({ part: "held", fault: check });
    expect(my.kept).toMatchObject({ fault: { check, fair: { transcriptHex: my.shuffle.transcript } } });
  });

  const published: [string, FairCheck, (fair: FairInfo) => FairInfo][] = [
    ["with a signature that is not", "signature", (fair) => ({ ...fair, transcriptSignatureHex: "ab".repeat(64) })],
    ["without receipts", "receipt", (fair) => ({ ...fair, receipts: [] })],
    ["over another K", "changed", (fair) => ({ ...fair, closedHex: fair.closedHex.replace(/.$/, "1") })],
  ];

  it.each(published)("%s is said", async (_, check, tamper) => {
    await my.toOpening();
    await my.told();
    await my.shuffle.settle();
    my.shuffle.tamperFair = tamper;
    await my.told();
    expect(my.state?.fault).toBe(check);
  });

  it("with a receipt of another time than is signed is said", async () => {
    await my.toOpening();
    await my.told();
    await my.shuffle.settle();
    my.shuffle.tamperFair = (fair) => ({
      ...fair,
      receipts: fair.receipts.map((receipt) => ({ ...receipt, cUnixMs: "1700000003124" })),
    });
    await my.told();
    expect(my.state?.fault).toBe("receipt");
  });

  it("that was settled while this page was away is checked when it comes back", async () => {
    await my.toOpening();
    await my.told();
    await my.shuffle.settle();
    my.reload();
    await my.told(my.shuffle.dealt(HAND));
    expect(my.state).toMatchObject({ part: "in", fault: null });
    expect(my.kept!.witness).toMatchObject({ transcript: my.shuffle.transcript, hand: HAND });
  });
});
