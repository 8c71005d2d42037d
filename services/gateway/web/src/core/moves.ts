/** What happened, told for people: the log, the mark on the last move, and what a screen reader says. */

import type { Card } from "./cards";
import { cardsText } from "./format";
import type { Translate } from "./i18n";
import { seatCount } from "./options";
import { readEvent, type TableEvent } from "./reducer";
import type { SentEvent } from "./protocol";
import { readDeal, readFair, readMeld, readMelds, readResult, readSeat, type FairInfo, type View } from "./views";

export type Move =
  | { readonly kind: "drew"; readonly seat: number; readonly card: Card | null }
  | { readonly kind: "took"; readonly seat: number; readonly cards: readonly Card[] }
  | { readonly kind: "passed" | "undone" | "timeUp"; readonly seat: number }
  | { readonly kind: "laid"; readonly seat: number; readonly meldId: number; readonly cards: readonly Card[] }
  | {
      readonly kind: "amended" | "swapped" | "movedTwo";
      readonly seat: number;
      readonly meldId: number;
      readonly cards: readonly Card[];
    }
  | { readonly kind: "discarded"; readonly seat: number; readonly card: Card; readonly byClock: boolean }
  | { readonly kind: "reshuffled" }
  | { readonly kind: "dealt"; readonly dealNo: number }
  | { readonly kind: "away" | "back" | "botIn" | "tookBack" | "left"; readonly seat: number }
  | { readonly kind: "out"; readonly seat: number }
  | { readonly kind: "dead" }
  /** The deck was cut, by the host or by itself. */
  | { readonly kind: "cut"; readonly host: number; readonly at: number; readonly automatic: boolean }
  /** The first dealer was drawn (R3.2): the next seat starts. */
  | { readonly kind: "drawn"; readonly dealer: number; readonly starter: number }
  /** A seat did not open its number: the shuffle begins anew without it. */
  | { readonly kind: "failed"; readonly seat: number };

/** A move with a number of its own, for lists. */
export interface LogEntry {
  readonly no: number;
  readonly move: Move;
}

/** Of a seat, but nothing that it did with cards. */
const NO_PLAY: ReadonlySet<Move["kind"]> = new Set(["away", "back", "botIn", "tookBack", "left", "timeUp", "failed"]);

/** Entries that are kept. */
export const MOST_ENTRIES = 300;

/** The moves in what an update brought; `before`: the view before it. */
export function movesOf(events: readonly SentEvent[], before: View): Move[] {
  return events.flatMap((sent) => {
    const event = readEvent(sent);
    return event ? moveOf(event, before) : [];
  });
}

/** The log with moves added; the oldest fall away. */
export function logged(log: readonly LogEntry[], moves: readonly Move[]): readonly LogEntry[] {
  const next = (log[log.length - 1]?.no ?? 0) + 1;
  return [...log, ...moves.map((move, index) => ({ no: next + index, move }))].slice(-MOST_ENTRIES);
}

/** The last moves that show on the table, to be marked until the next: those of one seat, from its draw on. */
export function lastShown(log: readonly LogEntry[]): readonly Move[] {
  const shown: Move[] = [];
  for (const { move } of [...log].reverse()) {
    if (!("seat" in move) || NO_PLAY.has(move.kind)) continue;
    const first = shown[0];
    if (first && "seat" in first && first.seat !== move.seat) break;
    shown.unshift(move);
    if (move.kind === "drew" || move.kind === "took") break;
  }
  return shown;
}

/** The move in words; `nameOf`: a seat's name as this viewer says it. */
export function moveText(t: Translate, move: Move, nameOf: (seat: number) => string): string {
  const name = "seat" in move ? nameOf(move.seat) : "";
  switch (move.kind) {
    case "drew":
      return move.card ? t("log.drewCard", { name, card: move.card }) : t("log.drew", { name });
    case "took":
      return t("log.took", { name, n: move.cards.length, cards: cardsText(move.cards) });
    case "passed":
      return t("log.passed", { name });
    case "laid":
      return t("log.laid", { name, cards: cardsText(move.cards) });
    case "amended":
      return t("log.amended", { name, cards: cardsText(move.cards) });
    case "swapped":
      return t("log.swapped", { name, cards: cardsText(move.cards) });
    case "movedTwo":
      return t("log.moved", { name });
    case "undone":
      return t("log.undone", { name });
    case "timeUp":
      return t("log.timeUp", { name });
    case "discarded":
      return t(move.byClock ? "log.discarded.clock" : "log.discarded", { name, card: move.card });
    case "reshuffled":
      return t("log.reshuffled");
    case "dealt":
      return t("log.dealt", { dealNo: move.dealNo });
    case "away":
      return t("log.away", { name });
    case "back":
      return t("log.back", { name });
    case "botIn":
      return t("log.botIn", { name });
    case "tookBack":
      return t("log.tookBack", { name });
    case "left":
      return t("log.left", { name });
    case "drawn":
      return drawText(t, move, nameOf);
    case "out":
      return t("log.out", { name });
    case "dead":
      return t("log.dead");
    case "cut":
      return cutText(t, move, nameOf(move.host));
    case "failed":
      return t("fair.failed", { name });
  }
}

