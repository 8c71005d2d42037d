/**
 * The tray: groups of cards that are to become melds. It never leaves the browser; what is sent is one command with the
 * groups that are legal (UX 19, 21-23).
 */

import { arrangements } from "./arrange";
import { halfPoints, type Card } from "./cards";
import type { LayoutCode } from "./codes";
import { cardOfKey } from "./hand";
import { judge, type Shape } from "./legality";
import { seatCount, type MeldOptions, type RuleOptions } from "./options";
import type { Action } from "./protocol";
import { seatOfTurn } from "./seats";
import type { DealView, View } from "./views";

/** As many groups as a hand of 19 and a long pile could be laid in. */
export const MOST_GROUPS = 16;

export interface Group {
  readonly id: number;
  /** Keys of held cards (hand.ts), in the order of the layout. */
  readonly keys: readonly string[];
}

export interface Staging {
  readonly groups: readonly Group[];
}

export const NO_STAGING: Staging = { groups: [] };

export type Verdict =
  | { readonly ok: true; readonly shape: Shape; readonly halfPoints: number }
  | { readonly ok: false; readonly code: LayoutCode };

/** A group with its cards and whether it is a meld. */
export interface JudgedGroup extends Group {
  readonly cards: readonly Card[];
  readonly verdict: Verdict;
}

export function stagedKeys(staging: Staging): readonly string[] {
  return staging.groups.flatMap((group) => group.keys);
}

export function groupCards(group: Group): Card[] {
  return group.keys.map(cardOfKey);
}

/** With cards put into a group, or into a new one; cards of other groups leave those. A group falls into a legal order. */
export function staged(staging: Staging, keys: readonly string[], options: MeldOptions, groupId?: number): Staging {
  if (keys.length === 0) return staging;
  const rest = unstaged(staging, keys, options).groups;
  const into = staging.groups.find((group) => group.id === groupId);
  if (!into && rest.length >= MOST_GROUPS) return staging;
  const kept = into?.keys.filter((key) => !keys.includes(key)) ?? [];
  const id = into?.id ?? Math.max(0, ...staging.groups.map((group) => group.id)) + 1;
  const group = settled({ id, keys: [...kept, ...keys] }, options);
  const known = rest.some((other) => other.id === id);
  // A group that was emptied by its own cards' coming back keeps its place at the end.
  return { groups: known ? rest.map((other) => (other.id === id ? group : other)) : [...rest, group] };
}

/** Each of several layouts as a group of its own, as hints propose them; cards that are not held are left out. */
export function stagedLayouts(layouts: readonly (readonly Card[])[], held: readonly string[]): Staging {
  let free = [...held];
  const groups = layouts.slice(0, MOST_GROUPS).map((cards, index) => {
    const keys = keysFor(cards, free);
    free = free.filter((key) => !keys.includes(key));
    return { id: index + 1, keys };
  });
  return { groups: groups.filter((group) => group.keys.length > 0) };
}

/** With cards taken back to the hand; what is left of a group falls into a legal order, and an empty one goes. */
export function unstaged(staging: Staging, keys: readonly string[], options: MeldOptions): Staging {
  const groups = staging.groups.map((group) => {
    const left = group.keys.filter((key) => !keys.includes(key));
    return left.length === group.keys.length ? group : settled({ ...group, keys: left }, options);
  });
  return { groups: groups.filter((group) => group.keys.length > 0) };
}

/** With a card moved within its group; the player's order stands, legal or not. */
export function movedInGroup(staging: Staging, key: string, to: number): Staging {
  const groups = staging.groups.map((group) => {
    if (!group.keys.includes(key)) return group;
    const others = group.keys.filter((other) => other !== key);
    return { ...group, keys: [...others.slice(0, to), key, ...others.slice(to)] };
  });
  return { groups };
}

/** With the whole order of a group as a drag-and-drop list reports it. */
export function withOrder(staging: Staging, groupId: number, keys: readonly string[]): Staging {
  return { groups: staging.groups.map((group) => (group.id === groupId ? { ...group, keys } : group)) };
}

