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

/** The words of one language for the keys of the English ones `E`. */
export type DictionaryOf<E> = { readonly [K in keyof E]: Message };
export type Key = keyof typeof en;
export type Dictionary = DictionaryOf<typeof en>;

type SlotsOf<M> = M extends `${string}{${infer Slot}}${infer Rest}`
  ? Slot | SlotsOf<Rest>
  : M extends string
    ? never
    : M extends object
      ? SlotsOf<M[keyof M]> | "n"
      : never;

/** `n` and other counts are numbers, `card` is a card's code; the rest is text (a name, points as `points()` gives). */
type Value<Slot extends string> = Slot extends
  "n" | "of" | "seconds" | "target" | "stake" | "dealNo" | "matchNo" | "least" | "most"
  ? number
  : Slot extends "card"
    ? Card
    : string;
type SlotsIn<M> = { readonly [S in SlotsOf<M> & string]: Value<S> };
type GivenTo<M> = keyof SlotsIn<M> extends never ? [] : [slots: SlotsIn<M>];
export type Slots<K extends Key> = SlotsIn<(typeof en)[K]>;

/** The message in the language and digits that it was made for. */
export type TranslateOf<E> = <K extends keyof E & string>(key: K, ...given: GivenTo<E[K]>) => string;
export type Translate = TranslateOf<typeof en>;

/** A translator for a locale's words. */
export function makeTranslate(locale: Locale, words: Dictionary, digits: Digits): Translate {
  const fill = filler(locale, words, digits);
  return (key, ...given) => fill(key, given[0]);
}

/** What a translator does, for a dictionary of its own of a part of the page that is loaded by itself. */
export function filler(locale: Locale, words: Readonly<Record<string, Message>>, digits: Digits) {
  const rules = new Intl.PluralRules(locale === "ar" ? "ar" : "en");
  return (key: string, given: object | undefined): string => {
    const slots = (given ?? {}) as Readonly<Record<string, number | string>>;
    // A newer server may give reasons that this page has no words for.
    const message = words[key] ?? words["why.UNKNOWN"] ?? "";
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
export function lengthened<E extends object = typeof en>(words: NoInfer<DictionaryOf<E>>): DictionaryOf<E> {
  const longer = (text: string) => `[${text} ${"~".repeat(Math.ceil(text.replace(/\{\w+\}/g, "").length / 2))}]`;
  const entries = Object.entries<Message>(words).map(([key, message]) => [
    key,
    typeof message === "string"
      ? longer(message)
      : Object.fromEntries(Object.entries(message).map(([category, text]) => [category, longer(text)])),
  ]);
  return Object.fromEntries(entries) as DictionaryOf<E>;
}

export function directionOf(locale: Locale): "rtl" | "ltr" {
  return locale === "ar" ? "rtl" : "ltr";
}
