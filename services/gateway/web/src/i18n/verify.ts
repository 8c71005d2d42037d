/** The words of the Verify page: both languages at once, so that it can change between them without a connection. */

import { filler, lengthened, type DictionaryOf, type Locale, type Message, type TranslateOf } from "../core/i18n";
import type { Digits } from "../core/format";
import { arVerify } from "./ar/verify";
import { enVerify } from "./en/verify";

export type VerifyKey = keyof typeof enVerify;
export type VerifyWords = TranslateOf<typeof enVerify>;

/** A translator of the Verify page's words. */
export function verifyWords(locale: Locale, digits: Digits): VerifyWords {
  const fill = filler(locale, verifyDictionary(locale) as Readonly<Record<string, Message>>, digits);
  return (key, ...given) => fill(key, given[0]);
}

export function verifyDictionary(locale: Locale): DictionaryOf<typeof enVerify> {
  if (locale === "ar") return arVerify;
  return locale === "long" ? lengthened<typeof enVerify>(enVerify) : enVerify;
}
