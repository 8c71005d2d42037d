/** A deal as it is revealed (docs/fair.md): the attempt that was played, the void ones before it, a player's witness. */

import type { Bytes } from "./bytes";

export const HASH_BYTES = 64;
export const ID_BYTES = 16;
export const SECRET_BYTES = 128;
export const CONTRIBUTION_BYTES = 32;
export const SIGNATURE_BYTES = 64;
export const NO_HOST = 255;
export const MOST_CUT = 105;

/** `ctx`: which attempt at which deal. */
export interface Context {
  readonly series: Bytes;
  readonly matchNo: number;
  readonly match: Bytes;
  readonly dealNo: number;
  readonly attempt: number;
  readonly seats: number;
  readonly rules: string;
}

/** 0 sent no h, 1 human, 2 bot, 3 shut out. */
export const ABSENT = 0;
export const HUMAN = 1;
export const BOT = 2;
export const SHUT_OUT = 3;

/** 0 none due, 1 by the host, 2 automatic. */
export const CUT_NONE = 0;
export const CUT_HOST = 1;
export const CUT_AUTOMATIC = 2;

export interface ClosedSeat {
  readonly kind: number;
  readonly account: string;
  readonly h: Bytes;
}

/** All that `K` says. */
export interface ClosedSet {
  readonly ctx: Context;
  readonly commitment: Bytes;
  readonly host: number;
  readonly cutKind: number;
  readonly cut: number;
  readonly beacon: Bytes;
  readonly seats: readonly ClosedSeat[];
}

export interface Signatures {
  readonly key: string;
  readonly of: ReadonlyMap<string, Bytes>;
}

export interface Attempt {
  readonly closed: ClosedSet;
  readonly secret: Bytes;
  /** A c for each seat, empty where none is known. */
  readonly contributions: readonly Bytes[];
  readonly signatures: Signatures | null;
}

export interface VoidAttempt extends Attempt {
  /** The seats whose c was missing or wrong. */
  readonly failed: readonly number[];
}

export interface Receipt {
  readonly unixMs: bigint;
  readonly signature: Bytes;
}

/** What one player's own browser kept; what it lacks is `null`. */
export interface Witness {
  readonly seat: number;
  readonly attempt: number;
  readonly c: Bytes | null;
  readonly closed: Bytes | null;
  readonly transcript: Bytes | null;
  /** Codes of the cards as dealt, in any order. */
  readonly hand: readonly string[] | null;
  readonly receiptH: Receipt | null;
  readonly receiptC: Receipt | null;
}

export interface FairDeal {
  readonly played: Attempt;
  readonly transcript: Bytes;
  readonly voids: readonly VoidAttempt[];
  readonly witness: Witness | null;
}

/** The context of the attempt that was played. */
export function contextOf(deal: FairDeal): Context {
  return deal.played.closed.ctx;
}

/** The seats of a kind, in order. */
export function seatsOfKind(closed: ClosedSet, kind: number): number[] {
  return [...closed.seats.keys()].filter((seat) => closed.seats[seat]?.kind === kind);
}
