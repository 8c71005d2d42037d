import { describe, expect, it } from "vitest";
import type { KeptDeal, Witness } from "../core/witness";
import { FairError } from "./bytes";
import { firstFailed, type Check } from "./checks";
import { BOT, HUMAN, NO_HOST } from "./deal";
import { primitives } from "./primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord, type Known } from "./record";
import { Chance, made } from "./testing/making";
import { asJson, matches } from "./testing/python";

const by = await primitives();
interface File {
  readonly options: object;
  readonly deals: readonly Readonly<Record<string, unknown>>[];
}

const verified = async (file: object, known: Partial<Known> = {}) =>
  verifyRecord(by, readRecord(asJson(file)), { ...NOTHING_KNOWN, ...known });
const failed = async (file: object, known: Partial<Known> = {}) =>
  (await verified(file, known)).map(({ checks }) => firstFailed(checks)?.name ?? "");
const named = (checks: readonly Check[], name: string) => checks.find((check) => check.name === name);

/** A match of three deals at least, of one that says who started. */
const match = matches.find(
  ({ record }) => record.deals.length > 3 && record.deals.every(({ starter }) => starter !== undefined),
)!.record as unknown as File;

describe("the deals of a match", () => {
  it("hold together", async () => {
    expect((await verified(match)).map(({ verdict }) => verdict)).toEqual(match.deals.map(() => "holds"));
    expect((await verified(match))[1]!.checks).toContainEqual({ name: "chain", outcome: "holds", detail: "" });
  });

  it("fail where one is left out, comes twice, or is of another match", async () => {
    const [first, second, ...rest] = match.deals;
    expect((await failed({ ...match, deals: [first, ...rest] }))[1]).toBe("chain");
    expect((await failed({ ...match, deals: [first, first] }))[1]).toBe("chain");
    const other = matches.map(({ record }) => record as unknown as File).find((one) => one !== match)!;
    expect((await failed({ ...match, deals: [first, other.deals[1] ?? other.deals[0]] }))[1]).not.toBe("");
    expect(await failed({ ...match, deals: [second] })).toEqual([""]);
    const [late] = await verified({ ...match, deals: [second] });
    expect(named(late!.checks, "earlier_deals")).toMatchObject({ outcome: "cannot_check" });
  });

  it("go on after one that has no values, which is shown nothing of", async () => {
    const [first, second, third] = match.deals;
    const bare = { starter: second!.starter, deck: [], actions: [] };
    const found = await verified({ ...match, deals: [first, bare, third] });
    expect(found.map(({ verdict }) => verdict)).toEqual(["holds", "cannot_check", "holds"]);
  });

  it("fail by other options, another starter, or another deck beside the values", async () => {
    const [first] = match.deals;
    expect((await failed({ ...match, options: { ...match.options, turn_seconds: 77 } }))[0]).toBe("rules");
    const two = { ...match, deals: match.deals.slice(0, 2) };
    const seat = match.deals[1]!.starter as number;
    expect((await failed({ ...two, deals: [first, { ...match.deals[1], starter: (seat + 1) % 2 }] }))[1]).toBe(
      "starter",
    );
    expect(await failed({ ...match, deals: [{ ...first, deck: [] }] })).toEqual(["deck"]);
    expect(await failed({ ...match, deals: [{ ...first, reshuffles: [["AS"]] }] })).toEqual(["reshuffles"]);
    expect(await failed({ ...match, deals: [{ ...first, position: {} }] })).toEqual(["fair"]);
    expect(await failed({ ...match, deals: [{ ...first, fair: "x" }] })).toEqual(["fair"]);
  });

  it("fail where another match was asked for", async () => {
    const [first] = match.deals;
    const id = (first!.fair as { match: string }).match;
    const file = { ...match, deals: [first] };
    expect(await failed(file, { match: id })).toEqual([""]);
    expect(await failed(file, { match: "0".repeat(32) })).toEqual(["asked"]);
  });
});

