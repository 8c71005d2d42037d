/** From what one player has before them (core/desk.ts) to what the table's components show. */

import { openTargets, shownCards, type Desk } from "../core/desk";
import { type Card, runCard, cardOf, JOKER, rankOf, isPlain, suitOf, without } from "../core/cards";
import { cardsText, points } from "../core/format";
import { judge, isWildAt } from "../core/legality";
import { seatName } from "../core/names";
import { lastShown, type LogEntry, type Move } from "../core/moves";
import type { MeldOptions } from "../core/options";
import type { Hints } from "../core/protocol";
import { reason } from "../core/reasons";
import { eyeOf, mayLay, sideOf, teamOf, threadOf } from "../core/seats";
import type { JudgedGroup } from "../core/staging";
import { layoutsAdding, twoMoves } from "../core/targets";
import type { Meld, View } from "../core/views";
import { spokenCard } from "../ui/text";
import type { Fit, HandItem, LaidCard, MeldModel, PocketModel, Team } from "../ui/types";
import type { Words } from "../ui/words";

/** A seat's name as the viewer says it. */
export function nameOf(view: View, seat: number, words: Words): string {
  if (seat === view.viewerSeat) return words.t("table.you");
  const found = view.seats[seat];
  const name = found && seatName(words.t, found);
  return name || words.t(found?.occupant === "OCCUPANT_VACANT" ? "room.seat.free" : "table.bot");
}

const OF_PRESENCE: ReadonlySet<Move["kind"]> = new Set(["away", "back", "botIn", "tookBack"]);

/** Whether a move is worth telling: that one was away oneself, one knows. */
export function isTold(move: Move, view: View): boolean {
  return !(OF_PRESENCE.has(move.kind) && "seat" in move && move.seat === view.viewerSeat);
}

/** Half-points of each side before this deal. */
export function scoresOf(view: View) {
  const us = teamOf(eyeOf(view));
  const total = (team: number) => view.match.totalHalfPoints[team] ?? 0;
  return { us: total(us), them: total(1 - us), target: view.options.target };
}

/** Matches of the series that each side has won; nothing where there is no series. */
export function winsOf({ options, match, viewerSeat }: View) {
  if (options.format !== "MATCH_FORMAT_BEST_OF_3") return undefined;
  const us = teamOf(viewerSeat ?? 0);
  return { us: match.seriesWins[us] ?? 0, them: match.seriesWins[1 - us] ?? 0 };
}

/** What the sides are called for who looks on: by those who sit there. */
export function sideNames(view: View, words: Words): NonNullable<Words["sides"]> {
  const names = (side: Team) =>
    view.seats
      .filter(({ seat }) => sideOf(seat, view) === side)
      .map(({ seat }) => nameOf(view, seat, words))
      .join(" · ");
  return { us: names("us"), them: names("them") };
}

export function handItems(desk: Desk): HandItem[] {
  const fresh = desk.hand?.fresh ?? [];
  return shownCards(desk).map(({ key, card }) => ({ key, card, drawn: fresh.includes(key) }));
}

/** What a card of a layout stands for: nothing but itself, the card of its place, or in a set each suit that is missing. */
function standing(cards: readonly Card[], at: number, options: MeldOptions): readonly Card[] {
  const judged = judge(cards, options);
  if (!judged.ok || !isWildAt(judged.shape, cards, at)) return [];
  const { start, suit } = judged.shape;
  if (start > 0) return [runCard(start + at, suit)];
  const plain = cards.filter(isPlain);
  const taken = new Set(plain.map(suitOf));
  return [0, 1, 2, 3].filter((other) => !taken.has(other)).map((other) => cardOf(rankOf(plain[0]!), other));
}

export function laidCards(cards: readonly Card[], options: MeldOptions): LaidCard[] {
  return cards.map((card, at) => ({ card, standsFor: standing(cards, at, options) }));
}

/** The melds as they lie, by the last moves marked; what hints say of them is added by `withHints`. */
export function meldModels(view: View, log: readonly LogEntry[], words: Words): MeldModel[] {
  const last = lastShown(log);
  return (view.deal?.melds ?? []).map((meld) => {
    const mark = lastMark(meld, last);
    return {
      id: meld.id,
      cards: laidCards(meld.cards, view.options).map((laid, at) => ({
        ...laid,
        thread: threadOf(meld.layers[at] ?? meld.owner, view),
      })),
      label: meld.cards.map((card) => spokenCard(words.t, card)).join(", "),
      ...(mark ? { last: mark } : {}),
    };
  });
}

/** One side's melds, with what hints say of them. */
export function withHints(
  models: readonly MeldModel[],
  view: View,
  side: Team,
  words: Words,
  hints: Hints | null,
): MeldModel[] {
  const melds = view.deal?.melds ?? [];
  return models.flatMap((model, at) => {
    const meld = melds[at];
    if (!meld || sideOf(meld.owner, view) !== side) return [];
    return hints ? [{ ...model, ...hintMarks(meld, words, hints) }] : [model];
  });
}

export const NOWHERE: ReadonlySet<number> = new Set();

/** Ids of melds where the chosen cards may go; with none chosen, and where asked, those in which a two may move. */
export function targetIds(desk: Pick<Desk, "view" | "selected">, twos: boolean): ReadonlySet<number> {
  const melds = twos ? (desk.view.deal?.melds ?? []) : [];
  const ids = desk.selected.length
    ? openTargets(desk).map(({ meldId }) => meldId)
    : melds.map(({ id }) => id).filter((id) => twosOf(desk, id).length > 0);
  return ids.length ? new Set(ids) : NOWHERE;
}