/** What the clock has just done in a seat's place: it drew as time ran out, or threw (R9.2); `null` where nothing. */
export function clocksDeed(moves: readonly Move[], seat: number): Move | null {
  const own = moves.filter((move) => "seat" in move && move.seat === seat);
  const thrown = own.find((move) => move.kind === "discarded" && move.byClock);
  const late = own.some(({ kind }) => kind === "timeUp");
  return thrown ?? (late ? own.find(({ kind }) => kind === "drew") : undefined) ?? null;
}

/** The cut in words, with its number. */
export function cutText(t: Translate, { at, automatic }: { at: number; automatic: boolean }, name: string): string {
  return automatic ? t("fair.cut.auto", { n: at }) : t("fair.cut", { name, n: at });
}

/** The draw of the first dealer in words. */
export function drawText(
  t: Translate,
  { dealer, starter }: { dealer: number; starter: number },
  nameOf: (seat: number) => string,
): string {
  return t("log.drawn", { dealer: nameOf(dealer), name: nameOf(starter) });
}

/** Who was drawn to deal first, told by who starts a match's first deal; `null` where no draw decides that. */
export function drawOf({ options, deal }: View): Extract<Move, { kind: "drawn" }> | null {
  if (!deal || deal.dealNo !== 1 || options.starter !== "STARTER_RULE_DEALER_DRAW") return null;
  const seats = seatCount(options);
  return { kind: "drawn", dealer: (deal.starter + seats - 1) % seats, starter: deal.starter };
}

/** The cut of a shuffle, as far as it is known; `null` where none was due. */
export function cutOf(fair: FairInfo | undefined): Extract<Move, { kind: "cut" }> | null {
  const at = fair?.cut || fair?.automaticCut;
  return at && fair.hostSeat !== undefined ? { kind: "cut", host: fair.hostSeat, at, automatic: !fair.cut } : null;
}

function moveOf(event: TableEvent, before: View): Move[] {
  switch (event.name) {
    case "drew":
      return [{ kind: "drew", seat: event.body.seat ?? 0, card: event.body.card || null }];
    case "took":
      return [{ kind: "took", seat: event.body.seat ?? 0, cards: event.body.cards ?? [] }];
    case "passed":
      return [{ kind: "passed", seat: event.body.seat ?? 0 }];
    case "laid":
      return readMelds(event.body.melds).map(({ id, cards }) => ({
        kind: "laid",
        seat: event.body.seat ?? 0,
        meldId: id,
        cards,
      }));
    case "amended": {
      const { seat = 0, meld, added = [], jokerReleased = false } = event.body;
      const kind = jokerReleased ? "swapped" : added.length ? "amended" : "movedTwo";
      return [{ kind, seat, meldId: readMeld(meld).id, cards: added }];
    }
    case "undone":
      return [{ kind: "undone", seat: event.body.seat ?? 0 }];
    case "discarded": {
      const { seat = 0, card = "", byClock = false } = event.body;
      return [{ kind: "discarded", seat, card, byClock }];
    }
    case "timeRanOut":
      return [{ kind: "timeUp", seat: event.body.seat ?? 0 }];
    case "reshuffled":
      return [{ kind: "reshuffled" }];
    case "dealStarted": {
      const deal = readDeal(event.body.deal);
      const how = cutOf(before.nextFair) ?? drawOf({ ...before, deal });
      return [...(how ? [how] : []), { kind: "dealt", dealNo: deal.dealNo }];
    }
    case "fairPublished":
      return failures(readFair(event.body.fair), before);
    case "dealEnded": {
      const { finisher } = readResult(event.body.result);
      return [finisher === undefined ? { kind: "dead" } : { kind: "out", seat: finisher }];
    }
    case "seatChanged":
      return seatMove(event.body.seat, before);
    default:
      return [];
  }
}

/** The seats that failed since what was published before. */
function failures({ matchId, dealNo, voidAttempts }: FairInfo, { nextFair: old }: View): Move[] {
  const known = old?.matchId === matchId && old.dealNo === dealNo ? old.voidAttempts.length : 0;
  return voidAttempts.slice(known).flatMap(({ failedSeats }) => failedSeats.map((seat) => ({ kind: "failed", seat })));
}

function seatMove(sent: unknown, before: View): Move[] {
  const { seat, away, occupant, accountId, left } = readSeat(sent);
  const old = before.seats.find((one) => one.seat === seat);
  if (!old || old.occupant === "OCCUPANT_VACANT") return [];
  const moves: Move[] = [];
  if (left && !old.left) moves.push({ kind: "left", seat });
  if (accountId && old.accountId && old.occupant !== occupant) {
    if (occupant === "OCCUPANT_HOUSE_BOT") moves.push({ kind: "botIn", seat });
    else if (old.occupant === "OCCUPANT_HOUSE_BOT") moves.push({ kind: "tookBack", seat });
  }
  if (moves.length || old.away === away) return moves;
  return [{ kind: away ? "away" : "back", seat }];
}
