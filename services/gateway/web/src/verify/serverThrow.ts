/** The card that the server throws once the clock has run out twice (R9.3). */

import { closedTo } from "../core/amend";
import { ACE_HIGH, JOKER, cardHalfPoints, isPlain, rankOf, suitOf, type Card } from "../core/cards";
import type { AmendOptions } from "../core/options";
import { layoutsAdding } from "../core/targets";
import type { Meld } from "../core/views";

const FITS_A_MELD = 2;

/** The card of least use in a hand that holds one at least; `opened` is whether the seat has opened. */
export function cardToThrow(
  hand: readonly Card[],
  seat: number,
  melds: readonly Meld[],
  opened: boolean,
  options: AmendOptions,
): Card {
  const faces = [...new Set(hand)];
  const plain = faces.filter(isPlain);
  // With wilds only, a two goes before a joker.
  if (plain.length === 0) return least(faces, (card) => [card === JOKER ? 1 : 0, suitOf(card)]);
  const open = melds.filter((meld) => closedTo(seat, meld, opened, options) === null);
  const use = (card: Card) => {
    const links = plain.filter((other) => other !== card && linked(card, other)).length;
    return links + (open.some((meld) => fits(card, meld, seat, options)) ? FITS_A_MELD : 0);
  };
  return least(plain, (card) => [use(card), cardHalfPoints(card), rankOf(card), suitOf(card)]);
}

/** Whether two faces could be in a run or a set together. */
function linked(one: Card, other: Card): boolean {
  if (suitOf(one) === suitOf(other)) {
    return places(one).some((place) => places(other).some((there) => Math.abs(place - there) <= 2));
  }
  return rankOf(one) === rankOf(other) && (rankOf(one) === 1 || rankOf(one) === 3);
}

function places(card: Card): number[] {
  return rankOf(card) === 1 ? [1, ACE_HIGH] : [rankOf(card)];
}

function fits(card: Card, meld: Meld, seat: number, options: AmendOptions): boolean {
  return layoutsAdding(meld, [card], seat, options).length > 0;
}

function least(cards: readonly Card[], key: (card: Card) => readonly number[]): Card {
  const keyed = cards.map((card) => ({ card, key: key(card) }));
  keyed.sort((one, other) => {
    const at = one.key.findIndex((value, index) => value !== other.key[index]);
    return at < 0 ? 0 : one.key[at]! - other.key[at]!;
  });
  return keyed[0]!.card;
}