/** Where the twos of a meld may go, on one's own turn. */
export function twosOf(desk: Pick<Desk, "view">, meldId: number) {
  const { deal, viewerSeat, options } = desk.view;
  if (!deal || viewerSeat === undefined || !mayLay(desk.view)) return [];
  return twoMoves(meldId, deal, viewerSeat, options);
}

function hintMarks(meld: Meld, words: Words, hints: Hints): Pick<MeldModel, "slots" | "joker"> {
  const slots: { before?: string; after?: string } = {};
  for (const end of ["before", "after"] as const) {
    const fit = slotFit(meld, hints, end);
    if (fit) slots[end] = `${words.t("act.layoff")}: ${spokenCard(words.t, fit)}`;
  }
  const joker = hints.jokers.find(({ meldId }) => meldId === meld.id);
  const taking = joker && `${words.t("act.swap")}: ${spokenCard(words.t, joker.card)}`;
  return { ...(slots.before || slots.after ? { slots } : {}), ...(taking ? { joker: taking } : {}) };
}

/** The one card that hints would lay off at an end of a meld. */
export function slotFit(meld: Meld, hints: Hints, end: "before" | "after"): Card | null {
  for (const { meldId, cards } of hints.layoffs) {
    if (meldId !== meld.id || cards.length !== meld.cards.length + 1) continue;
    const added = end === "before" ? cards[0] : cards[cards.length - 1];
    const rest = end === "before" ? cards.slice(1) : cards.slice(0, -1);
    if (added !== undefined && rest.join() === meld.cards.join()) return added;
  }
  return null;
}

/** The card that takes a meld's joker back by the hints, and the layout that this makes. */
export function jokerWay(desk: Desk, meldId: number, hints: Hints): { card: Card; cards: readonly Card[] } | null {
  const { deal, viewerSeat, options } = desk.view;
  const meld = deal?.melds.find(({ id }) => id === meldId);
  if (!meld || viewerSeat === undefined) return null;
  for (const { card } of hints.jokers.filter((one) => one.meldId === meldId)) {
    const way = layoutsAdding(meld, [card], viewerSeat, options).find(({ jokerReleased }) => jokerReleased);
    if (way) return { card, cards: way.meld.cards };
  }
  return null;
}

function lastMark(meld: Meld, last: readonly Move[]): readonly [number, number] | null {
  for (const move of [...last].reverse()) {
    if (!("meldId" in move) || move.meldId !== meld.id) continue;
    if (move.kind === "laid" || move.kind === "movedTwo") return [0, meld.cards.length - 1];
    const added = meld.cards.flatMap((card, at) =>
      meld.layers[at] === move.seat && move.cards.includes(card) ? [at] : [],
    );
    if (added.length) return [Math.min(...added), Math.max(...added)];
  }
  return null;
}

/** The tray's groups: green with points, or coral with a reason of a few words. */
export function pocketModels(groups: readonly JudgedGroup[], options: MeldOptions, words: Words): PocketModel[] {
  return groups.map((group, at) => pocketModel(group, at + 1, options, words));
}

function pocketModel(group: JudgedGroup, n: number, options: MeldOptions, words: Words): PocketModel {
  const { t } = words;
  const { verdict } = group;
  const note = verdict.ok ? `${t("stage.legal")} ${points(verdict.halfPoints, words.digits)}` : reason(t, verdict.code);
  const spoken = group.cards.map((card) => spokenCard(t, card)).join(", ");
  return {
    id: group.id,
    cards: laidCards(group.cards, options),
    state: verdict.ok ? "legal" : group.cards.length < 3 ? "open" : "illegal",
    note,
    label: `${t("stage.group", { n })}: ${spoken}. ${note}`,
  };
}

/** Keys of the cards in hand that are a ready meld together, for each one that hints propose. */
export function hintedKeys(hand: readonly HandItem[], hints: Hints | null): readonly (readonly HandItem["key"][])[] {
  if (!hints) return [];
  let free = hand;
  return hints.best.melds.flatMap(({ cards }) => {
    const keys: HandItem["key"][] = [];
    for (const card of cards) {
      const found = free.find((one) => one.card === card);
      if (!found) return [];
      keys.push(found.key);
      free = free.filter((one) => one.key !== found.key);
    }
    return [keys];
  });
}

/** The cards in hand that hints would lay off, or take a joker back with; of two alike, one for each way. */
export function fitsOf(hand: readonly HandItem[], view: View, hints: Hints): ReadonlyMap<HandItem["key"], Fit> {
  const melds = new Map((view.deal?.melds ?? []).map(({ id, cards }) => [id, cards]));
  const fits = new Map<HandItem["key"], Fit>();
  const mark = (card: Card, fit: Fit) => {
    const found = hand.find((one) => one.card === card);
    if (found && !fits.has(found.key)) fits.set(found.key, fit);
  };
  for (const { card } of hints.jokers) mark(card, "back");
  for (const { meldId, cards } of hints.layoffs) {
    const lies = melds.get(meldId);
    for (const card of (lies && without(cards, lies)) ?? []) mark(card, "plus");
  }
  return fits;
}

/** What is owed before the turn ends (R5.6), in words. */
export function dutyText(duties: readonly Card[], words: Words): string {
  const card = duties[0];
  if (card === undefined) return "";
  if (card === JOKER && duties.length === 1) return words.t("duty.joker");
  return duties.length === 1 ? words.t("duty.lay", { card }) : `${words.t("act.undo")} ${cardsText(duties)}`;
}

/** The card that the finisher threw last, where one was. */
export function thrownLast(desk: Desk): Card | undefined {
  const moves = desk.log.map(({ move }) => move);
  for (let at = moves.length - 1; at > 0; at--) {
    if (moves[at]?.kind !== "out") continue;
    const before = moves[at - 1];
    return before?.kind === "discarded" ? before.card : undefined;
  }
  return undefined;
}
