import { describe, expect, it } from "vitest";
import { FairError } from "./bytes";
import { firstFailed } from "./checks";
import { primitives } from "./primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord } from "./record";
import { asJson, series, type SeriesDeal, type SeriesFile } from "./testing/python";

const by = await primitives();
const verified = (file: object) => verifyRecord(by, readRecord(asJson(file)), NOTHING_KNOWN);
const failed = async (file: object) => {
  const found = (await verified(file)).map(({ match, checks }) => [match, firstFailed(checks)?.name] as const);
  return found.find(([, name]) => name !== undefined);
};
const swappedBoth = series.find(({ matches }) => matches[1]!.swapped?.length === 2)!;

function withSwaps(file: SeriesFile, swapped: readonly number[]): object {
  return { ...file, matches: file.matches.map((match, at) => (at === 1 ? { ...match, swapped } : match)) };
}

/** A match's first deal is begun, and played, by the seat that is so many seats further. */
function startedBy(file: SeriesFile, match: number, by: number): object {
  const moved = (deal: SeriesDeal) => ({ ...deal, starter: (deal.starter + by) % 4 });
  return {
    ...file,
    matches: file.matches.map((one, at) =>
      at === match ? { ...one, deals: one.deals.map((deal, no) => (no === 0 ? moved(deal) : deal)) } : one,
    ),
  };
}

describe("the record of a series", () => {
  it.each(series)("holds, with every deal in its match (%#)", async (file) => {
    const reports = await verified(file);
    expect(reports.map(({ verdict }) => verdict)).toEqual(reports.map(() => "holds"));
    const numbers = file.matches.flatMap(({ deals }, at) => deals.map(() => at + 1));
    expect(reports.map(({ match }) => match)).toEqual(numbers);
    expect(reports.map(({ no }) => no)).toEqual(numbers.map((_, at) => at + 1));
    for (const { checks } of reports) {
      expect(checks).toContainEqual({ name: "series", outcome: "holds", detail: "" });
      expect(checks.map(({ name }) => name)).not.toContain("earlier_matches");
    }
  });

  it("fails where seats were swapped otherwise, or a match comes twice or out of order", async () => {
    for (const swapped of [[], [0], [1]]) expect(await failed(withSwaps(swappedBoth, swapped))).toEqual([2, "series"]);
    const [first, second] = swappedBoth.matches;
    expect(await failed({ ...swappedBoth, matches: [first, first] })).toEqual([2, "series"]);
    expect(await failed({ ...swappedBoth, matches: [{ deals: second!.deals }, first] })).toEqual([1, "series"]);
  });

  it("fails where a later match is started by another seat than the winners' lowest", async () => {
    for (const file of series) {
      for (const at of [1, 2]) {
        for (const by of [1, 2, 3]) expect(await failed(startedBy(file, at, by))).toEqual([at + 1, "starter"]);
      }
    }
  });

  it("does not say who starts after a match that is not decided", async () => {
    const [first, ...later] = swappedBoth.matches;
    const cut = { ...first!, deals: first!.deals.slice(0, -1) };
    const reports = await verified({ ...swappedBoth, matches: [cut, ...later] });
    const starters = reports.map(({ match, checks }) => [match, checks.some(({ name }) => name === "starter")]);
    expect(starters).toContainEqual([2, false]);
  });

  it("is refused where it is none", () => {
    const refused = (change: object) => () => readRecord(asJson({ ...swappedBoth, ...change }));
    const deals = swappedBoth.matches[0]!.deals;
    for (const change of [
      { options: { preset: "banakil202" } },
      { deals },
      { totals: [0, 0] },
      { matches: Array(4).fill({ deals: [] }) },
      { matches: [{ swapped: [0], deals }] },
      { matches: [{ deals }, { swapped: [2], deals }] },
      { matches: [{ deals }, { swapped: [0, 0], deals }] },
      { matches: [{}] },
      { matches: [{ deals: Array(101).fill({ actions: [] }) }, { deals: Array(100).fill({ actions: [] }) }] },
    ]) {
      expect(refused(change)).toThrow(FairError);
    }
  });
});
