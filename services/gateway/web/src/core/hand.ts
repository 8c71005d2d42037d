/**
 * The order in which a player holds the cards. It is the player's own: sorted by suit or rank where that was chosen, and
 * otherwise as dragged, and then nothing but a drag moves a card (UX 16, 17).
 *
 * Each held card has a key, `7H.0` or `7H.1`, so that two copies of a face are two things to tap and to drag.
 */

import { byRank, bySuit, type Card } from "./cards";

export type Sorting = "suit" | "rank" | "own";

export interface HeldCard {
  readonly key: string;
  readonly card: Card;
}

interface Slot extends HeldCard {
  /** Left the hand in this turn: the place is kept, so that an undo brings the card back to it. */
  readonly gone: boolean;
}

export interface Hand {
  readonly sorting: Sorting;
  readonly turnNo: number;
  readonly slots: readonly Slot[];
  /** Keys of cards that came last, to be marked; `unmarked` clears them. */
  readonly fresh: readonly string[];
}

/** A hand as dealt. In one's own order it begins by suit. */
export function newHand(cards: readonly Card[], sorting: Sorting, turnNo = 0): Hand {
  const empty: Hand = { sorting, turnNo, slots: [], fresh: [] };
  const dealt = followHand(empty, cards, turnNo);
  return { ...dealt, slots: inOrder(dealt.slots, sorting === "own" ? "suit" : sorting), fresh: [] };
}

/** The cards in their order. */
export function heldCards(hand: Hand): readonly HeldCard[] {
  return hand.slots.filter((slot) => !slot.gone);
}

/**
 * The hand once it holds these cards. What stays keeps its place; what comes goes to its place by the sorting, or in
 * one's own order to the end. `leaving`: the keys that the player sent away, for telling two copies apart.
 */
export function followHand(hand: Hand, cards: readonly Card[], turnNo: number, leaving: readonly string[] = []): Hand {
  let slots = turnNo === hand.turnNo ? [...hand.slots] : hand.slots.filter((slot) => !slot.gone);
  const fresh: string[] = [];
  const wanted = counts(cards);
  for (const card of new Set([...slots.map((slot) => slot.card), ...cards])) {
    const surplus = slots.filter((slot) => slot.card === card && !slot.gone).length - (wanted.get(card) ?? 0);
    if (surplus > 0) slots = left(slots, card, surplus, leaving);
    for (let missing = surplus; missing < 0; missing++) {
      const key = returning(slots, card) ?? freeKey(slots, card);
      slots = slots.some((slot) => slot.key === key)
        ? slots.map((slot) => (slot.key === key ? { ...slot, gone: false } : slot))
        : [...slots, { key, card, gone: false }];
      fresh.push(key);
    }
  }
  const known = new Set(slots.filter((slot) => !slot.gone).map((slot) => slot.key));
  const marked = [...hand.fresh.filter((key) => known.has(key)), ...fresh];
  return { sorting: hand.sorting, turnNo, slots: inOrder(slots, hand.sorting), fresh: [...new Set(marked)] };
}

/** Sorted by suit or by rank from now on; or left as it is, to be ordered by hand. */
export function sortedHand(hand: Hand, sorting: Sorting): Hand {
  return { ...hand, sorting, slots: inOrder(hand.slots, sorting) };
}

/** With a card dragged to stand before the one that is at `to` among the others shown; from then on one's own order. */
export function dragged(hand: Hand, key: string, to: number, shown: readonly HeldCard[] = heldCards(hand)): Hand {
  const slot = hand.slots.find((one) => one.key === key && !one.gone);
  if (!slot) return hand;
  const others = shown.filter((one) => one.key !== key);
  const before = others[Math.max(0, to)]?.key;
  const after = others[others.length - 1]?.key;
  const rest = hand.slots.filter((one) => one.key !== key);
  const anchor = before ?? after;
  const at = rest.findIndex((one) => one.key === anchor) + (before === undefined ? 1 : 0);
  return { ...hand, sorting: "own", slots: [...rest.slice(0, at), slot, ...rest.slice(at)] };
}

/** In the order that a drag-and-drop list reports for the cards that it shows; hidden ones stay beside their neighbours. */
export function reordered(hand: Hand, keys: readonly string[]): Hand {
  return keys.reduce((now, key, to) => {
    const shown = heldCards(now).filter((one) => keys.includes(one.key));
    return shown[to]?.key === key ? now : dragged(now, key, to, shown);
  }, hand);
}

/** With no card marked as just come. */
export function unmarked(hand: Hand): Hand {
  return hand.fresh.length ? { ...hand, fresh: [] } : hand;
}

export function cardOfKey(key: string): Card {
  return key.slice(0, key.indexOf("."));
}

/** What is kept of a hand over a reload. */
export interface SavedHand {
  readonly deal: string;
  readonly sorting: Sorting;
  readonly keys: readonly string[];
}

export function saveHand(hand: Hand, deal: string): SavedHand {
  return { deal, sorting: hand.sorting, keys: heldCards(hand).map((one) => one.key) };
}

/** The hand as it was kept, brought up to date; `null` where it is of another deal or cannot be read. */
export function restoreHand(
  saved: SavedHand | null,
  deal: string,
  cards: readonly Card[],
  turnNo: number,
): Hand | null {
  if (saved?.deal !== deal || !Array.isArray(saved.keys) || !["suit", "rank", "own"].includes(saved.sorting))
    return null;
  const keys = [...new Set(saved.keys.filter((key) => typeof key === "string" && key.includes(".")))];
  const slots = keys.map((key) => ({ key, card: cardOfKey(key), gone: false }));
  return followHand({ sorting: saved.sorting, turnNo, slots, fresh: [] }, cards, turnNo);
}

function inOrder(slots: readonly Slot[], sorting: Sorting): readonly Slot[] {
  if (sorting === "own") return slots;
  const key = sorting === "suit" ? bySuit : byRank;
  return [...slots].sort((one, other) => key(one.card) - key(other.card));
}

function counts(cards: readonly Card[]): Map<Card, number> {
  const found = new Map<Card, number>();
  for (const card of cards) found.set(card, (found.get(card) ?? 0) + 1);
  return found;
}

/** With so many copies of a card gone: those that were sent away first, then the last ones. */
function left(slots: readonly Slot[], card: Card, surplus: number, leaving: readonly string[]): Slot[] {
  const copies = slots.filter((slot) => slot.card === card && !slot.gone);
  const going = [...copies.filter((slot) => leaving.includes(slot.key)), ...copies.reverse()].slice(
    0,
    surplus + copies.length,
  );
  const keys = new Set<string>();
  for (const slot of going) if (keys.size < surplus) keys.add(slot.key);
  return slots.map((slot) => (keys.has(slot.key) ? { ...slot, gone: true } : slot));
}

function returning(slots: readonly Slot[], card: Card): string | undefined {
  return slots.find((slot) => slot.gone && slot.card === card)?.key;
}

function freeKey(slots: readonly Slot[], card: Card): string {
  let copy = 0;
  while (slots.some((slot) => slot.key === `${card}.${copy}`)) copy++;
  return `${card}.${copy}`;
}
