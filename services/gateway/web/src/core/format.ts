/** Numbers, points and cards as text that keeps its order in any script: "87.5" and "7♥" never fall apart (UX 42). */

import { JOKER, type Card } from "./cards";

export type Digits = "latin" | "arabic";

const LTR_ISOLATE = "\u2066";
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";
const MINUS = "\u2212";
const ARABIC_ZERO = 0x660;
const ARABIC_POINT = "\u066b";

const SUIT_SIGNS: Readonly<Record<string, string>> = { S: "♠", H: "♥", D: "♦", C: "♣" };

/** Text that runs left to right whatever stands around it. */
export function isolated(text: string): string {
  return LTR_ISOLATE + text + POP_ISOLATE;
}

/** Somebody's words, a name: it runs as its own script does and disturbs nothing around it. */
export function isolatedName(text: string): string {
  return FIRST_STRONG_ISOLATE + text + POP_ISOLATE;
}

/** A number's digits, not isolated: for places that hold nothing else. */
export function digits(value: number, kind: Digits): string {
  const text = (value < 0 ? MINUS : "") + Math.abs(value).toString();
  if (kind === "latin") return text;
  return text.replace(/[0-9]/g, (digit) => String.fromCharCode(ARABIC_ZERO + Number(digit))).replace(".", ARABIC_POINT);
}

/** A whole number or a half, as 22 or 87.5. */
export function number(value: number, kind: Digits): string {
  return isolated(digits(value, kind));
}

/** Minutes and seconds, 4:07. */
export function minutes(ms: number, kind: Digits): string {
  const seconds = Math.ceil(ms / 1000);
  const tens = digits(Math.floor((seconds % 60) / 10), kind);
  return isolated(`${digits(Math.floor(seconds / 60), kind)}:${tens}${digits(seconds % 10, kind)}`);
}

/** Half-points as points, a decimal only where there is a half (R2.2): 75 is 37.5, 76 is 38. */
export function points(halfPoints: number, kind: Digits): string {
  return number(halfPoints / 2, kind);
}

/** Half-points with their sign: +65, −10, 0. */
export function signedPoints(halfPoints: number, kind: Digits): string {
  return isolated((halfPoints > 0 ? "+" : "") + digits(halfPoints / 2, kind));
}

/** The rank as it stands on a card; on cards digits are Latin in every language. */
export function rankSign(card: Card): string {
  if (card === JOKER) return JOKER;
  return card[0] === "T" ? "10" : (card[0] ?? "");
}

export function suitSign(card: Card): string {
  return SUIT_SIGNS[card[1] ?? ""] ?? "";
}

/** A card in running text: 7♥, 10♣, JK. */
export function cardText(card: Card): string {
  return isolated(cardSign(card));
}

/** Cards in running text, in their order from left to right. */
export function cardsText(cards: readonly Card[]): string {
  return isolated(cards.map(cardSign).join(" "));
}

function cardSign(card: Card): string {
  return card === JOKER ? JOKER : rankSign(card) + suitSign(card);
}
