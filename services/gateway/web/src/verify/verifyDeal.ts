/** Every check of a revealed deal: each holds, fails, or cannot be made from this file (docs/fair.md, "The checks"). */

import type { Card } from "../core/cards";
import { same } from "./bytes";
import { chainFault } from "./chain";
import { attemptChecks, byFault, cannotCheck, fails, faultOf, firstFailed, holds, type Check } from "./checks";
import { NO_HOST, contextOf, type FairDeal, type Witness } from "./deal";
import { rootChecks, type DayProof } from "./days";
import { Draws, cutDue } from "./draws";
import type { Followed } from "./steps";
import type { Primitives } from "./primitives";
import { rulesId, type TableOptions } from "./rulesId";
import { SignatureJudge, type KeyRing } from "./signatures";
import { transcriptOf } from "./values";
import { voidChecks } from "./voids";
import { witnessChecks } from "./witness";

/** What a record by itself can answer; a proof needs each of these that is asked to hold. */
const OF_A_RECORD = [
  "fair",
  "commitment",
  "client_commitments",
  "closed_set",
  "transcript",
  "rules",
  "cut_due",
  "chain",
];
const PLAY_CHECKS = ["starter", "deck", "draws", "reshuffles"];
const NEEDED: ReadonlySet<string> = new Set([...OF_A_RECORD, ...PLAY_CHECKS]);
const NOT_PLAYED = "what was played is not in this file";

export interface Around {
  /** The table's options; `null` where the file has none. */
  readonly options: TableOptions | null;
  /** The file's earlier deals of the match, the last one `apart` deals ago. */
  readonly before: readonly FairDeal[];
  readonly apart: number;
  /** Who started, as the file says; `null` where it does not. */
  readonly starter: number | null;
  /** Who is to start after the deal before, where the file has that. */
  readonly followsOn: number | null;
  /** What the file itself lists of deck and new stocks. */
  readonly listed: Listed;
  /** Follows the cards from a deck; `null` where the file has no actions. */
  readonly follow: ((starter: number, deck: readonly Card[], draws: Draws) => Promise<Followed>) | null;
  readonly keys: KeyRing | null;
  /** Witnesses besides the one in the deal. */
  readonly witnesses: readonly Witness[];
  readonly days: readonly DayProof[];
}

export interface Listed {
  readonly deck: readonly Card[] | null;
  readonly reshuffles: readonly (readonly Card[])[] | null;
}

export interface VerifiedDeal {
  readonly checks: readonly Check[];
  /** The order of the cards, empty where the values contradict each other. */
  readonly deck: readonly Card[];
  readonly starter: number | null;
  readonly played: Followed | null;
  /** Where a cut drew the starter: the host's, or the automatic one. */
  readonly cut: number | null;
}

export async function verifyDeal(by: Primitives, deal: FairDeal, around: Around): Promise<VerifiedDeal> {
  const { played, transcript } = deal;
  const { options } = around;
  const signatures = new SignatureJudge(by, around.keys);
  const checks = [
    ...(await attemptChecks(by, played, [], "")),
    byFault("transcript", await transcriptFault(by, deal)),
    ...(await optionsChecks(by, deal, options)),
  ];
  if (around.before.length) checks.push(byFault("chain", chainFault(around.before, deal, around.apart)));
  // A deck derived from parts that contradict each other shows nothing, so what depends on it is not looked at.
  const sound = !firstFailed(checks);
  const drawn = sound ? await derived(by, deal, around) : null;
  checks.push(...(drawn?.checks ?? []));
  checks.push(...(await voidChecks(by, deal, signatures)));
  checks.push(...(await signatures.ofAttempt(played, transcript, "")));
  if (drawn) {
    for (const witness of [...(deal.witness ? [deal.witness] : []), ...around.witnesses]) {
      checks.push(...(await witnessChecks(by, deal, witness, drawn.deck, drawn.starter, signatures)));
    }
  }
  checks.push(...earlierChecks(deal, around.before));
  for (const [at, attempt] of deal.voids.entries()) {
    checks.push(...(await rootChecks(by, attempt, null, around.days, signatures, `void[${at}].`)));
  }
  checks.push(...(await rootChecks(by, played, transcript, around.days, signatures, "")));
  return {
    checks,
    deck: drawn?.deck ?? [],
    starter: drawn?.starter ?? null,
    played: drawn?.played ?? null,
    cut: drawn?.cut ?? null,
  };
}

