/** A game record (docs/record.md) as far as its deals can be checked, and the checks of all of them. */

import { FairError, hex } from "./bytes";
import { cannotCheck, fails, type Check } from "./checks";
import { contextOf, type Context, type FairDeal } from "./deal";
import type { DayProof } from "./days";
import { readFair } from "./fairJson";
import { asCards, asList, asObject, asText, asWhole } from "./fields";
import { follow } from "./follow";
import type { Json, JsonObject } from "./json";
import { readKept } from "./kept";
import type { Primitives } from "./primitives";
import { readOptions, type TableOptions } from "./rulesId";
import { MatchScore } from "./scoring";
import { readMatches, SeriesChain, type SeriesMatch } from "./series";
import type { KeyRing } from "./signatures";
import { verdictOf, verifyDeal, type VerifiedDeal } from "./verifyDeal";

const MOST_DEALS = 200;
const MOST_ACTIONS = 50_000;
const MOST_RESHUFFLES = 400;
const MOST_CARDS = 106;

export interface RecordFile {
  readonly options: TableOptions;
  /** One name per seat, empty where the file has none. */
  readonly players: readonly string[];
  /** Of all matches. */
  readonly deals: readonly JsonObject[];
  /** The matches, where it is the record of a series. */
  readonly series: readonly SeriesMatch[] | null;
}

/** One deal of a file, with what came of it. */
export interface DealReport extends VerifiedDeal {
  /** From 1, in the file. */
  readonly no: number;
  /** Its match, from 1, in the record of a series. */
  readonly match?: number;
  /** `null` where the deal has no values of the shuffle, or they cannot be read. */
  readonly deal: FairDeal | null;
  readonly verdict: Check["outcome"];
}

/** What is known besides the file. */
export interface Known {
  /** The shuffle service's published keys; `null` where they are not at hand. */
  readonly keys: KeyRing | null;
  readonly days: readonly DayProof[];
  /** What this browser kept of a deal, by the match in hex; `undefined` where it kept nothing. */
  readonly kept: (match: string, dealNo: number) => Json | undefined;
  /** The match that was asked for, in hex; `null` where it was a file. */
  readonly match: string | null;
}

export const NOTHING_KNOWN: Known = { keys: null, days: [], kept: () => undefined, match: null };

export const NOTHING: VerifiedDeal = { checks: [], deck: [], starter: null, played: null, cut: null };

/** Reads a record. Throws `FairError`, naming the field. */
export function readRecord(file: Json): RecordFile {
  const fields = asObject(file, "the file", ["format", "version", "options"], null);
  if (fields.get("format") !== "banakil-record") throw new FairError("format", "is not banakil-record");
  asWhole(fields.get("version"), "version", 1, 1);
  const options = readOptions(fields.get("options"));
  const series = fields.has("matches") ? readMatches(fields, options, readDeals) : null;
  const deals = series ? series.flatMap((match) => match.deals) : readDeals(fields.get("deals"), "deals");
  if (deals.length > MOST_DEALS) throw new FairError("matches", `have more than ${MOST_DEALS} deals`);
  const actions = deals.reduce(
    (sum, deal, at) => sum + asList(deal.get("actions"), `deals[${at}].actions`, MOST_ACTIONS).length,
    0,
  );
  if (actions > MOST_ACTIONS) throw new FairError("deals", `have more than ${MOST_ACTIONS} actions`);
  const players = fields.has("players")
    ? asList(fields.get("players"), "players", options.seats).map((name) => asText(name, "players"))
    : [];
  if (players.length && players.length !== options.seats) throw new FairError("players", "are not one name per seat");
  return { options, players, deals, series };
}

function readDeals(deals: Json | undefined, name: string): readonly JsonObject[] {
  return asList(deals, name, MOST_DEALS).map((value, at) => asObject(value, `${name}[${at}]`, ["actions"], null));
}

/** Checks a record's deals one after the other; `told` hears of each, so that a page can show how far it is. */
export async function verifyRecord(
  by: Primitives,
  record: RecordFile,
  known: Known = NOTHING_KNOWN,
  told: (report: DealReport) => void | Promise<void> = () => undefined,
): Promise<DealReport[]> {
  const reports: DealReport[] = [];
  const chain = record.series ? new SeriesChain(record.options.seats) : null;
  let winner: number | null = null;
  for (const [match, part] of (record.series ?? [{ swapped: [], deals: record.deals }]).entries()) {
    chain?.begin(part);
    const run: Run = new Run(by, { ...record, deals: part.deals }, known, chain, winner);
    for (const [at, fields] of part.deals.entries()) {
      const found = await run.report(at, fields);
      const report = chain ? { ...found, no: reports.length + 1, match: match + 1 } : found;
      reports.push(report);
      await told(report);
    }
    winner = run.winner;
  }
  return reports;
}

