import { describe, expect, it } from "vitest";
import { verifyWords } from "../../i18n/verify";
import { primitives } from "../../verify/primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord } from "../../verify/record";
import { asJson, matches } from "../../verify/testing/python";
import { playLines } from "./plays";
import { countsOf, isAlone, rowsOf } from "./rows";

const by = await primitives();
const t = verifyWords("en", "latin");

interface File {
  readonly options: { readonly preset: string };
  readonly deals: readonly { readonly fair: Readonly<Record<string, unknown>>; readonly actions: readonly string[] }[];
}
const reportsOf = (file: object) => verifyRecord(by, readRecord(asJson(file)), NOTHING_KNOWN);

describe("a deal's rows", () => {
  it("answer each question once, and count as the deal is judged", async () => {
    for (const { record } of matches.slice(0, 40)) {
      for (const report of await reportsOf(record)) {
        const rows = rowsOf(report, 1, t);
        expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
        const counts = countsOf(rows);
        expect(counts.fails).toBe(0);
        expect(counts.holds).toBeGreaterThanOrEqual(8);
        expect(counts.holds + counts.open).toBe(rows.length);
        for (const { outcome, note, text } of rows) {
          expect(text).not.toBe("");
          expect(note === "", text).toBe(outcome === "holds");
        }
        // What a check could not tell, no row calls good.
        const open = report.checks.filter(({ outcome }) => outcome === "cannot_check");
        for (const { name } of open) expect(rowOf(rows, name)?.outcome, name).toBe("cannot_check");
      }
    }
  });

  it("say by name and in words what fails", async () => {
    const file = matches[0]!.record as unknown as File;
    const [deal] = file.deals;
    const spoilt = (changed: object) => ({ ...file, deals: [{ ...deal, fair: { ...deal!.fair, ...changed } }] });
    const cases = [
      [{ secret: "00".repeat(128) }, "commitment", "The secret shown now is another one than was promised"],
      [{ transcript: "00".repeat(64) }, "transcript", "The transcript is not that of the list and the numbers"],
      [{ series: "xx" }, "fair", "The values cannot be read as they stand"],
    ] as const;
    for (const [changed, key, note] of cases) {
      const [report] = await reportsOf(spoilt(changed));
      const rows = rowsOf(report!, null, t);
      expect(rows.find((row) => row.outcome === "fails")).toMatchObject({ key, note, value: "" });
      expect(report!.verdict).toBe("fails");
    }
  });

  it("know a deal that no person had a part in", async () => {
    const all = (await Promise.all(matches.slice(0, 40).map(({ record }) => reportsOf(record)))).flat();
    const alone = all.filter(({ deal }) => isAlone(deal!));
    expect(alone.length).toBeGreaterThan(0);
    expect(alone.length).toBeLessThan(all.length);
    for (const { deal } of alone) expect(deal!.played.closed.seats.some(({ kind }) => kind === 1)).toBe(false);
  });
});

describe("a deal's lines", () => {
  it("go from the hands dealt to what is left, and stop where it does not fit", async () => {
    const file = matches.find(({ record }) => record.deals.length === 1)!.record as unknown as File;
    const [report] = await reportsOf(file);
    const names = (seat: number) => `p${seat}`;
    const lines = playLines(report!, names, t);
    const seats = report!.played!.hands.length;
    expect(lines.slice(0, seats).map(({ cards }) => cards.length)).toEqual([19, ...Array<number>(seats - 1).fill(18)]);
    expect(lines.find(({ text }) => text === "draws")!.place).toMatch(/^card \S+$/);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    const [deal] = file.deals;
    const broken = { ...deal, actions: [deal!.actions[0]!, "0 discard", ...deal!.actions.slice(1)] };
    const [stopped] = await reportsOf({ ...file, deals: [broken] });
    expect(playLines(stopped!, names, t).at(-1)).toMatchObject({ wrong: true, name: "" });
  });
});

function rowOf(rows: ReturnType<typeof rowsOf>, name: string) {
  const key = /failed_sent$/.test(name)
    ? "sent"
    : /root$/.test(name)
      ? "root"
      : /signature\./.test(name)
        ? "signatures"
        : /^earlier/.test(name)
          ? "earlier"
          : /^void/.test(name)
            ? "voids"
            : name;
  return rows.find((row) => row.key === key);
}
