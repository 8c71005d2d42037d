/** The one break that a private table's match may have: whether it can be asked for, and by whom. */

import type { PauseView, View } from "../core/views";

export function pauseRuns({ untilMs }: PauseView): boolean {
  return untilMs !== "0";
}

/** Whether the own seat may still ask for it, or agree: at a private table, once a match, while there is something to pause. */
export function mayAgree({ pause, viewerSeat, stage }: View): boolean {
  if (!pause || viewerSeat === undefined || pause.used || pauseRuns(pause)) return false;
  return stage !== "STAGE_CLOSED" && stage !== "STAGE_SEATING" && !pause.agreedSeats.includes(viewerSeat);
}

/** Whether the own seat has agreed to a break that has not begun, and may think better of it. */
export function mayTakeBack({ pause, viewerSeat }: View): boolean {
  return pause !== undefined && viewerSeat !== undefined && !pauseRuns(pause) && pause.agreedSeats.includes(viewerSeat);
}
