/** What a deal's cards are followed from, and what is told of their way. */

import type { Card } from "../core/cards";
import type { Json } from "./json";
import type { Teams } from "./scoring";

/** What a deal is followed from. */
export interface Course {
  readonly starter: number;
  readonly deck: readonly Card[];
  readonly actions: readonly Json[];
  /** Whether no deal comes after it: only then may it be unfinished. */
  readonly isLast: boolean;
  /** The n-th new stock of a pile bottom to top without its top card. */
  readonly newStock: (pile: readonly Card[], n: number) => Promise<readonly Card[]>;
}

export interface Step {
  /** The seat that acts, `null` where nobody does. */
  readonly seat: number | null;
  readonly what:
    | "dealt"
    | "drew"
    | "took"
    | "passed"
    | "laid"
    | "amended"
    | "undone"
    | "threw"
    | "timeUp"
    | "reshuffled"
    | "out"
    | "dead";
  readonly cards: readonly Card[];
  /** Of a draw: which card of the deck, from 1, or of the n-th new stock. */
  readonly place?: number;
  readonly stockNo?: number;
  /** The joker that came back. */
  readonly released?: boolean;
  /** Done by the clock. */
  readonly byClock?: boolean;
}

export interface Followed {
  readonly steps: readonly Step[];
  /** The cards left in each hand at the end. */
  readonly hands: readonly (readonly Card[])[];
  readonly draws: number;
  readonly actions: number;
  /** Actions that name their seat. */
  readonly named: number;
  readonly reshuffles: number;
  readonly ended: boolean;
  /** What each team made of the deal, in half-points; `null` where it did not end. */
  readonly teams: Teams | null;
  /** Where an action does not fit the cards, or is none; the steps end before it. */
  readonly fault: Fault | null;
}

export interface Fault {
  /** From 1; 0 where the deal cannot begin. */
  readonly action: number;
  readonly detail: string;
}
