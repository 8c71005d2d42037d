/** Typed words: keys and the slots of each message are known to the compiler, plurals follow Intl.PluralRules. */

import { cardText, isolatedName, number, type Digits } from "./format";
import type { Card } from "./cards";
import type { en } from "../i18n/en";

export type Locale = "ar" | "en" | "long";
export const LOCALES: readonly Locale[] = ["ar", "en"];

/** Forms by plural category; `other` is always there, and the number is `n`. */
export type Plural = { readonly [category in Exclude<Intl.LDMLPluralRule, "other">]?: string } & {
  readonly other: string;
};
export type Message = string | Plural;

export type Key = keyof typeof en;
/** The words of one language: every key, each with the slots of the English message. */
export type Dictionary = { readonly [K in Key]: Message };

type SlotsOf<M> = M extends `${string}{${infer Slot}}${infer Rest}`
  ? Slot | SlotsOf<Rest>
  : M extends string
    ? never
    : M extends object
      ? SlotsOf<M[keyof M]> | "n"
      : never;

/** `n` and other counts are numbers, `card` is a card's code; the rest is text (a name, points as `points()` gives). */
type Value<Slot extends string> = Slot extends
  "n" | "seconds" | "target" | "stake" | "dealNo" | "matchNo" | "least" | "most"
  ? number
  : Slot extends "card"
    ? Card
    : string;
export type Slots<K extends Key> = { readonly [S in SlotsOf<(typeof en)[K]> & string]: Value<S> };
type Given<K extends Key> = keyof Slots<K> extends never ? [] : [slots: Slots<K>];

/** The message in the language and digits that it was made for. */
export type Translate = <K extends Key>(key: K, ...given: Given<K>) => string;

/** A translator for a locale's words. */
export function makeTranslate(locale: Locale, words: Dictionary, digits: Digits): Translate {
  const rules = new Intl.PluralRules(locale === "ar" ? "ar" : "en");
  return (key, ...given) => {
    const slots = (given[0] ?? {}) as Readonly<Record<string, number | string>>;
    const message: Message = words[key];
    const text = typeof message === "string" ? message : (message[rules.select(Number(slots.n))] ?? message.other);
    return text.replace(/\{(\w+)\}/g, (_, slot: string) => filling(slot, slots[slot], digits));
  };
}

function filling(slot: string, value: number | string | undefined, digits: Digits): string {
  if (typeof value === "number") return number(value, digits);
  if (value === undefined) return "";
  return slot === "card" ? cardText(value) : isolatedName(value);
}

/** Loads a language's words; each is a file of its own, so that a visitor gets one. */
export async function loadWords(locale: Locale): Promise<Dictionary> {
  if (locale === "ar") return (await import("../i18n/ar")).ar;
  const { en } = await import("../i18n/en");
  return locale === "long" ? lengthened(en) : en;
}

/** The pseudo-long test locale: English, half as long again and marked at both ends, so that what is cut off shows. */
export function lengthened(words: Dictionary): Dictionary {
  const longer = (text: string) => `[${text} ${"~".repeat(Math.ceil(text.replace(/\{\w+\}/g, "").length / 2))}]`;
  const entries = Object.entries(words).map(([key, message]: [string, Message]) => [
    key,
    typeof message === "string"
      ? longer(message)
      : Object.fromEntries(Object.entries(message).map(([category, text]) => [category, longer(text)])),
  ]);
  return Object.fromEntries(entries) as Dictionary;
}

export function directionOf(locale: Locale): "rtl" | "ltr" {
  return locale === "ar" ? "rtl" : "ltr";
}
