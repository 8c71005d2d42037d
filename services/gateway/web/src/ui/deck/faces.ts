/** How a card's code is drawn: which rank outline, which suit, which paper. */

import { JOKER, isTwo, type Card } from "../../core/cards";

export type Paper = "wool" | "saffron" | "night";
export type Suit = "S" | "H" | "D" | "C";

export interface Face {
  /** Key of the rank's outline: A, 2..9, T, J, Q, K, or JK. */
  readonly rank: string;
  /** `null` for a joker. */
  readonly suit: Suit | null;
  readonly paper: Paper;
}

export function faceOf(card: Card): Face {
  if (card === JOKER) return { rank: JOKER, suit: null, paper: "night" };
  return { rank: card[0] ?? "", suit: card[1] as Suit, paper: isTwo(card) ? "saffron" : "wool" };
}

/**
 * Where a rank's outline goes: font size, left edge and baseline in units of the card. Ten is drawn narrower, so that it
 * fits a strip.
 */
export function rankTransform(rank: string, size: number, x: number, baseline: number): string {
  const scale = size / 1000;
  const narrow = rank === "T" ? 0.704 : 1;
  const shift = rank === "T" ? -0.036 * size : 0;
  const round = (value: number) => Math.round(value * 10_000) / 10_000;
  return `translate(${round(x + shift)} ${round(baseline)}) scale(${round(scale * narrow)} ${round(scale)})`;
}
