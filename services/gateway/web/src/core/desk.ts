/**
 * All that one player has before them: the view, the hand in its order, the tray, what is chosen, the log. A value, and
 * the functions that make the next one; whoever shows it has nothing to work out.
 */

import type { Card } from "./cards";
import {
  cardOfKey,
  dragged,
  followHand,
  heldCards,
  newHand,
  reordered,
  restoreHand,
  saveHand,
  sortedHand,
  unmarked,
  type Hand,
  type HeldCard,
  type SavedHand,
  type Sorting,
} from "./hand";
import { logged, movesOf, type LogEntry } from "./moves";
import type { Action, SentEvent } from "./protocol";
import { mayLay } from "./seats";
import {
  NO_STAGING,
  comesBack,
  dealKey,
  followStaging,
  meldAll,
  momentOf,
  restoreStaging,
  staged,
  stagedKeys,
  stagedLayouts,
  unstaged,
  type Moment,
  type SavedStaging,
  type Staging,
} from "./staging";
import type { Keeper } from "./storage";
import { targetsFor, type Target } from "./targets";
import type { View } from "./views";

export interface Desk {
  readonly view: View;
  /** Absent between deals, and for who has no seat. */
  readonly hand: Hand | null;
  readonly staging: Staging;
  /** Keys of chosen cards, in the order chosen. */
  readonly selected: readonly string[];
  /** Keys of the cards that an action on its way takes along. */
  readonly leaving: readonly string[];
  readonly moment: Moment | null;
  readonly log: readonly LogEntry[];
  readonly sorting: Sorting;
  /** Whether the last update gave staged cards back to the hand (UX 23). */
  readonly cameBack: boolean;
}

const HAND = "hand";
const SORTING = "sorting";
const TRAY = "tray";

/** The desk for a view just got, with what this browser kept of the same deal. */
export function openDesk(view: View, lasting: Keeper, tab: Keeper): Desk {
  const kept = lasting.get<Sorting>(SORTING);
  const sorting: Sorting = kept === "rank" || kept === "own" ? kept : "suit";
  const desk: Desk = {
    view,
    hand: null,
    staging: NO_STAGING,
    selected: [],
    leaving: [],
    moment: null,
    log: [],
    sorting,
    cameBack: false,
  };
  const { deal, viewerSeat } = view;
  if (!deal || viewerSeat === undefined) return desk;
  const key = dealKey(view, deal);
  const restored = restoreHand(lasting.get<SavedHand>(HAND), key, deal.hand, deal.turnNo);
  const hand = restored ? unmarked(restored) : newHand(deal.hand, sorting, deal.turnNo);
  const moment = momentOf(view, deal);
  const tray = restoreStaging(tab.get<SavedStaging>(TRAY), moment, viewerSeat, deal.starter, view.options);
  const staging = followStaging(tray, keysOf(hand));
  return { ...desk, hand, staging, moment, sorting: hand.sorting };
}

/**
 * Keeps what a reload must not lose: the hand's order for good, the tray for this tab. Browsers are slow to keep: what
 * is as it was in `before` is not written again.
 */
export function keepDesk(desk: Desk, lasting: Keeper, tab: Keeper, before?: Desk): void {
  const kept = ["view", "hand", "staging", "moment", "sorting"] as const;
  if (before && kept.every((name) => desk[name] === before[name])) return;
  lasting.set(SORTING, desk.sorting);
  const { deal } = desk.view;
  if (!deal || !desk.hand || !desk.moment) return;
  lasting.set(HAND, saveHand(desk.hand, dealKey(desk.view, deal)));
  tab.set(TRAY, { moment: desk.moment, groups: desk.staging.groups } satisfies SavedStaging);
}

/** The desk once the view is another one; `events` as TableClient tells them. */
export function followDesk(desk: Desk, view: View, events: readonly SentEvent[] | null): Desk {
  const log = events ? logged(desk.log, movesOf(events, desk.view)) : desk.log;
  const { deal, viewerSeat } = view;
  const base: Desk = { ...desk, view, log, cameBack: false };
  if (!deal || viewerSeat === undefined) {
    const cameBack = desk.staging.groups.length > 0;
    return { ...base, hand: null, staging: NO_STAGING, selected: [], leaving: [], moment: null, cameBack };
  }
  const moment = momentOf(view, deal);
  const sameDeal = desk.moment?.deal === moment.deal;
  const hand =
    desk.hand && sameDeal
      ? followHand(desk.hand, deal.hand, deal.turnNo, desk.leaving)
      : newHand(deal.hand, desk.sorting, deal.turnNo);
  const back = desk.moment !== null && comesBack(desk.moment, moment, viewerSeat, deal.starter, view.options);
  const held = keysOf(hand);
  const staging = back ? NO_STAGING : followStaging(desk.staging, held);
  const selected = back ? [] : desk.selected.filter((key) => held.includes(key));
  return { ...base, hand, staging, selected, moment, cameBack: back && desk.staging.groups.length > 0 };
}

