/** Where each card of a hand lies: one row, or two from 25 cards on, each strip as wide as there is room for. */

import type { Grid } from "./grid";

export interface Slot {
  /** Left edge from the hand's, in units. */
  readonly x: number;
  readonly y: number;
  readonly row: number;
  /** How much of the card shows, in units: its strip, or the whole card at a row's end. */
  readonly shown: number;
}

/** Cards that do not overlap stand so far apart, as a part of their width. */
const LOOSE = 1.07;

/** A slot for each card, in the hand's order. */
export function handSlots(grid: Pick<Grid, "twoRows" | "hand" | "cards">, count: number): Slot[] {
  const first = grid.twoRows ? Math.ceil(count / 2) : count;
  const { w, rowStep } = grid.cards;
  const strip = Math.min(w * LOOSE, first > 1 ? (grid.hand.w - w) / (first - 1) : 0);
  return Array.from({ length: count }, (_, at) => {
    const row = at < first ? 0 : 1;
    const inRow = row ? count - first : first;
    const place = row ? at - first : at;
    const left = (grid.hand.w - (strip * (inRow - 1) + w)) / 2;
    const last = place === inRow - 1;
    return { x: left + strip * place, y: row * rowStep, row, shown: last ? w : Math.min(strip, w) };
  });
}

/** The place in the hand's order, 0..count, nearest to a point given in units from the hand's corner. */
export function slotAt(slots: readonly Slot[], cardWidth: number, rowStep: number, x: number, y: number): number {
  const lower = slots.some(({ row }) => row > 0) && y >= rowStep ? 1 : 0;
  const inRow = slots.map((slot, at) => ({ slot, at })).filter(({ slot }) => slot.row === lower);
  const before = inRow.filter(({ slot }) => slot.x + Math.min(slot.shown, cardWidth) / 2 < x).length;
  return (inRow[0]?.at ?? 0) + before;
}
