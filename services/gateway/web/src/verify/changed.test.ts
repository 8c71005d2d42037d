/** One changed byte anywhere in a deal's values fails, and the check that it breaks says so. */

import { describe, expect, it, vi } from "vitest";
import { firstFailed, type Check } from "./checks";
import { BOT, HUMAN } from "./deal";
import { primitives } from "./primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord } from "./record";
import { Chance, made, type Plan } from "./testing/making";
import { asJson } from "./testing/python";

vi.setConfig({ testTimeout: 120_000 });
const by = await primitives();

type Value = null | number | string | Value[] | { [name: string]: Value };
type Path = readonly (string | number)[];

const PLAN: Plan = {
  options: { preset: "banakil202" },
  matchNo: 1,
  dealNo: 1,
  kinds: [HUMAN, BOT, HUMAN, HUMAN],
  voids: [[3]],
  host: 0,
  cut: 41,
  beacon: Uint8Array.of(1, 2, 3),
  witnessOf: 2,
  signed: true,
};
const { fair, options, starter, deck } = await made(by, new Chance("changed"), PLAN);
const first = deck[0]!;
const base = {
  format: "banakil-record",
  version: 1,
  options,
  deals: [{ starter, fair: fair as Value, actions: [`${starter} discard ${first}`] }],
};

async function checksOf(value: Value): Promise<readonly Check[]> {
  const file = { ...base, deals: [{ ...base.deals[0], fair: value }] };
  const [report] = await verifyRecord(by, readRecord(asJson(file)), NOTHING_KNOWN);
  return report!.checks;
}

/** Which check a change of a field is to break first; `fair`: it cannot be read any more. */
const BREAKS: readonly (readonly [field: RegExp, check: RegExp])[] = [
  [/^(series|match_no|match|deal_no|attempt|secret|commitment)$/, /^(fair|commitment)$/],
  [/^rules$/, /^(fair|commitment)$/],
  [/^(host|cut_kind|cut)$/, /^(fair|closed_set|transcript)$/],
  [/^beacon$/, /^(fair|transcript)$/],
  [/^seats\.\d\.kind$/, /^(fair|client_commitments|closed_set)$/],
  [/^seats\.\d\.account$/, /^(closed_set|transcript)$/],
  [/^seats\.\d\.[hc]$/, /^(fair|client_commitments|closed_set)$/],
  [/^transcript$/, /^(fair|transcript)$/],
  [/^signatures\.key$/, /^signature\./],
  [/^signatures\.(commit|closed|reveal|transcript)$/, /^(fair|signature\.)/],
  [/^void\.0\.attempt$/, /^(fair|void_attempts)$/],
  [/^void\.0\.(secret|commitment)$/, /^(fair|void\[0\]\.commitment)$/],
  [/^void\.0\.(host|cut_kind|cut|beacon)$/, /^(fair|void_attempts|void\[0\]\.(closed_set|signature\.closed))$/],
  [/^void\.0\.seats\.\d\.kind$/, /^(fair|void_attempts|void\[0\]\.(client_commitments|closed_set))$/],
  [/^void\.0\.seats\.\d\.account$/, /^(void_attempts|void\[0\]\.closed_set)$/],
  [/^void\.0\.seats\.3\.h$/, /^(fair|void\[0\]\.signature\.closed)$/],
  [/^void\.0\.seats\.\d\.[hc]$/, /^(fair|void\[0\]\.(client_commitments|closed_set|failed))$/],
  [/^void\.0\.failed\.0$/, /^(fair|void_attempts|void\[0\]\.(client_commitments|failed))$/],
  [/^void\.0\.signatures\./, /^(fair|void\[0\]\.signature\.)/],
  [/^witness\.seat$/, /^(fair|witness\.contribution)$/],
  [/^witness\.attempt$/, /^(fair|witness\.contribution)$/],
  [/^witness\.c$/, /^(fair|witness\.contribution)$/],
  [/^witness\.closed$/, /^(fair|witness\.closed)$/],
  [/^witness\.transcript$/, /^(fair|witness\.transcript)$/],
  [/^witness\.hand\./, /^(fair|witness\.hand)$/],
  [/^witness\.receipts\.h\./, /^(fair|witness\.receipt-h)$/],
  [/^witness\.receipts\.c\./, /^(fair|witness\.receipt-c)$/],
];

