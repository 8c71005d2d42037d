/** What a player has set for this browser. */

import type { Digits } from "./format";
import type { Locale } from "./i18n";
import type { Keeper } from "./storage";

export interface Settings {
  readonly locale: Locale;
  readonly digits: Digits;
  /** Suits in four colours, or in two. */
  readonly suits: "four" | "two";
}

const KEPT = "settings";
const CHOICES: { readonly [K in keyof Settings]: readonly Settings[K][] } = {
  locale: ["ar", "en", "long"],
  digits: ["latin", "arabic"],
  suits: ["four", "two"],
};

/** What was set, and for the rest: Arabic unless the browser asks for English and not for Arabic, Latin digits, four colours. */
export function readSettings(keeper: Keeper, languages: readonly string[]): Settings {
  const kept: Partial<Record<keyof Settings, unknown>> = keeper.get<object>(KEPT) ?? {};
  const speaks = (language: string) => languages.some((tag) => tag.toLowerCase().split("-")[0] === language);
  const chosen = <K extends keyof Settings>(name: K, otherwise: Settings[K]): Settings[K] =>
    CHOICES[name].find((choice) => choice === kept[name]) ?? otherwise;
  return {
    locale: chosen("locale", speaks("en") && !speaks("ar") ? "en" : "ar"),
    digits: chosen("digits", "latin"),
    suits: chosen("suits", "four"),
  };
}

export function keepSettings(keeper: Keeper, settings: Settings): void {
  keeper.set(KEPT, settings);
}
