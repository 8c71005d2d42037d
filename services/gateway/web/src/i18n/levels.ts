/** How well house bots play, in words: loaded with the screens where it is chosen, both languages at once. */

import { digits, type Digits } from "../core/format";
import type { Locale } from "../core/i18n";

/** From the weakest to the strongest. */
const NAMES = {
  ar: ["مبتدئ، يتأنّى ويسولف", "هاوٍ، يلعب للونسة", "متمرّس، يعرف ما يرمي", "محترف، يحسب الأوراق", "أستاذ، قليل الكلام"],
  en: [
    "Beginner, takes its time and chats",
    "Casual, plays for fun",
    "Seasoned, minds what it throws",
    "Sharp, counts the cards",
    "Master, of few words",
  ],
};

export interface LevelName {
  readonly value: number;
  /** Its number and what it is called. */
  readonly short: string;
  /** With its manners. */
  readonly name: string;
}

export function levelNames(locale: Locale, kind: Digits): readonly LevelName[] {
  const [names, comma] = locale === "ar" ? [NAMES.ar, "،"] : [NAMES.en, ","];
  return names.map((said, at) => {
    const [called] = said.split(comma);
    const number = digits(at + 1, kind);
    return { value: at + 1, short: `${number} · ${called}`, name: `${number} · ${said}` };
  });
}

export function levelTitle(locale: Locale): string {
  return locale === "ar" ? "كيف تلعب البوتات؟" : "How well do the bots play?";
}