/** Every value that is none of other values, by its path. */
function leaves(value: Value, path: Path = []): { path: Path; value: number | string }[] {
  if (typeof value === "number" || typeof value === "string") return [{ path, value }];
  if (value === null) return [];
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

/** Other values of one: a byte changed, one more and one less; of none, one that is. */
function others(value: number | string, path: Path): (number | string)[] {
  if (typeof value === "number") return [value + 1, ...(value ? [value - 1] : [])];
  if (path.at(-2) === "hand") return [value === "JK" ? "AS" : "JK"];
  if (value === "") return path.at(-1) === "account" ? ["x"] : ["00", "0".repeat(path.at(-1) === "c" ? 64 : 128)];
  if (path.at(-1) === "account" || path.at(-1) === "rules") return [`${value}x`, value.slice(1)];
  // Of long ones every eighth byte, which is time enough.
  const step = value.length > 64 ? 16 : 2;
  const places = Array.from({ length: Math.ceil(value.length / step) }, (_, at) => step * at);
  return places.map((at) => value.slice(0, at) + (value[at] === "0" ? "1" : "0") + value.slice(at + 1));
}

/** A void attempt's c that was wrong before is wrong still: what a failed seat sent, only its own witness shows. */
const SHOWN_BY_NOBODY = "void.0.seats.3.c";

describe("UX 43: a deal's values", () => {
  it("hold as they are, and what this file cannot show is said", async () => {
    const checks = await checksOf(fair as Value);
    expect(firstFailed(checks)).toBeUndefined();
    const open = checks.filter(({ outcome }) => outcome === "cannot_check").map(({ name }) => name);
    const signed = open.filter((name) => /signature|receipt/.test(name));
    expect(open.filter((name) => !signed.includes(name))).toEqual(["void[0].failed_sent", "void[0].root", "root"]);
  });

  it("fail where one is changed, each by the check that it concerns; what could not be checked never holds", async () => {
    const was = new Map((await checksOf(fair as Value)).map(({ name, outcome }) => [name, outcome]));
    const all = leaves(fair as Value);
    const untold = all.filter(({ path }) => !BREAKS.some(([field]) => field.test(path.join("."))));
    expect(untold.map(({ path }) => path.join("."))).toEqual([]);
    let tried = 0;
    for (const { path, value } of all) {
      const field = path.join(".");
      if (field === SHOWN_BY_NOBODY) continue;
      for (const other of others(value, path)) {
        const checks = await checksOf(withValue(fair as Value, path, other));
        const said = `${field}: ${String(value).slice(0, 12)} → ${String(other).slice(0, 12)}`;
        const failed = firstFailed(checks);
        const broken = BREAKS.find(([one]) => one.test(field))![1];
        expect(failed?.name ?? "nothing", said).toMatch(broken);
        expect(checks.filter(({ name, outcome }) => outcome === "holds" && was.get(name) === "cannot_check")).toEqual(
          [],
        );
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(200);
  });

  it("fail where a field is missing, there twice over, or not known", async () => {
    const fields = Object.keys(fair).filter((name) => !["signatures", "void", "witness"].includes(name));
    for (const name of fields) {
      const { [name as keyof typeof fair]: gone, ...rest } = fair;
      expect(gone).toBeDefined();
      expect(firstFailed(await checksOf(rest as Value))?.name, name).toBe("fair");
    }
    expect(firstFailed(await checksOf({ ...(fair as object), more: 1 } as Value))?.name).toBe("fair");
    expect(firstFailed(await checksOf({ ...(fair as object), seats: [] } as Value))?.name).toBe("fair");
  });
});
