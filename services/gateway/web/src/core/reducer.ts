/**
 * What a view becomes with each update: snapshots replace it, deltas are followed event by event (events.proto). Pure;
 * whoever follows every delta has what a fresh snapshot would say.
 */

import { JOKER, sortedCards, without, type Card } from "./cards";
import { seatCount, type RuleOptions } from "./options";
import type { SentDelta, SentEvent } from "./protocol";
import { readDeal, readFair, readMatch, readMeld, readMelds, readMissing, readPause, readResult } from "./views";
import { readSeat, readSwap, type DealView, type Meld, type Stage, type View } from "./views";

/** A delta that cannot follow this view: the client has missed something and asks anew from what it has. */
export class MissedError extends Error {}

/** The bodies of events, with what they may leave out. */
interface Bodies {
  readonly drew: { seat?: number; card?: Card };
  readonly took: { seat?: number; cards?: readonly Card[] };
  readonly laid: { seat?: number; melds?: unknown };
  readonly amended: { seat?: number; meld?: unknown; added?: readonly Card[]; jokerReleased?: boolean };
  readonly undone: { seat?: number; deal?: unknown };
  readonly discarded: { seat?: number; card?: Card; byClock?: boolean };
  readonly reshuffled: { stockCount?: number };
  readonly dealEnded: { result?: unknown; match?: unknown };
  readonly seatChanged: { seat?: unknown };
  readonly stageEntered: { stage?: Stage };
  readonly matchStarted: { match?: unknown };
  readonly matchEnded: { match?: unknown };
  readonly fairPublished: { fair?: unknown };
  readonly dealStarted: { deal?: unknown };
  readonly passed: { seat?: number };
  readonly timeRanOut: { seat?: number };
  readonly tableClosed: { aborted?: boolean };
  readonly frozenChanged: { frozen?: boolean };
  readonly pauseChanged: { pause?: unknown };
  readonly swapChanged: { swap?: unknown };
  readonly stakesMissing: unknown;
}

export type EventName = keyof Bodies;

/** An event taken apart: its name, and its body. */
export type TableEvent = { [N in EventName]: { readonly name: N; readonly body: Bodies[N] } }[EventName];

/** The event that was sent; `null` for a kind that only newer servers know. */
export function readEvent(sent: SentEvent): TableEvent | null {
  const name = Object.keys(sent)[0];
  return name !== undefined && Object.hasOwn(APPLY, name) ? ({ name, body: sent[name] } as TableEvent) : null;
}

/** The view after a delta. Throws `MissedError` where the delta does not follow on it. */
export function applyDelta(view: View, delta: SentDelta): View {
  if (delta.revision !== view.revision + 1) throw new MissedError("a delta was missed");
  let next: View = view;
  for (const sent of delta.events ?? []) next = applyEvent(next, sent);
  next = { ...next, revision: delta.revision };
  // What the server says that its events came to, checked: a client that went astray must not play on.
  if ((next.deal?.turnNo ?? 0) !== (delta.turnNo ?? 0)) throw new MissedError("another turn");
  if (next.deal && next.deal.duties.join() !== (delta.duties ?? []).join()) throw new MissedError("other duties");
  return next;
}

/** The view after one event. Throws `MissedError` for one that cannot follow this view. */
export function applyEvent(view: View, sent: SentEvent): View {
  const event = readEvent(sent);
  if (event === null) return view;
  const apply = APPLY[event.name] as (view: View, body: Bodies[EventName]) => View;
  return apply(view, event.body);
}

