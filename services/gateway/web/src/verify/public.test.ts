/** What the API tells anybody of a match's shuffles: audit exports, proofs by day, and the keys that sign. */

import { describe, expect, it } from "vitest";
import { builtFile } from "../core/testing/built";
import { readAudit, isAudit, verifyAudit } from "./audit";
import { FairError } from "./bytes";
import { firstFailed, type Check } from "./checks";
import { primitives } from "./primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord, type Known } from "./record";
import { asJson } from "./testing/python";
import { readKeys, readProofs, wireBytes } from "./wire";

type Value = null | boolean | number | string | Value[] | { [name: string]: Value };
type Path = readonly (string | number)[];
interface Case {
  readonly record: { readonly deals: readonly { readonly fair: { readonly match: string } }[] };
  readonly audit: { [name: string]: Value };
  readonly proofs: Value;
  readonly keys: Value;
}

const by = await primitives();
const cases = builtFile<readonly Case[]>("fair_public.json");
const knownOf = ({ keys, proofs }: Case): Known => ({
  ...NOTHING_KNOWN,
  keys: readKeys(asJson(keys)),
  days: readProofs(asJson(proofs)).days,
});
const outcomes = (checks: readonly Check[], wanted: string) =>
  checks.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);

describe("with what is published", () => {
  it("signatures and roots of a record hold, and only what no file can show stays open", async () => {
    for (const one of cases) {
      for (const { checks, verdict } of await verifyRecord(by, readRecord(asJson(one.record)), knownOf(one))) {
        expect(verdict).toBe("holds");
        expect(outcomes(checks, "cannot_check").filter((name) => !name.endsWith("failed_sent"))).toEqual([]);
        expect(outcomes(checks, "holds")).toEqual(
          expect.arrayContaining(["root", "signature.root", "signature.closed"]),
        );
      }
    }
  });

  it("a record signed by another key, or revealed elsewhere in the day, fails", async () => {
    const [one, other] = cases as [Case, Case];
    const keys = new Map([["00".repeat(32), new Uint8Array(32)]]);
    const [report] = await verifyRecord(by, readRecord(asJson(one.record)), { ...knownOf(one), keys });
    expect(firstFailed(report!.checks)!.name).toMatch(/signature\./);
    const days = knownOf(one).days.map((day) => ({
      ...day,
      leaves: day.leaves.map((leaf) => ({ ...leaf, index: leaf.index + 1 })),
    }));
    const [moved] = await verifyRecord(by, readRecord(asJson(one.record)), { ...knownOf(one), days });
    expect(firstFailed(moved!.checks)!.name).toMatch(/root$/);
    const [elsewhere] = await verifyRecord(by, readRecord(asJson(one.record)), knownOf(other));
    expect(outcomes(elsewhere!.checks, "cannot_check")).toContain("root");
  });
});

describe("an audit export", () => {
  const reportsOf = async (audit: Value, known: Known = NOTHING_KNOWN) =>
    verifyAudit(by, readAudit(asJson(audit)), known);

  it("holds as far as it goes: rules and play are not in it", async () => {
    for (const one of cases) {
      expect(isAudit(asJson(one.audit))).toBe(true);
      expect(isAudit(asJson(one.record))).toBe(false);
      const reports = await reportsOf(one.audit, knownOf(one));
      expect(reports.length).toBe(one.record.deals.length);
      for (const { checks, verdict } of reports) {
        expect(firstFailed(checks)).toBeUndefined();
        expect(verdict).toBe("cannot_check");
        const play = ["rules", "cut_due", "starter", "deck", "draws", "reshuffles"];
        const open = outcomes(checks, "cannot_check").filter((name) => !name.endsWith("failed_sent"));
        expect(open).toEqual(play);
      }
      const last = reports.at(-1)!.checks;
      const ofMatch = ["order", "withheld", "account_voids", "match_end", "signature.match-end"];
      expect(outcomes(last, "holds")).toEqual(expect.arrayContaining(ofMatch));
    }
  });

  it("fails, or cannot be read, where any value of it is another one", async () => {
    const one = cases[1]!;
    const known = knownOf(one);
    for (const { path, value } of leaves(one.audit)) {
      const field = path.join(".");
      // What others made void in other matches, no file can show.
      if (field.startsWith("accountVoids") && field.endsWith("Count")) continue;
      const other = typeof value === "string" ? altered(value) : Number(value) + 1;
      let said: string;
      try {
        const reports = await reportsOf(withValue(one.audit, path, other), known);
        const open = reports.some(({ checks }) =>
          checks.some(({ name, outcome }) => name === "fair" && outcome !== "holds"),
        );
        said = reports.map(({ checks }) => firstFailed(checks)?.name).find(Boolean) ?? (open ? "open" : "nothing");
      } catch (error) {
        if (!(error instanceof FairError)) throw error;
        said = "unreadable";
      }
      expect(said, `${field}: ${String(value).slice(0, 20)} → ${String(other).slice(0, 20)}`).not.toBe("nothing");
    }
  });

  it("that leaves an attempt or a secret out does not hold", async () => {
    const one = cases[1]!;
    const deals = one.audit.deals as { [name: string]: Value }[];
    const failing = async (audit: Value) =>
      (await reportsOf(audit)).map(({ checks }) => firstFailed(checks)?.name).find(Boolean);
    expect(await failing({ ...one.audit, deals: deals.slice(1) })).toBeDefined();
    expect(await failing({ ...one.audit, deals: deals.slice(0, -1) })).toBe("match_end");
    const { secret, ...hidden } = deals.at(-1)!;
    expect(secret).toBeDefined();
    const kept = await reportsOf({ ...one.audit, deals: [...deals.slice(0, -1), hidden], withheldCount: 1 });
    expect(outcomes(kept.at(-1)!.checks, "cannot_check")).toEqual(expect.arrayContaining(["fair", "withheld"]));
    expect(kept.at(-1)!.verdict).toBe("cannot_check");
  });
});

it.each(["A", "AA", "AAA", "AB==", "A A=", "AA==="])("bytes are base64 as it is written: not %j", (text) => {
  expect(() => wireBytes(text, "x")).toThrow(FairError);
});

function leaves(value: Value, path: Path = []): { path: Path; value: number | string }[] {
  if (typeof value === "number" || typeof value === "string") return [{ path, value }];
  if (value === null || typeof value === "boolean") return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

function withValue(value: Value, path: Path, leaf: Value): Value {
  const [name, ...rest] = path;
  if (name === undefined) return leaf;
  const copy = structuredClone(value) as Record<string | number, Value>;
  copy[name] = withValue(copy[name]!, rest, leaf);
  return copy as Value;
}

/** The first digit of it is another one. */
function altered(text: string): string {
  return (text.startsWith("B") ? "C" : "B") + text.slice(1);
}
