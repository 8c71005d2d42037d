/** The matches of a series in one file (docs/record.md), and that they belong together: numbers, ids, seats after swaps. */

import { byFault, type Check } from "./checks";
import { FairError, same, type Bytes } from "./bytes";
import { contextOf, type FairDeal } from "./deal";
import { asList, asObject, asWhole } from "./fields";
import type { Json, JsonObject } from "./json";
import type { TableOptions } from "./rulesId";

const MOST_MATCHES = 3;

export interface SeriesMatch {
  /** The teams whose partners have swapped seats before it (R8.3). */
  readonly swapped: readonly number[];
  readonly deals: readonly JsonObject[];
}

/** Reads `matches`. Throws `FairError`, naming the field. */
export function readMatches(
  fields: JsonObject,
  options: TableOptions,
  readDeals: (deals: Json | undefined, name: string) => readonly JsonObject[],
): readonly SeriesMatch[] {
  if (asObject(fields.get("options"), "options", [], null).get("format") !== "best_of_3")
    throw new FairError("matches", "are those of a series: format best_of_3");
  for (const name of ["deals", "totals", "tiebreak"]) {
    if (fields.has(name)) throw new FairError(name, "is there beside matches");
  }
  return asList(fields.get("matches"), "matches", MOST_MATCHES).map((value, at) => {
    const match = asObject(value, `matches[${at}]`, ["deals"], null);
    const swapped = asList(match.get("swapped") ?? [], "swapped", 2).map((team) => asWhole(team, "swapped", 0, 1));
    if (new Set(swapped).size !== swapped.length) throw new FairError("swapped", "has a team twice");
    if (swapped.length && (at !== 1 || options.seats !== 4)) {
      throw new FairError("swapped", "is of a series' second match, with four seats");
    }
    return { swapped, deals: readDeals(match.get("deals"), `matches[${at}].deals`) };
  });
}

/** What is known of the series while its deals are looked at one after the other. */
export class SeriesChain {
  /** For each seat the place in the first match of who has it. */
  private seating: number[];
  private matchNo = 0;
  private readonly places = new Map<string, number>();
  private readonly ids: Bytes[] = [];
  private first: FairDeal | null = null;

  constructor(seats: number) {
    this.seating = Array.from({ length: seats }, (_, seat) => seat);
  }

  /** The next match begins. */
  begin(match: SeriesMatch): void {
    this.matchNo++;
    for (const team of match.swapped) {
      [this.seating[team], this.seating[team + 2]] = [this.seating[team + 2]!, this.seating[team]!];
    }
  }

  /** Whether a deal belongs to the match that was begun last. */
  check(deal: FairDeal): Check {
    const fault = this.fault(deal);
    this.first ??= deal;
    this.ids[this.matchNo] ??= contextOf(deal).match;
    for (const [seat, { account }] of deal.played.closed.seats.entries()) {
      if (account && !fault) this.places.set(account, this.seating[seat]!);
    }
    return byFault("series", fault);
  }

  private fault(deal: FairDeal): string | null {
    const ctx = contextOf(deal);
    if (ctx.matchNo !== this.matchNo) return `match ${ctx.matchNo} in the place of match ${this.matchNo}`;
    const first = this.first && contextOf(this.first);
    if (first && !same(first.series, ctx.series)) return "another series than in the matches before";
    if (first && (first.rules !== ctx.rules || first.seats !== ctx.seats))
      return "other rules than in the matches before";
    if (this.ids.some((id, match) => match !== this.matchNo && id && same(id, ctx.match)))
      return "the id of an earlier match";
    const taken = new Map([...this.places].map(([account, place]) => [place, account]));
    for (const [seat, { account }] of deal.played.closed.seats.entries()) {
      const place = this.seating[seat]!;
      if (account && ((this.places.get(account) ?? place) !== place || (taken.get(place) ?? account) !== account)) {
        return `seat ${seat} belongs to another account than who sits there by the matches before`;
      }
    }
    return null;
  }
}
