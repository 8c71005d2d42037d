/** Seats as a viewer sees them: oneself below, the next player to the right, the partner across (UX 5b). */

import { seatCount } from "./options";
import type { View } from "./views";

export type Place = "bottom" | "right" | "top" | "left";
/** Who says "us": the viewer's team, or seats 0 and 2 for who has no seat. */
export type Side = "us" | "them";
/** How a player's thread is drawn: it tells the two players of a team apart on every card that they laid. */
export type Thread = "solid" | "stitched";

const ROUND: readonly Place[] = ["bottom", "right", "top", "left"];
const FACING: readonly Place[] = ["bottom", "top"];

/** Where a seat sits, seen from another one. */
export function placeOf(seat: number, from: number, seats: number): Place {
  const around = (((seat - from) % seats) + seats) % seats;
  return (seats === 2 ? FACING : ROUND)[around] ?? "bottom";
}

/** The seat at a place, or `null` where a duel has nobody. */
export function seatAt(place: Place, from: number, seats: number): number | null {
  const around = (seats === 2 ? FACING : ROUND).indexOf(place);
  return around < 0 ? null : (from + around) % seats;
}

/** From which seat the viewer looks: the own one, or seat 0. */
export function eyeOf(view: View): number {
  return view.viewerSeat ?? 0;
}

/** Team 0 is seats 0 and 2, team 1 seats 1 and 3; in a duel each seat is a team. */
export function teamOf(seat: number): number {
  return seat & 1;
}

export function sideOf(seat: number, view: View): Side {
  return teamOf(seat) === teamOf(eyeOf(view)) ? "us" : "them";
}

/** The partner's seat; `null` in a duel. */
export function partnerOf(seat: number, seats: number): number | null {
  return seats === 2 ? null : (seat + 2) % seats;
}

/** Solid: oneself or the next player; stitched: the partner or the player before. In a duel all is solid. */
export function threadOf(seat: number, view: View): Thread {
  const seats = seatCount(view.options);
  const place = placeOf(seat, eyeOf(view), seats);
  return seats === 2 || place === "bottom" || place === "right" ? "solid" : "stitched";
}

/** Whether it is the viewer's turn. */
export function isMyTurn(view: View): boolean {
  return view.stage === "STAGE_DEAL" && view.deal !== undefined && view.deal.turnSeat === view.viewerSeat;
}

/** Whether the viewer may lay cards now: own turn, after the draw, with time left (R5.1, R9.2). */
export function mayLay(view: View): boolean {
  return isMyTurn(view) && view.deal?.phase === "PHASE_PLAY" && !view.deal.timeUp;
}

/** The seat whose turn it is in a turn of the deal, counted from 1. */
export function seatOfTurn(turnNo: number, starter: number, seats: number): number {
  return (starter + turnNo - 1) % seats;
}
