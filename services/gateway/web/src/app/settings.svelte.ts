/** The settings in use and the words that follow from them; a change shows at once and is kept. */

import type { Dictionary, Locale } from "../core/i18n";
import { directionOf, loadWords, makeTranslate } from "../core/i18n";
import { keepSettings, readSettings, type Settings } from "../core/settings";
import type { Keeper } from "../core/storage";
import type { Words } from "../ui/words";

export class Preferences {
  settings: Settings;
  words: Words | null;
  private dictionary: Dictionary | null = $state.raw(null);
  /** Whose words are loaded: the language changes once they are there. */
  private locale: Locale = $state("ar");

  constructor(private readonly keeper: Keeper) {
    this.settings = $state.raw(readSettings(keeper, navigator.languages));
    this.words = $derived.by(() => this.inUse());
  }

  /** Loads the words; to be called once. */
  async load(): Promise<void> {
    const { locale } = this.settings;
    const dictionary = await loadWords(locale);
    if (locale !== this.settings.locale) return;
    this.dictionary = dictionary;
    this.locale = locale;
    document.documentElement.lang = locale === "long" ? "en" : locale;
    document.documentElement.dir = directionOf(locale);
  }

  async change(settings: Partial<Settings>): Promise<void> {
    this.settings = { ...this.settings, ...settings };
    keepSettings(this.keeper, this.settings);
    await this.load();
  }

  private inUse(): Words | null {
    if (!this.dictionary) return null;
    const { digits } = this.settings;
    const { locale } = this;
    return { t: makeTranslate(locale, this.dictionary, digits), locale, dir: directionOf(locale), digits };
  }
}
