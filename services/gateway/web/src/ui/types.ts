/** What many components share. */

import type { Card } from "../core/cards";
import type { Side, Thread } from "../core/seats";

export type { Place } from "../core/seats";
/** Ours or theirs, from the player's own seat. */
export type Team = Side;
/** Solid: oneself or the next player; stitched: the partner or the player before. */
export type Stitch = Thread;

/** A thread running out, and the seconds beside it. */
export interface Clock {
  readonly remainingMs: number;
  readonly totalMs: number;
}

/** Who sits round the table. */
export interface SeatModel {
  readonly name: string;
  readonly team: Team;
  readonly stitch: Stitch;
  readonly cards: number;
  readonly onTurn?: boolean;
  readonly badge?: "bot" | "away" | null;
  /** How well the house bot plays that plays it, 1 to 5; 0 where none does. */
  readonly level?: number;
  /** Away: what is left until a bot plays, or the clock. */
  readonly grace?: Clock;
  /** The house bot that plays in this player's place. */
  readonly standIn?: string;
  /** Spoken: name, cards, turn, opened. */
  readonly label: string;
}

/** A card of a meld or of a staged group. */
export interface LaidCard {
  readonly card: Card;
  /** What a wild stands for; empty where it is itself. */
  readonly standsFor?: readonly Card[];
  /** Whose layer; absent while only staged. */
  readonly thread?: Stitch;
}

export interface MeldModel {
  readonly id: number;
  readonly cards: readonly LaidCard[];
  /** Spoken. */
  readonly label: string;
  /** A hint: one more card fits here. */
  readonly slots?: { readonly before?: string; readonly after?: string };
  /** A hint: the joker may be taken back; its spoken words. */
  readonly joker?: string;
  /** Indices of the cards that the last move laid: from, to (included). */
  readonly last?: readonly [number, number];
}

export interface HandItem {
  readonly key: string | number;
  readonly card: Card;
  readonly drawn?: boolean;
}

/** A hint on a card in hand: it can be laid off, or takes a joker back. */
export type Fit = "plus" | "back";

export interface PocketModel {
  readonly id: string | number;
  readonly cards: readonly LaidCard[];
  readonly state: "legal" | "illegal" | "open";
  /** Points or a reason of four words at the most. */
  readonly note: string;
  /** Spoken. */
  readonly label: string;
}

/** How a line on the shuffle is coloured: the own number is in it, something is wrong, or neither. */
export type FairTone = "in" | "bad" | "plain";

/** A deal's shuffle as its player sees it. */
export interface FairModel {
  readonly tone: FairTone;
  /** "Deal 3". */
  readonly title: string;
  /** Spoken. */
  readonly label: string;
  readonly steps: readonly { readonly word: string; readonly done: boolean }[];
  /** In place of the steps, where something is to be said; else empty. */
  readonly note: string;
  readonly lines: readonly { readonly text: string; readonly tone: FairTone }[];
}