const APPLY: { readonly [N in EventName]: (view: View, body: Bodies[N]) => View } = {
  drew: (view, { seat = 0, card }) =>
    inDeal(view, (deal) => ({
      ...held(view, deal, seat, card ? [card] : [], [], 1),
      stockCount: deal.stockCount - 1,
      phase: "PHASE_PLAY",
    })),
  took: (view, { seat = 0, cards = [] }) =>
    inDeal(view, (deal) => {
      const top = cards[cards.length - 1];
      const owed = view.options.pileTake === "PILE_TAKE_TOP_MUST_MELD" && top !== undefined ? [top] : [];
      return {
        ...owing(held(view, deal, seat, cards, [], cards.length), owed),
        pile: deal.pile.slice(0, deal.pile.length - cards.length),
        phase: "PHASE_PLAY",
      };
    }),
  passed: (view) => view,
  laid: (view, { seat = 0, melds }) => inDeal(view, (deal) => laid(view, deal, seat, readMelds(melds))),
  amended: (view, { seat = 0, meld, added = [], jokerReleased = false }) =>
    inDeal(view, (deal) => amended(view, deal, seat, readMeld(meld), added, jokerReleased)),
  undone: (view, { deal }) => inDeal(view, () => readDeal(deal)),
  discarded: (view, { seat = 0, card = "" }) => inDeal(view, (deal) => discarded(view, deal, seat, card)),
  timeRanOut: (view) => inDeal(view, (deal) => ({ ...deal, timeUp: true })),
  reshuffled: (view, { stockCount = 0 }) =>
    inDeal(view, (deal) => ({
      ...deal,
      stockCount,
      pile: deal.pile.slice(-1),
      reshufflesUsed: deal.reshufflesUsed + 1,
    })),
  dealEnded: ({ deal: _over, ...view }, { result, match }) => ({
    ...view,
    stage: "STAGE_RESULT",
    lastResult: readResult(result),
    match: readMatch(match),
  }),
  seatChanged: (view, { seat }) => {
    const changed = readSeat(seat);
    return { ...view, seats: view.seats.map((old) => (old.seat === changed.seat ? changed : old)) };
  },
  stageEntered: (view, { stage = "STAGE_UNSPECIFIED" }) => ({
    ...(stage === "STAGE_SWAP" ? view : swapOver(view)),
    stage,
  }),
  matchStarted: (view, { match }) => ({ ...view, match: readMatch(match) }),
  matchEnded: (view, { match }) => ({ ...view, match: readMatch(match) }),
  fairPublished: (view, { fair }) => ({ ...view, nextFair: readFair(fair) }),
  dealStarted: ({ nextFair, ...view }, { deal: sent }) => {
    const deal = readDeal(sent);
    const match = { ...view.match, dealNo: deal.dealNo };
    return { ...view, stage: "STAGE_DEAL", deal, match, ...(nextFair ? { fair: nextFair } : {}) };
  },
  tableClosed: (view, { aborted = false }) => {
    const { deal: _over, nextFair: _not, ...closed } = swapOver(view);
    return { ...closed, stage: "STAGE_CLOSED", frozen: false, aborted };
  },
  frozenChanged: (view, { frozen = false }) => ({ ...view, frozen }),
  pauseChanged: (view, { pause }) => ({ ...view, pause: readPause(pause) }),
  swapChanged: (view, { swap }) => ({ ...view, swap: readSwap(swap) }),
  stakesMissing: (view, body) => ({ ...view, stakesMissing: readMissing(body) }),
};

function swapOver({ swap: _over, ...view }: View): View {
  return view;
}

function inDeal(view: View, change: (deal: DealView) => DealView): View {
  if (!view.deal) throw new MissedError("no deal is being played");
  return { ...view, deal: change(view.deal) };
}

function laid(view: View, deal: DealView, seat: number, melds: readonly Meld[]): DealView {
  const cards = melds.flatMap((meld) => meld.cards);
  const after = owing(held(view, deal, seat, [], cards, -cards.length), metBy(deal.duties, cards));
  return {
    ...after,
    melds: [...deal.melds, ...melds],
    opened: marked(deal.opened, seat),
    putDown: marked(deal.putDown, seat),
  };
}

function amended(
  view: View,
  deal: DealView,
  seat: number,
  meld: Meld,
  added: readonly Card[],
  released: boolean,
): DealView {
  if (!deal.melds.some(({ id }) => id === meld.id)) throw new MissedError("a meld that is not on the table");
  const gained = released ? [JOKER] : [];
  const owed = released && view.options.releasedJokerMustBeLaid ? gained : [];
  const duties = sortedCards([...metBy(deal.duties, added), ...owed]);
  return {
    ...owing(held(view, deal, seat, gained, added, gained.length - added.length), duties),
    melds: deal.melds.map((old) => (old.id === meld.id ? meld : old)),
    putDown: added.length ? marked(deal.putDown, seat) : deal.putDown,
    partnerAmended: deal.partnerAmended || meld.owner !== seat,
  };
}

function discarded(view: View, deal: DealView, seat: number, card: Card): DealView {
  const next = nextSeat(seat, view.options);
  return {
    ...held(view, deal, seat, [], [card], -1),
    pile: [...deal.pile, card],
    turnSeat: next,
    turnNo: deal.turnNo + 1,
    phase: "PHASE_DRAW",
    timeUp: false,
    turnFresh: !deal.putDown[next],
    partnerAmended: false,
  };
}

/** With these duties unmet; as long as there are any, the turn can be taken back (R5.8). */
function owing(deal: DealView, duties: readonly Card[]): DealView {
  return { ...deal, duties, undoPossible: duties.length > 0 };
}

/** The duties left once these cards are on the table; any card of the face meets one (R5.6). */
function metBy(duties: readonly Card[], cards: readonly Card[]): readonly Card[] {
  return cards.reduce<readonly Card[]>((left, card) => without(left, [card]) ?? left, duties);
}

/** With what a seat gained and then lost; only the viewer's own cards are known, of others the count. */
function held(
  view: View,
  deal: DealView,
  seat: number,
  gained: readonly Card[],
  lost: readonly Card[],
  change: number,
): DealView {
  const handCounts = deal.handCounts.map((count, at) => (at === seat ? count + change : count));
  if (seat !== view.viewerSeat) return { ...deal, handCounts };
  const hand = without(deal.hand, lost);
  if (hand === null || change !== gained.length - lost.length)
    throw new MissedError("cards that this seat does not hold");
  return { ...deal, handCounts, hand: gained.length ? sortedCards([...hand, ...gained]) : hand };
}

function marked(flags: readonly boolean[], seat: number): readonly boolean[] {
  return flags.map((flag, at) => flag || at === seat);
}

function nextSeat(seat: number, options: RuleOptions): number {
  return (seat + 1) % seatCount(options);
}
