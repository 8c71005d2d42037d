/** Actions as a record writes them (docs/record.md, "Actions"). */

import { isCard, type Card } from "../core/cards";
import type { Json } from "./json";

export type Action =
  | { readonly what: "timeout" }
  | { readonly what: "draw" | "pass" | "undo"; readonly seat: number }
  | { readonly what: "take"; readonly seat: number; readonly count: number }
  | { readonly what: "discard"; readonly seat: number; readonly card: Card }
  | { readonly what: "meld"; readonly seat: number; readonly melds: readonly (readonly Card[])[] }
  | { readonly what: "amend"; readonly seat: number; readonly id: number; readonly cards: readonly Card[] };

const LONGEST = 1_200;

/** The action that a text stands for, `null` where it is none. */
export function readAction(text: Json): Action | null {
  if (typeof text !== "string" || text.length > LONGEST) return null;
  const [who = "", what, ...rest] = text.trim().split(/\s+/);
  if (who === "-") return what === "timeout" && rest.length === 0 ? { what } : null;
  if (!/^[0-3]$/.test(who)) return null;
  const seat = Number(who);
  const [first = "", ...others] = rest;
  switch (what) {
    case "draw":
    case "pass":
    case "undo":
      return rest.length === 0 ? { what, seat } : null;
    case "take":
      return /^[0-9]{1,4}$/.test(first) && others.length === 0 ? { what, seat, count: Number(first) } : null;
    case "discard":
      return isCard(first) && others.length === 0 ? { what, seat, card: first } : null;
    case "meld":
      return readMelds(seat, rest);
    case "amend":
      if (!/^[0-9]{1,4}:$/.test(first) || !others.every(isCard)) return null;
      return { what, seat, id: Number(first.slice(0, -1)), cards: others };
    default:
      return null;
  }
}

function readMelds(seat: number, words: readonly string[]): Action | null {
  const melds: Card[][] = [[]];
  for (const word of words) {
    if (word === "|") melds.push([]);
    else if (isCard(word)) melds.at(-1)!.push(word);
    else return null;
  }
  return melds.every(({ length }) => length > 0) ? { what: "meld", seat, melds } : null;
}
