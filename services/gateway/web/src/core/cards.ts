/** Cards (R2): codes such as `7H` and `JK`, points, and the two orders in which a hand may be sorted. */

/** A card's code: rank `A 2 3 4 5 6 7 8 9 T J Q K`, then suit `S H D C`; a joker is `JK`. Copies of a face are alike. */
export type Card = string;

export const JOKER: Card = "JK";
export const SUITS = "SHDC";
export const RANKS = "A23456789TJQK";
/** Position of an ace after the king (R4.2). */
export const ACE_HIGH = 14;

/** Rank 1..13, 0 for the joker. */
export function rankOf(card: Card): number {
  return card === JOKER ? 0 : RANKS.indexOf(card[0] ?? "") + 1;
}

/** Suit 0..3 (S H D C), -1 for the joker. */
export function suitOf(card: Card): number {
  return card === JOKER ? -1 : SUITS.indexOf(card[1] ?? "");
}

export function isCard(text: string): boolean {
  return text === JOKER || (text.length === 2 && rankOf(text) > 0 && suitOf(text) >= 0);
}

export function isTwo(card: Card): boolean {
  return card[0] === "2";
}

/** Neither a joker nor a two (R1). */
export function isPlain(card: Card): boolean {
  return card !== JOKER && !isTwo(card);
}

export function cardOf(rank: number, suit: number): Card {
  return `${RANKS[rank - 1]}${SUITS[suit]}`;
}

/** The card that belongs at a place 1..14 of a run (R4.2). */
export function runCard(place: number, suit: number): Card {
  return cardOf(place === ACE_HIGH ? 1 : place, suit);
}

/** A card's points in half-points (R2.2). */
export function cardHalfPoints(card: Card): number {
  if (card === JOKER) return 8;
  const rank = rankOf(card);
  if (rank === 2) return 4;
  return rank >= 3 && rank <= 6 ? 1 : 2;
}

/** The points of cards in half-points (R2.2). */
export function halfPoints(cards: readonly Card[]): number {
  return cards.reduce((sum, card) => sum + cardHalfPoints(card), 0);
}

/** A key by rank A..K, then suit S H D C, the joker last: the order in which servers list a hand. */
export function rankKey(card: Card): number {
  return card === JOKER ? 99 : rankOf(card) * 4 + suitOf(card);
}

/** For a player's own order, twos and jokers last: they belong anywhere. By suit S H D C, ranks A..K within. */
export function bySuit(card: Card): number {
  return wildKey(card) ?? suitOf(card) * 13 + rankOf(card);
}

/** For a player's own order, twos and jokers last. By rank A..K, suits S H D C within. */
export function byRank(card: Card): number {
  return wildKey(card) ?? rankKey(card);
}

function wildKey(card: Card): number | undefined {
  return isPlain(card) ? undefined : card === JOKER ? 999 : 900 + suitOf(card);
}

/** Sorted by rank A..K, then suit S H D C, jokers last. */
export function sortedCards(cards: Iterable<Card>): Card[] {
  return [...cards].sort((one, other) => rankKey(one) - rankKey(other));
}

/** The cards without some, each once; `null` where they are not all there. */
export function without(cards: readonly Card[], gone: Iterable<Card>): Card[] | null {
  const left = [...cards];
  for (const card of gone) {
    const at = left.indexOf(card);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

export function countOf(cards: readonly Card[], card: Card): number {
  return cards.reduce((count, other) => count + (other === card ? 1 : 0), 0);
}