/** `fails` where a check does, `holds` where all that a record can answer does, else `cannot_check`. */
export function verdictOf(checks: readonly Check[]): Check["outcome"] {
  if (firstFailed(checks)) return "fails";
  const own = checks.filter(({ name }) => NEEDED.has(name));
  return own.length && own.every(({ outcome }) => outcome === "holds") ? "holds" : "cannot_check";
}

function transcriptFault(by: Primitives, { played, transcript }: FairDeal): Promise<string | null> {
  return faultOf(async () => {
    const right = same(await transcriptOf(by, played.closed, played.contributions), transcript);
    return right ? null : "it is not that of the closed set and the contributions";
  });
}

async function optionsChecks(by: Primitives, deal: FairDeal, options: TableOptions | null): Promise<Check[]> {
  if (!options) return ["rules", "cut_due"].map((name) => cannotCheck(name, "the options are not in this file"));
  const ctx = contextOf(deal);
  const id = await rulesId(by, options.preset, options.changed);
  let fault: string | null = null;
  if (ctx.rules !== id) fault = `the options make it ${id}, not ${ctx.rules}`;
  else if (ctx.seats !== options.seats) fault = `the options make it ${options.seats} seats, not ${ctx.seats}`;
  else if (options.single && (ctx.matchNo !== 1 || !same(ctx.match, ctx.series))) {
    fault = "a single match is a series of its own";
  }
  const due = cutDue(deal.played.closed, options.starter);
  const wrong = due !== (deal.played.closed.host !== NO_HOST);
  const said = due ? "a cut is due, but there is no host" : "no cut is due, but there is a host";
  return [byFault("rules", fault), byFault("cut_due", wrong ? said : null)];
}

async function derived(by: Primitives, deal: FairDeal, around: Around) {
  const { options, follow } = around;
  const { closed, secret } = deal.played;
  const draws = new Draws(by, secret, deal.transcript);
  const deck = await draws.deck();
  const drawn = options && (await draws.starter(closed, options.starter));
  const starter = around.starter ?? drawn ?? around.followsOn;
  const played = follow && starter !== null ? await follow(starter, deck, draws) : null;
  const checks = [...starterChecks(around, drawn, played), ...playChecks(played, around.listed, deck)];
  const cut = options && cutDue(closed, options.starter) ? await draws.cut(closed) : null;
  return { deck, starter, played, checks, cut };
}

function starterChecks(around: Around, drawn: number | null, played: Followed | null): Check[] {
  if (!around.options) return [cannotCheck("starter", "the options are not in this file")];
  const due = drawn ?? around.followsOn;
  // Without the match before, a file cannot show who starts a later one of a series (R3.2).
  if (due === null) return [];
  // Where the file does not say it, the first action does.
  const seen = around.starter ?? (played && !played.fault && played.named ? due : null);
  if (seen === null) return [cannotCheck("starter", "who started is not in this file")];
  const why = drawn === null ? "what was played before makes it" : "the draw gives";
  return [byFault("starter", seen === due ? null : `${why} seat ${due}, not ${seen}`)];
}

/** What went before the file, which it cannot show. */
function earlierChecks(deal: FairDeal, before: readonly FairDeal[]): Check[] {
  if (before.length) return [];
  const { dealNo, matchNo } = contextOf(deal);
  const deals = cannotCheck("earlier_deals", `${dealNo - 1} deals went before this file`);
  const matches = cannotCheck("earlier_matches", `${matchNo - 1} matches of the series went before it`);
  return [...(dealNo > 1 ? [deals] : []), ...(matchNo > 1 ? [matches] : [])];
}

/** What was played, and what the file lists, against what is drawn; where there is neither, no file can show it. */
function playChecks(played: Followed | null, listed: Listed, deck: readonly Card[]): Check[] {
  const fault = played?.fault;
  const whole = played && played.actions > 0 && !fault;
  const shown = (name: string) =>
    whole ? holds(name) : cannotCheck(name, fault ? "not all of the play could be followed" : NOT_PLAYED);
  const stocks = played?.steps.filter(({ what }) => what === "reshuffled").map(({ cards }) => cards.join(" ")) ?? [];
  const given = listed.reshuffles?.map((stock) => stock.join(" "));
  const isDeck = listed.deck?.join(" ") === deck.join(" ");
  return [
    listed.deck ? byFault("deck", isDeck ? null : "the draw gives another order of cards") : shown("deck"),
    fault ? fails("draws", `action ${fault.action} ${fault.detail}`) : shown("draws"),
    given && whole && given.join("|") !== stocks.join("|")
      ? fails("reshuffles", "they are not the ones drawn")
      : shown("reshuffles"),
  ];
}
