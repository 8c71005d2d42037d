/** The words about coins: both languages at once, loaded with what shows them. */

import { filler, lengthened, type DictionaryOf, type Locale, type Message, type TranslateOf } from "../core/i18n";
import { digits as digitsOf, isolated, type Digits } from "../core/format";
import { arCoins } from "./ar/coins";
import { enCoins } from "./en/coins";

export type CoinWords = TranslateOf<typeof enCoins>;

/** A translator of these words. */
export function coinWords(locale: Locale, digits: Digits): CoinWords {
  const fill = filler(locale, coinDictionary(locale) as Readonly<Record<string, Message>>, digits);
  return (key, ...given) => fill(key, given[0]);
}

export function coinDictionary(locale: Locale): DictionaryOf<typeof enCoins> {
  if (locale === "ar") return arCoins;
  return locale === "long" ? lengthened<typeof enCoins>(enCoins) : enCoins;
}

/** Coins as they are written: 1,000; with a sign where they moved. */
export function coinText(coins: number, kind: Digits, signed = false): string {
  const plain = digitsOf(Math.abs(coins), kind);
  const comma = kind === "arabic" ? "٬" : ",";
  const grouped = plain.replace(/(.)(?=(.{3})+$)/g, `$1${comma}`);
  return isolated((coins < 0 ? "\u2212" : signed && coins > 0 ? "+" : "") + grouped);
}