/** The cards of the hand that are not in the tray, in their order. */
export function shownCards(desk: Desk): readonly HeldCard[] {
  if (!desk.hand) return [];
  const inTray = stagedKeys(desk.staging);
  return heldCards(desk.hand).filter((one) => !inTray.includes(one.key));
}

// The hand.

export function sortDesk(desk: Desk, sorting: Sorting): Desk {
  return { ...desk, sorting, hand: desk.hand && sortedHand(desk.hand, sorting) };
}

/** With a card dragged to a place among the cards shown; from then on the order is one's own. */
export function dragCard(desk: Desk, key: string, to: number): Desk {
  return desk.hand ? ownOrder(desk, dragged(desk.hand, key, to, shownCards(desk))) : desk;
}

/** With the cards shown in the order that a drag-and-drop list reports. */
export function orderCards(desk: Desk, keys: readonly string[]): Desk {
  return desk.hand ? ownOrder(desk, reordered(desk.hand, keys)) : desk;
}

/** With no card marked as just drawn. */
export function unmarkDrawn(desk: Desk): Desk {
  return desk.hand ? { ...desk, hand: unmarked(desk.hand) } : desk;
}

// What is chosen.

export function toggleCard(desk: Desk, key: string): Desk {
  const selected = desk.selected.includes(key)
    ? desk.selected.filter((other) => other !== key)
    : [...desk.selected, key];
  return { ...desk, selected };
}

export function selectNone(desk: Desk): Desk {
  return desk.selected.length ? { ...desk, selected: [] } : desk;
}

export function selectedCards(desk: Pick<Desk, "selected">): readonly Card[] {
  return desk.selected.map(cardOfKey);
}

/** Where the chosen cards may go now; nowhere off-turn (UX 27). */
export function openTargets(desk: Pick<Desk, "view" | "selected">): readonly Target[] {
  const { deal, viewerSeat, options } = desk.view;
  if (!deal || viewerSeat === undefined || !mayLay(desk.view)) return [];
  return targetsFor(selectedCards(desk), deal, viewerSeat, options);
}

/** What the open melds of a side have to say, on one's own turn: that the chosen cards go nowhere there. */
export function fieldNote(desk: Pick<Desk, "view" | "selected">, side: "us" | "them") {
  if (!mayLay(desk.view) || desk.selected.length === 0) return "";
  if (side === "them") return "table.field.theirs";
  return openTargets(desk).length ? "" : "table.field.unfit";
}

// The tray.

/** With the chosen cards in a group, or in a new one. */
export function stageSelected(desk: Desk, groupId?: number): Desk {
  return { ...stageCards(desk, desk.selected, groupId), selected: [] };
}

export function stageCards(desk: Desk, keys: readonly string[], groupId?: number): Desk {
  return { ...desk, staging: staged(desk.staging, keys, desk.view.options, groupId) };
}

export function unstageCards(desk: Desk, keys: readonly string[]): Desk {
  return { ...desk, staging: unstaged(desk.staging, keys, desk.view.options) };
}

export function clearTray(desk: Desk): Desk {
  return { ...desk, staging: NO_STAGING };
}

/** With the layouts that hints propose in the tray, in place of what was there. */
export function stageProposed(desk: Desk, layouts: readonly (readonly Card[])[]): Desk {
  return desk.hand ? { ...desk, staging: stagedLayouts(layouts, keysOf(desk.hand)), selected: [] } : desk;
}

// Actions, and the cards that go with them.

export interface Outgoing {
  readonly action: Action;
  readonly keys: readonly string[];
}

/** Every legal group in one command; `null` where there is none (UX 22). */
export function outgoingMelds(desk: Desk): Outgoing | null {
  return meldAll(desk.staging, desk.view.options);
}

export function outgoingDiscard(key: string): Outgoing {
  return { action: { discard: { card: cardOfKey(key) } }, keys: [key] };
}

/** The chosen cards onto a meld, or a two moved there. */
export function outgoingAmend(desk: Desk, target: Target): Outgoing {
  const keys = target.kind === "moveTwo" ? [] : desk.selected;
  return { action: { amend: { meldId: target.meldId, cards: target.cards } }, keys };
}

/** While an action is on its way: its very cards leave the hand, whatever copies there are. */
export function sent(desk: Desk, outgoing: Outgoing): Desk {
  return { ...desk, leaving: outgoing.keys };
}

/** The action is answered. A refusal has changed nothing: hand, tray and choice are as they were (UX 22). */
export function answered(desk: Desk): Desk {
  return { ...desk, leaving: [] };
}

function ownOrder(desk: Desk, hand: Hand): Desk {
  return { ...desk, hand, sorting: hand.sorting };
}

function keysOf(hand: Hand): string[] {
  return heldCards(hand).map((one) => one.key);
}