export function judgedGroups(staging: Staging, options: MeldOptions): JudgedGroup[] {
  return staging.groups.map((group) => {
    const cards = groupCards(group);
    const judged = judge(cards, options);
    const verdict: Verdict = judged.ok ? { ...judged, halfPoints: halfPoints(cards) } : judged;
    return { ...group, cards, verdict };
  });
}

/** One command with every legal group, and the keys that go with it; `null` where none is legal. */
export function meldAll(staging: Staging, options: MeldOptions): { action: Action; keys: readonly string[] } | null {
  const legal = judgedGroups(staging, options).filter((group) => group.verdict.ok);
  if (legal.length === 0) return null;
  const melds = legal.map((group) => ({ cards: group.cards }));
  return { action: { meld: { melds } }, keys: legal.flatMap((group) => group.keys) };
}

/** The tray once the hand holds these keys: what has left the hand has left the tray. */
export function followStaging(staging: Staging, held: readonly string[]): Staging {
  if (stagedKeys(staging).every((key) => held.includes(key))) return staging;
  const groups = staging.groups.map((group) => ({ ...group, keys: group.keys.filter((key) => held.includes(key)) }));
  return { groups: groups.filter((group) => group.keys.length > 0) };
}

/** Where a tray was last seen: its deal and turn, and whether time was up. */
export interface Moment {
  readonly deal: string;
  readonly turnNo: number;
  readonly timeUp: boolean;
}

export function momentOf(view: View, deal: DealView): Moment {
  return { deal: dealKey(view, deal), turnNo: deal.turnNo, timeUp: deal.timeUp };
}

/** One name for a deal of a table, over reloads. */
export function dealKey(view: View, deal: DealView): string {
  return `${view.tableId}/${view.match.matchId}/${deal.dealNo}`;
}

/** Whether the cards come back to the hand: the own turn or its time has ended since, or the deal has (UX 23). */
export function comesBack(then: Moment, now: Moment, seat: number, starter: number, options: RuleOptions): boolean {
  if (then.deal !== now.deal) return true;
  const seats = seatCount(options);
  for (let turn = then.turnNo; turn < now.turnNo && turn < then.turnNo + seats; turn++) {
    if (seatOfTurn(turn, starter, seats) === seat) return true;
  }
  const mine = seatOfTurn(now.turnNo, starter, seats) === seat;
  return mine && now.timeUp && !(then.turnNo === now.turnNo && then.timeUp);
}

/** What is kept of a tray over a reload. */
export interface SavedStaging {
  readonly moment: Moment;
  readonly groups: readonly Group[];
}

/** The tray as it was kept; an empty one where what was kept cannot be read or its time has passed. */
export function restoreStaging(
  saved: SavedStaging | null,
  now: Moment,
  seat: number,
  starter: number,
  options: RuleOptions,
): Staging {
  if (!saved?.moment || !Array.isArray(saved.groups)) return NO_STAGING;
  const readable = saved.groups.every((group) => typeof group?.id === "number" && Array.isArray(group.keys));
  if (!readable || comesBack(saved.moment, now, seat, starter, options)) return NO_STAGING;
  return { groups: saved.groups.slice(0, MOST_GROUPS) };
}

/** A group in the order that it has if that is legal, else in a legal one if there is any. */
function settled(group: Group, options: MeldOptions): Group {
  const cards = groupCards(group);
  if (judge(cards, options).ok) return group;
  const layout = arrangements(cards, options)[0];
  return layout ? { ...group, keys: keysFor(layout, group.keys) } : group;
}

/** Keys of these cards, in their order, out of some; cards without a key are left out. */
export function keysFor(cards: readonly Card[], among: readonly string[]): string[] {
  const free = [...among];
  return cards.flatMap((card) => {
    const at = free.findIndex((key) => cardOfKey(key) === card);
    return at < 0 ? [] : free.splice(at, 1);
  });
}
