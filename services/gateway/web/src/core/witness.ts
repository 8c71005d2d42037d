/**
 * What this browser saw of each deal's shuffle, kept so that its player can show it later: `banakil.witness.MATCH.DEAL` in
 * localStorage, the match's id in hex. The Verify page reads it.
 */

import type { Card } from "./cards";
import type { FairCheck } from "./closedChecks";
import type { Keeper } from "./storage";
import type { FairInfo } from "./views";

/** Deals that are kept; of one more the oldest goes. */
export const MOST_KEPT = 200;
/** More than there can be: each void attempt shuts a seat out. */
const MOST_EARLIER = 8;

export interface Receipt {
  readonly unix_ms: number;
  readonly signature: string;
}

/** The object `witness` of a record (docs/fair.md, "In a record"): what a player hands in, and not a field more. */
export interface Witness {
  readonly seat: number;
  /** Only where it is not the attempt that was played. */
  readonly attempt?: number;
  readonly c?: string;
  readonly closed?: string;
  readonly transcript?: string;
  readonly hand?: readonly Card[];
  readonly receipts?: { readonly h?: Receipt; readonly c?: Receipt };
}

/** One attempt as it was seen. */
export interface KeptAttempt {
  readonly attempt: number;
  readonly witness: Witness;
  readonly commitment: string;
  /** The key that signed: its public half in hex. */
  readonly key: string;
  readonly signatures: { readonly commit?: string; readonly closed?: string; readonly transcript?: string };
  /** The host's cut, as it was told before K or as the own one was taken in; 0: none was. */
  readonly cut: number;
  /** The number drawn where K does not have its promise: no witness of anything. */
  readonly unused?: string;
  /** What did not agree, with all that was published then. */
  readonly fault?: { readonly check: FairCheck; readonly fair: FairInfo };
}

/** Which deal, and whose. */
export interface DealOf {
  readonly account: string;
  readonly series: string;
  readonly match_no: number;
  readonly match: string;
  readonly deal_no: number;
  readonly rules: string;
  readonly seats: number;
}

/** A deal: its last attempt, which is the one that is played, and those before it. */
export interface KeptDeal extends DealOf, KeptAttempt {
  /** When its shuffle was first seen, by this device's clock. */
  readonly began_ms: number;
  readonly earlier: readonly KeptAttempt[];
}

/** The deal with the attempt that is published now: as it is kept, or begun, with the attempts before it behind it. */
export function keptWith(kept: KeptDeal | null, of: DealOf, seat: number, fair: FairInfo, nowMs: number): KeptDeal {
  if (kept?.attempt === fair.attempt) return kept;
  const before = kept ? [...kept.earlier, attemptOf(kept)].slice(-MOST_EARLIER) : [];
  return {
    ...of,
    attempt: fair.attempt,
    witness: { seat },
    commitment: fair.commitmentHex,
    key: fair.keyId,
    signatures: { commit: fair.commitSignatureHex },
    cut: 0,
    began_ms: kept?.began_ms ?? nowMs,
    earlier: before,
  };
}

function attemptOf({ attempt, witness, commitment, key, signatures, cut, unused, fault }: KeptDeal): KeptAttempt {
  const seen = { attempt, witness: { ...witness, attempt }, commitment, key, signatures, cut };
  return { ...seen, ...(unused === undefined ? {} : { unused }), ...(fault ? { fault } : {}) };
}

/** Without the own number, where its promise came too late. */
export function withoutNumber(deal: KeptDeal): KeptDeal {
  const { c, ...witness } = deal.witness;
  return c === undefined ? deal : { ...deal, witness, unused: c };
}

const START = "witness.";

export class WitnessBook {
  constructor(private readonly keeper: Keeper) {}

  /** The deal as it is kept, by whichever tab; `null` where it is not. */
  get(match: string, dealNo: number): KeptDeal | null {
    const kept = this.keeper.get<Partial<KeptDeal>>(nameOf(match, dealNo));
    return kept && typeof kept.attempt === "number" && kept.witness && kept.signatures ? (kept as KeptDeal) : null;
  }

  put(deal: KeptDeal): void {
    const name = nameOf(deal.match, deal.deal_no);
    if (this.keeper.get(name) === null) this.makeRoom();
    this.keeper.set(name, deal);
  }

  private makeRoom(): void {
    const names = this.keeper.names(START);
    if (names.length < MOST_KEPT) return;
    const age = (name: string) => this.keeper.get<Partial<KeptDeal>>(name)?.began_ms ?? 0;
    const byAge = names.map((name) => ({ name, ms: age(name) })).sort((one, other) => one.ms - other.ms);
    for (const { name } of byAge.slice(0, names.length - MOST_KEPT + 1)) this.keeper.remove(name);
  }
}

function nameOf(match: string, dealNo: number): string {
  return `${START}${match}.${dealNo}`;
}
