/** المعدود: ما يتكرّر من جموع. Counted words, in the six Arabic plural forms. */

export type Counted = Readonly<Record<Intl.LDMLPluralRule, string>>;

/** الورق معدودًا: one to a hundred cards, after a word or without one. */
export function cards(before = ""): Counted {
  return {
    zero: `${before}ولا ورقة`,
    one: `${before}ورقة واحدة`,
    two: `${before}ورقتين`,
    few: `${before}{n} ورقات`,
    many: `${before}{n} ورقة`,
    other: `${before}{n} ورقة`,
  };
}

export function seconds(before = ""): Counted {
  return {
    zero: `${before}{n} ثانية`,
    one: `${before}ثانية`,
    two: `${before}ثانيتين`,
    few: `${before}{n} ثوانٍ`,
    many: `${before}{n} ثانية`,
    other: `${before}{n} ثانية`,
  };
}