describe("what this browser kept", async () => {
  const plan = {
    options: { preset: "banakil202" },
    matchNo: 1,
    dealNo: 2,
    kinds: [HUMAN, BOT, HUMAN, HUMAN],
    voids: [],
    host: NO_HOST,
    cut: 0,
    beacon: new Uint8Array(),
    witnessOf: 2,
    signed: true,
  } as const;
  const { fair, options, starter, deck } = await made(by, new Chance("kept"), plan);
  const { witness, ...bare } = fair as typeof fair & { witness: Record<string, unknown> };
  const deals = [{ starter, fair: bare, actions: [`${starter} discard ${deck[0]}`] }];
  const file = { format: "banakil-record", version: 1, options, deals };
  const { key } = (fair as unknown as { signatures: { key: string } }).signatures;
  const withKept = async (changed: object, more: object = {}) => {
    const seen: KeptDeal = {
      account: "somebody",
      series: fair.series,
      match_no: fair.match_no,
      match: fair.match,
      deal_no: fair.deal_no,
      rules: fair.rules,
      seats: 4,
      attempt: 0,
      witness: { ...witness, ...changed } as unknown as Witness,
      commitment: fair.commitment,
      key,
      signatures: {},
      cut: 0,
      began_ms: 1,
      earlier: [],
    };
    const kept = asJson({ ...seen, ...more });
    const [report] = await verified(file, { kept: (id, no) => (id === fair.match && no === 2 ? kept : undefined) });
    return report!.checks;
  };

  it("is added to the checks, and makes the signing key a known one", async () => {
    const [without] = await verified(file);
    expect(without!.checks.some(({ name }) => name.startsWith("witness"))).toBe(false);
    expect(named(without!.checks, "signature.closed")).toMatchObject({ outcome: "cannot_check" });
    const checks = await withKept({});
    const open = checks.filter(({ outcome }) => outcome !== "holds").map(({ name }) => name);
    expect(open).toEqual(["earlier_deals", "root"]);
    expect(checks.filter(({ name }) => name.startsWith("witness.")).map(({ name }) => name)).toEqual([
      "witness.contribution",
      "witness.closed",
      "witness.receipt-h",
      "witness.receipt-c",
      "witness.transcript",
      "witness.hand",
    ]);
  });

  it("speaks against a deal that is another one", async () => {
    const failing = async (changed: object) => firstFailed(await withKept(changed))?.name;
    expect(await failing({ c: "00".repeat(32) })).toBe("witness.contribution");
    expect(await failing({ closed: "00" })).toBe("witness.closed");
    expect(await failing({ transcript: "00".repeat(64) })).toBe("witness.transcript");
    expect(await failing({ hand: ["AS"] })).toBe("witness.hand");
    expect(firstFailed(await withKept({}, { fault: { check: "closed" } }))?.name).toBe("witness.seen");
    expect(firstFailed(await withKept({}, { attempt: 1 }))?.name).toBe("witness.attempt");
    expect(firstFailed(await withKept({}, { key: "11".repeat(32) }))?.name).toBe("signature.closed");
  });

  it("is left aside where it cannot be read", async () => {
    const checks = await withKept({ hand: "all of them" });
    expect(firstFailed(checks)).toBeUndefined();
    expect(named(checks, "witness")).toMatchObject({ outcome: "cannot_check" });
  });
});

it.each([
  [[], "the file"],
  [{}, "the file"],
  [{ format: "other", version: 1, options: {}, deals: [] }, "format"],
  [{ format: "banakil-record", version: 2, options: {}, deals: [] }, "version"],
  [{ format: "banakil-record", version: 1, options: { preset: "poker" }, deals: [] }, "options.preset"],
  [{ format: "banakil-record", version: 1, options: { preset: "sahrat", target: true }, deals: [] }, "options.target"],
  [{ format: "banakil-record", version: 1, options: { preset: "sahrat", luck: 1 }, deals: [] }, "options"],
  [{ format: "banakil-record", version: 1, options: { preset: "sahrat", stake: 7 }, deals: [] }, "options.stake"],
  [{ format: "banakil-record", version: 1, options: { preset: "sahrat" }, deals: {} }, "deals"],
  [{ format: "banakil-record", version: 1, options: { preset: "sahrat" }, deals: [{}] }, "deals[0]"],
  [{ format: "banakil-record", version: 1, options: { preset: "sahrat" }, deals: [], players: ["a"] }, "players"],
])("a file that is no record is refused by the field's name: %j", (file, what) => {
  let found: unknown;
  try {
    readRecord(asJson(file));
  } catch (error) {
    found = error;
  }
  expect(found).toBeInstanceOf(FairError);
  expect((found as FairError).what).toBe(what);
});