class Run {
  private readonly before: FairDeal[] = [];
  private apart = 1;
  private lastStarter: number | null = null;
  /** `null` once a deal's end is not to be known. */
  private score: MatchScore | null;

  constructor(
    private readonly by: Primitives,
    private readonly record: RecordFile,
    private readonly known: Known,
    private readonly chain: SeriesChain | null,
    /** The team that won the match before, where the file shows it. */
    private readonly lastWinner: number | null,
  ) {
    this.score = new MatchScore(record.options);
  }

  /** The team that has won the match, if the file shows all its deals. */
  get winner(): number | null {
    return this.score?.winner ?? null;
  }

  /** A deal whose values cannot be read is a deal that fails. */
  async report(at: number, fields: JsonObject): Promise<DealReport> {
    const { starter, found, deal } = await this.verified(at, fields);
    this.apart = deal ? 1 : this.apart + 1;
    if (deal) this.before.push(deal);
    this.lastStarter = found.starter ?? starter ?? this.follower();
    const teams = found.played?.fault ? null : (found.played?.teams ?? null);
    if (teams) this.score?.add(teams);
    else this.score = null;
    return { ...found, no: at + 1, deal, verdict: verdictOf(found.checks) };
  }

  private async verified(at: number, fields: JsonObject) {
    let starter: number | null = null;
    let deal: FairDeal | null = null;
    try {
      if (fields.has("starter")) starter = asWhole(fields.get("starter"), "starter", 0, this.record.options.seats - 1);
      if (!fields.has("fair")) {
        const found = { ...NOTHING, checks: [cannotCheck("fair", "the deal has no values of a shuffle")] };
        return { starter, found, deal };
      }
      if (fields.has("position")) throw new FairError("position", "is there beside the values of a shuffle");
      deal = readFair(fields.get("fair"));
      return { starter, found: await this.checked(deal, starter, at, fields), deal };
    } catch (error) {
      if (!(error instanceof FairError)) throw error;
      return { starter, found: { ...NOTHING, checks: [fails("fair", error.message)] }, deal };
    }
  }

  private async checked(deal: FairDeal, starter: number | null, at: number, fields: JsonObject): Promise<VerifiedDeal> {
    const { options, deals } = this.record;
    const ctx = contextOf(deal);
    const kept = this.known.kept(hex(ctx.match), ctx.dealNo);
    const own = kept === undefined ? null : readKept(kept, ctx);
    const cards = (name: string, value: Json | undefined) => asCards(value, name, MOST_CARDS);
    const listed = {
      deck: fields.has("deck") ? cards("deck", fields.get("deck")) : null,
      reshuffles: fields.has("reshuffles")
        ? asList(fields.get("reshuffles"), "reshuffles", MOST_RESHUFFLES).map((stock) => cards("reshuffles", stock))
        : null,
    };
    const actions = asList(fields.get("actions"), "actions", MOST_ACTIONS);
    const isLast = at === deals.length - 1;
    const found = await verifyDeal(this.by, deal, {
      options,
      before: this.before,
      apart: this.apart,
      starter,
      followsOn: this.follower(),
      listed,
      follow: (from, deck, draws) =>
        follow(options, { starter: from, deck, actions, isLast, newStock: (pile, n) => draws.reshuffled(pile, n) }),
      keys: knownKeys(own?.keys ?? null, this.known.keys),
      witnesses: own?.witnesses ?? [],
      days: this.known.days,
    });
    const ofSeries = this.chain ? [this.chain.check(deal)] : [];
    // The matches before this one are in the file.
    const checks = found.checks.filter(({ name }) => !this.chain || name !== "earlier_matches");
    return { ...found, checks: [...checks, ...ofSeries, ...(own?.checks ?? []), ...this.askedChecks(ctx)] };
  }

  private askedChecks(ctx: Context): Check[] {
    const asked = this.known.match;
    return asked === null || asked === hex(ctx.match) ? [] : [fails("asked", "it is a deal of another match")];
  }

  /** Who starts after the deal before, or after the match before: the winners' lowest seat (R3.2). */
  private follower(): number | null {
    if (this.lastStarter === null) return this.lastWinner;
    return (this.lastStarter + 1) % this.record.options.seats;
  }
}

/** The keys that this browser saw sign, and those that are published. */
export function knownKeys(own: KeyRing | null, published: KeyRing | null): KeyRing | null {
  return own && published ? new Map([...published, ...own]) : (own ?? published);
}
