/** Amending a meld (R5.5): laying off, swapping a joker and moving a two are one action, a new layout. */

import { JOKER, isPlain, runCard, sortedCards, without, type Card } from "./cards";
import type { AmendCode } from "./codes";
import { judge, naturalTwoAt, type Shape } from "./legality";
import type { AmendOptions, MeldOptions } from "./options";
import type { Meld } from "./views";

/** Layer of a card that no one has put down yet. */
const NOBODY = -1;

export interface Amendment {
  readonly meld: Meld;
  /** Cards that come from the hand. */
  readonly added: readonly Card[];
  /** The hand afterwards, a released joker in it, sorted by rank. */
  readonly hand: readonly Card[];
  readonly jokerReleased: boolean;
  /** Indices in the new layout of the cards that come from the hand. */
  readonly addedAt: readonly number[];
  /** Indices in the new layout of twos that left their place. */
  readonly movedTo: readonly number[];
}

export type Amended =
  { readonly ok: true; readonly amendment: Amendment } | { readonly ok: false; readonly code: AmendCode };

interface Matched {
  readonly layers: number[];
  readonly released: boolean;
  readonly movedTo: readonly number[];
}

interface Layout {
  readonly cards: readonly Card[];
  readonly shape: Shape;
}

class Refused extends Error {
  constructor(readonly code: AmendCode) {
    super(code);
  }
}

/** Why the seat may not amend the meld at all (R5.5h), or `null` where it may. */
export function closedTo(seat: number, meld: Meld, opened: boolean, options: AmendOptions): AmendCode | null {
  if ((seat ^ meld.owner) & 1) return "OTHER_TEAMS_MELD";
  return meld.owner !== seat && options.partnerNeedsOpening && !opened ? "NOT_OPENED" : null;
}

/** Judges a new layout of a meld that the seat may amend, by R5.5a-g. */
export function judgeAmend(
  meld: Meld,
  cards: readonly Card[],
  seat: number,
  hand: readonly Card[],
  options: AmendOptions,
): Amended {
  const judged = judge(cards, options);
  if (!judged.ok) return judged;
  try {
    return { ok: true, amendment: amend(meld, { cards, shape: judged.shape }, seat, hand, options) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, code: error.code };
    throw error;
  }
}

function amend(meld: Meld, next: Layout, seat: number, hand: readonly Card[], options: AmendOptions): Amendment {
  const judged = judge(meld.cards, options);
  // A table holds legal melds only: what else comes from a server is as good as missing.
  if (!judged.ok) throw new Refused("NO_SUCH_MELD");
  const old: Layout = { cards: meld.cards, shape: judged.shape };
  const isSet = next.shape.start === 0;
  if (isSet !== (old.shape.start === 0)) throw new Refused("MELD_KIND_CHANGED");
  const matched = isSet ? matchSet(old, meld.layers, next) : matchRun(old, meld.layers, next, options);
  const addedAt = [...next.cards.keys()].filter((index) => matched.layers[index] === NOBODY);
  const added = addedAt.map((index) => next.cards[index]!);
  if (added.length === 0 && matched.movedTo.length === 0) throw new Refused("NOTHING_ADDED");
  const left = without(hand, added);
  if (left === null) throw new Refused("CARD_NOT_IN_HAND");
  const layers = matched.layers.map((layer) => (layer === NOBODY ? seat : layer));
  return {
    meld: { id: meld.id, owner: meld.owner, cards: next.cards, layers },
    added,
    hand: sortedCards(matched.released ? [...left, JOKER] : left),
    jokerReleased: matched.released,
    addedAt,
    movedTo: matched.movedTo,
  };
}

/** Layers of the new layout where the old cards stay, and whether the joker leaves (R5.5c). */
function matchSet(old: Layout, oldLayers: readonly number[], next: Layout): Matched {
  const layers = next.cards.map(() => NOBODY);
  let released = false;
  old.cards.forEach((card, index) => {
    const at = next.cards.indexOf(card);
    if (at >= 0) layers[at] = oldLayers[index]!;
    else if (card === JOKER) released = true;
    else throw new Refused("CARD_LEFT_OUT");
  });
  if (released && !next.cards.some((card, index) => layers[index] === NOBODY && isPlain(card))) {
    throw new Refused("JOKER_LOCKED");
  }
  return { layers, released, movedTo: [] };
}

/** Layers where the old cards stay (R5.5a), whether the joker leaves (R5.5c), whether a two moves (R5.5e, f). */
function matchRun(old: Layout, oldLayers: readonly number[], next: Layout, options: AmendOptions): Matched {
  if (next.shape.suit !== old.shape.suit) throw new Refused("CARD_LEFT_OUT");
  const free = options.twoMove === "TWO_MOVE_FREE";
  const fixedTwo = free ? -1 : naturalTwoAt(old.shape, old.cards, options);
  const layers = next.cards.map(() => NOBODY);
  const shift = old.shape.start - next.shape.start;
  const leaving: { from: number; card: Card; layer: number }[] = [];
  let swapped = -1;
  old.cards.forEach((card, index) => {
    const at = index + shift;
    if (next.cards[at] === card) layers[at] = oldLayers[index]!;
    else if (card === JOKER) swapped = swapAt(old, next, index);
    else if (isPlain(card) || index === fixedTwo) {
      throw new Refused(next.cards.includes(card) ? "CARD_MOVED" : "CARD_LEFT_OUT");
    } else leaving.push({ from: at, card, layer: oldLayers[index]! });
  });
  const movedTo: number[] = [];
  for (const two of leaving) {
    const low = shift;
    const high = shift + old.cards.length - 1;
    if (!free && !realCardAdded(next, layers, two.from, options)) throw new Refused("TWO_MAY_NOT_MOVE");
    // Of several places that fit, the lowest.
    const at = next.cards.findIndex(
      (card, index) =>
        card === two.card && layers[index] === NOBODY && index !== swapped && (free || index < low || index > high),
    );
    if (at < 0) throw new Refused(next.cards.includes(two.card) ? "TWO_MAY_NOT_MOVE" : "CARD_LEFT_OUT");
    layers[at] = two.layer;
    movedTo.push(at);
  }
  if (swapped >= 0 && layers[swapped] !== NOBODY) throw new Refused("JOKER_LOCKED");
  return { layers, released: swapped >= 0, movedTo };
}

/** Index in the new layout of the exact card that takes the joker's place (R5.5c). */
function swapAt(old: Layout, next: Layout, index: number): number {
  const at = index + old.shape.start - next.shape.start;
  const exact = runCard(old.shape.start + index, old.shape.suit);
  if (next.cards.includes(JOKER) || next.cards[at] !== exact) throw new Refused("JOKER_LOCKED");
  return at;
}

/** Whether an added real card stands at this index of the new layout (R5.5e). */
function realCardAdded(next: Layout, layers: readonly number[], at: number, options: MeldOptions): boolean {
  const card = next.cards[at];
  if (card === undefined || layers[at] !== NOBODY) return false;
  return isPlain(card) || at === naturalTwoAt(next.shape, next.cards, options);
}
