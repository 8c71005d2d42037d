/**
 * Where cards may go: the legal new layouts of the team's melds that add exactly the chosen cards (lay-offs and joker
 * swaps), and the legal moves of a two (R5.5, UX 27). Nothing that the server would refuse is offered.
 */

import { closedTo, judgeAmend, type Amendment } from "./amend";
import { ACE_HIGH, JOKER, isPlain, runCard, without, type Card } from "./cards";
import { LONGEST_SET, judge, type Shape } from "./legality";
import type { AmendOptions } from "./options";
import type { Action } from "./protocol";
import type { DealView, Meld } from "./views";

export interface Target {
  readonly kind: "layoff" | "swap" | "moveTwo";
  readonly meldId: number;
  /** The whole new layout. */
  readonly cards: readonly Card[];
  /** Where in it the cards of the hand stand, and a two that moves. */
  readonly at: readonly number[];
  readonly jokerReleased: boolean;
  readonly twoMoved: boolean;
}

/** More cards than a run has place for go nowhere. */
const MOST_ADDED = 13;

/** Where these cards may go, all of them together onto one meld; of each meld every way that there is. */
export function targetsFor(chosen: readonly Card[], deal: DealView, seat: number, options: AmendOptions): Target[] {
  if (chosen.length === 0 || chosen.length > MOST_ADDED) return [];
  return openMelds(deal, seat, options).flatMap((meld) => {
    const ways = layoutsAdding(meld, chosen, seat, options).map((amendment) => targetOf(meld, amendment));
    // A two that need not move stays; who wants it elsewhere moves it by itself.
    const calm = ways.filter((way) => !way.twoMoved);
    return calm.length ? calm : ways;
  });
}

/** Where the twos of one meld may go with nothing added: only where they move freely (R5.5f). */
export function twoMoves(meldId: number, deal: DealView, seat: number, options: AmendOptions): Target[] {
  const meld = openMelds(deal, seat, options).find(({ id }) => id === meldId);
  return meld ? layoutsAdding(meld, [], seat, options).map((amendment) => targetOf(meld, amendment)) : [];
}

/** The command for a target. */
export function amendAction(target: Target): Action {
  return { amend: { meldId: target.meldId, cards: target.cards } };
}

/** Every legal new layout of a meld that adds exactly these cards. */
export function layoutsAdding(meld: Meld, chosen: readonly Card[], seat: number, options: AmendOptions): Amendment[] {
  const judged = judge(meld.cards, options);
  if (!judged.ok) return [];
  const candidates = judged.shape.start ? runsWith(meld, judged.shape, chosen) : setsWith(meld, chosen);
  const seen = new Set<string>();
  return candidates.flatMap((cards) => {
    const text = cards.join();
    if (seen.has(text)) return [];
    seen.add(text);
    const amended = judgeAmend(meld, cards, seat, chosen, options);
    return amended.ok && amended.amendment.added.length === chosen.length ? [amended.amendment] : [];
  });
}

function openMelds(deal: DealView, seat: number, options: AmendOptions): Meld[] {
  return deal.melds.filter((meld) => closedTo(seat, meld, deal.opened[seat] ?? false, options) === null);
}

function targetOf(meld: Meld, amendment: Amendment): Target {
  const { meld: next, addedAt, movedTo, jokerReleased } = amendment;
  return {
    kind: jokerReleased ? "swap" : addedAt.length ? "layoff" : "moveTwo",
    meldId: meld.id,
    cards: next.cards,
    at: [...addedAt, ...movedTo],
    jokerReleased,
    twoMoved: movedTo.length > 0,
  };
}

/** Candidates for a set: the chosen cards come last, or the first plain one takes the joker's place. */
function setsWith(meld: Meld, chosen: readonly Card[]): Card[][] {
  const candidates = [[...meld.cards, ...chosen]];
  const swapped = chosen.find(isPlain);
  if (swapped !== undefined && meld.cards.includes(JOKER)) {
    candidates.push([...meld.cards.map((card) => (card === JOKER ? swapped : card)), ...without(chosen, [swapped])!]);
  }
  return candidates.filter((cards) => cards.length <= LONGEST_SET);
}

/** Candidates for a run: plain cards stay, the joker stays or goes, the chosen cards and the twos fill what is left. */
function runsWith(meld: Meld, shape: Shape, chosen: readonly Card[]): Card[][] {
  const jokerAt = meld.cards.indexOf(JOKER);
  return [true, ...(jokerAt >= 0 ? [false] : [])].flatMap((keepsJoker) => {
    const fixed = new Map<number, Card>();
    const loose = [...chosen];
    meld.cards.forEach((card, index) => {
      if (isPlain(card) || (card === JOKER && keepsJoker)) fixed.set(shape.start + index, card);
      else if (card !== JOKER) loose.push(card);
    });
    return rows(fixed, loose, shape.suit);
  });
}

function rows(fixed: ReadonlyMap<number, Card>, loose: readonly Card[], suit: number): Card[][] {
  const length = fixed.size + loose.length;
  const lowest = Math.min(...fixed.keys());
  const highest = Math.max(...fixed.keys());
  const found: Card[][] = [];
  for (let start = Math.max(1, highest - length + 1); start <= lowest && start + length - 1 <= ACE_HIGH; start++) {
    found.push(...filled(start, length, fixed, loose, suit));
  }
  return found;
}

/** Every row of this length from a place on: fixed cards at theirs, plain ones at their only one, wilds anywhere. */
function filled(
  place: number,
  length: number,
  fixed: ReadonlyMap<number, Card>,
  loose: readonly Card[],
  suit: number,
): Card[][] {
  if (length === 0) return [[]];
  const there = fixed.get(place);
  const options = there !== undefined ? [there] : fitting(place, loose, suit);
  return options.flatMap((card) => {
    const rest = there !== undefined ? loose : without(loose, [card])!;
    return filled(place + 1, length - 1, fixed, rest, suit).map((row) => [card, ...row]);
  });
}

function fitting(place: number, loose: readonly Card[], suit: number): Card[] {
  const exact = runCard(place, suit);
  return [...new Set(loose)].filter((card) => !isPlain(card) || card === exact);
}
