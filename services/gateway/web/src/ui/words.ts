/** The words of the page's language, for every component below whoever provides them. */

import { getContext, setContext } from "svelte";
import type { Digits } from "../core/format";
import { digits as digitsOf } from "../core/format";
import type { Locale, Translate } from "../core/i18n";
import type { Side } from "../core/seats";

export interface Words {
  readonly t: Translate;
  readonly locale: Locale;
  readonly dir: "rtl" | "ltr";
  readonly digits: Digits;
  /** What the two sides are called for who is on neither; else "us" and "them". */
  readonly sides?: Readonly<Record<Side, string>>;
}

const KEY = Symbol("words");

/** Gives words to the components below; `read` is called anew whenever they are needed, so a change of language shows. */
export function provideWords(read: () => Words): void {
  setContext(KEY, read);
}

/** The words in use; properties stay live. */
export function useWords(): Omit<Words, "sides"> & {
  readonly n: (value: number) => string;
  readonly side: (side: Side) => string;
  readonly field: (side: Side) => string;
} {
  const read = getContext<() => Words>(KEY);
  return {
    get t() {
      return read().t;
    },
    get locale() {
      return read().locale;
    },
    get dir() {
      return read().dir;
    },
    get digits() {
      return read().digits;
    },
    /** A side's name, short. */
    side: (side) => read().sides?.[side] ?? read().t(side === "us" ? "table.us" : "table.them"),
    /** What a side's melds are called. */
    field: (side) => read().sides?.[side] ?? read().t(side === "us" ? "table.field.us" : "table.field.them"),
    /** A bare number in the digits in use. */
    n: (value: number) => digitsOf(value, read().digits),
  };
}
