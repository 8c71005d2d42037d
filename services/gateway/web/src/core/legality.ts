/** Melds (R4): what a legal layout is. It says what the server's engine says, and is tested against its vectors. */

import { ACE_HIGH, JOKER, isPlain, isTwo, rankOf, runCard, suitOf, type Card } from "./cards";
import type { LayoutCode } from "./codes";
import type { MeldOptions } from "./options";

const SHORTEST = 3;
export const LONGEST_SET = 4;

/** What a legal layout is: a run from place `start` 1..14 in `suit` 0..3, or a set (start 0, suit -1). */
export interface Shape {
  readonly start: number;
  readonly suit: number;
}

export type Judged = { readonly ok: true; readonly shape: Shape } | { readonly ok: false; readonly code: LayoutCode };

const SET: Judged = { ok: true, shape: { start: 0, suit: -1 } };

/** Judges a layout by R4; of a run the cards go from low to high (R4.6). */
export function judge(cards: readonly Card[], options: MeldOptions): Judged {
  if (cards.length < SHORTEST) return no("MELD_TOO_SHORT");
  const jokers = cards.filter((card) => card === JOKER).length;
  if (jokers > 1) return no("TOO_MANY_JOKERS");
  const plain = cards.filter(isPlain);
  const first = plain[0];
  if (first === undefined) return no("NOT_ENOUGH_REAL_CARDS");
  const twos = cards.length - plain.length - jokers;
  const isSet = plain.length > 1 && plain.every((card) => rankOf(card) === rankOf(first));
  return isSet ? judgeSet(cards, plain, twos, options) : judgeRun(cards, plain, twos, options);
}

/** Index of a run's natural two (R4.5), or -1; always -1 where `naturalTwoIsReal` is off. */
export function naturalTwoAt(shape: Shape, cards: readonly Card[], options: MeldOptions): number {
  if (!options.naturalTwoIsReal || shape.start < 1 || shape.start > 2) return -1;
  const index = 2 - shape.start;
  return cards[index] === runCard(2, shape.suit) ? index : -1;
}

/** Aces or 3s of different suits, four cards at the most (R4.3). */
function judgeSet(cards: readonly Card[], plain: readonly Card[], twos: number, options: MeldOptions): Judged {
  const rank = rankOf(plain[0]!);
  if (rank !== 1 && rank !== 3) return no("SET_RANK_NOT_ALLOWED");
  if (new Set(plain).size !== plain.length) return no("SET_SUIT_REPEATED");
  if (twos && !options.twosInSets) return no("TWO_IN_SET_NOT_ALLOWED");
  if (twos > 1) return no("TOO_MANY_TWOS");
  return cards.length > LONGEST_SET ? no("SET_TOO_LONG") : SET;
}

/** One suit in sequence, places 1..14 (R4.2). */
function judgeRun(cards: readonly Card[], plain: readonly Card[], twos: number, options: MeldOptions): Judged {
  const suit = suitOf(plain[0]!);
  if (plain.some((card) => suitOf(card) !== suit)) return no("RUN_SUITS_DIFFER");
  const start = runStart(cards, plain);
  if (start < 1 || start + cards.length - 1 > ACE_HIGH) return no("RUN_OUT_OF_RANGE");
  if (cards.some((card, index) => isPlain(card) && card !== runCard(start + index, suit)))
    return no("RUN_NOT_CONSECUTIVE");
  const natural = twos && naturalTwoAt({ start, suit }, cards, options) >= 0 ? 1 : 0;
  if (twos - natural > 1) return no("TOO_MANY_TWOS");
  if (plain.length + natural < options.minReal) return no("NOT_ENOUGH_REAL_CARDS");
  return { ok: true, shape: { start, suit } };
}

/** Place of the first card: a card other than an ace tells; a lone ace is low in front, else high (R4.2). */
function runStart(cards: readonly Card[], plain: readonly Card[]): number {
  const telling = plain.find((card) => rankOf(card) !== 1);
  if (telling !== undefined) return rankOf(telling) - cards.indexOf(telling);
  const index = cards.indexOf(plain[0]!);
  return index === 0 ? 1 : ACE_HIGH - index;
}

/** What each card of a legal layout stands for: itself, or for a wild in a run the card of its place (R4.6). */
export function standsFor(shape: Shape, cards: readonly Card[]): Card[] {
  if (shape.start === 0) return [...cards];
  return cards.map((card, index) => (isPlain(card) ? card : runCard(shape.start + index, shape.suit)));
}

/** Whether the card at this index stands for another one, or in a set for a suit that is missing. */
export function isWildAt(shape: Shape, cards: readonly Card[], index: number): boolean {
  const card = cards[index];
  if (card === undefined || isPlain(card)) return false;
  return !(isTwo(card) && shape.start > 0 && card === runCard(shape.start + index, shape.suit));
}

function no(code: LayoutCode): Judged {
  return { ok: false, code };
}
