/** Whose seats they are, who plays them, and what their players agree on (views.proto). */

import { filled, listOf } from "./filled";

export type Occupant =
  "OCCUPANT_UNSPECIFIED" | "OCCUPANT_VACANT" | "OCCUPANT_PERSON" | "OCCUPANT_BOT" | "OCCUPANT_HOUSE_BOT";

export interface SeatView {
  readonly seat: number;
  readonly accountId: string;
  readonly displayName: string;
  readonly occupant: Occupant;
  readonly away: boolean;
  /** The house bot that plays in place of the account; else empty. */
  readonly standInName: string;
  /** When the grace of an absent player ends, in Unix milliseconds on the server's clock; "0" where none runs. */
  readonly graceUntilMs: string;
  /** Left on purpose: does not come back to this match. */
  readonly left: boolean;
  /** How well the house bot plays that plays it now, 1 to 5; 0 while none does. */
  readonly botLevel: number;
}

/** The one pause that a private table's match may have. */
export interface PauseView {
  /** The seats that have asked for it, or agreed. */
  readonly agreedSeats: readonly number[];
  /** When it ends at the latest, as `graceUntilMs`; "0" while none runs. */
  readonly untilMs: string;
  /** Whether this match has had it. */
  readonly used: boolean;
}

/** One team's swap of its partners' seats (R8.3). */
export interface TeamSwap {
  /** The seat, as seats are now, of who has asked; absent where nobody has. */
  readonly askedBySeat?: number;
  readonly agreed: boolean;
}

export interface SwapView {
  /** Team 0, then team 1. */
  readonly teams: readonly TeamSwap[];
}

const SEAT: SeatView = {
  seat: 0,
  accountId: "",
  displayName: "",
  occupant: "OCCUPANT_UNSPECIFIED",
  away: false,
  standInName: "",
  graceUntilMs: "0",
  left: false,
  botLevel: 0,
};
const PAUSE: PauseView = { agreedSeats: [], untilMs: "0", used: false };

export function readSeat(sent: unknown): SeatView {
  return filled(SEAT, sent);
}

export function readPause(sent: unknown): PauseView {
  return filled(PAUSE, sent);
}

export function readSwap(sent: unknown): SwapView {
  const swap = filled<SwapView>({ teams: [] }, sent);
  return { teams: listOf(swap.teams, (one) => filled<TeamSwap>({ agreed: false }, one)) };
}

export type MissingStakeReason =
  | "MISSING_STAKE_REASON_UNSPECIFIED"
  | "MISSING_STAKE_REASON_GUEST"
  | "MISSING_STAKE_REASON_TOO_FEW_MATCHES"
  | "MISSING_STAKE_REASON_TOO_FEW_COINS"
  | "MISSING_STAKE_REASON_ABSENT";

/** A seat whose stake cannot be held. */
export interface MissingStake {
  readonly seat: number;
  readonly reason: MissingStakeReason;
}

/** Why a match did not begin; of nobody where whoever keeps the coins did not answer in time. */
export interface StakesMissing {
  readonly missing: readonly MissingStake[];
}

const STAKE: MissingStake = { seat: 0, reason: "MISSING_STAKE_REASON_UNSPECIFIED" };

export function readMissing(sent: unknown): StakesMissing {
  const { missing } = filled<StakesMissing>({ missing: [] }, sent);
  return { missing: listOf(missing, (one) => filled(STAKE, one)) };
}
