/** From cards in any order to the legal layouts that they make, so that a player need not sort a group by hand. */

import { ACE_HIGH, isPlain, runCard, sortedCards, suitOf, without, type Card } from "./cards";
import { isWildAt, judge } from "./legality";
import type { MeldOptions } from "./options";

/** More wilds than any legal layout has (R4.1, R4.5). */
const MOST_WILDS = 3;

/** Every legal layout of exactly these cards; the likeliest first: twos at home, wilds at the high end. */
export function arrangements(cards: readonly Card[], options: MeldOptions): Card[][] {
  const plain = cards.filter(isPlain);
  const wilds = cards.filter((card) => !isPlain(card));
  if (plain.length === 0 || wilds.length > MOST_WILDS || cards.length > ACE_HIGH) return [];
  const found = [...setLayouts(plain, wilds), ...runLayouts(plain, wilds)]
    .map((layout) => ({ layout, judged: judge(layout, options) }))
    .filter(({ judged }) => judged.ok);
  const homes = ({ layout, judged }: (typeof found)[number]) =>
    judged.ok ? layout.filter((card, at) => !isPlain(card) && !isWildAt(judged.shape, layout, at)).length : 0;
  const start = ({ judged }: (typeof found)[number]) => (judged.ok ? judged.shape.start : 0);
  found.sort((one, other) => homes(other) - homes(one) || start(other) - start(one));
  return found.map(({ layout }) => layout);
}

function setLayouts(plain: readonly Card[], wilds: readonly Card[]): Card[][] {
  return [[...sortedCards(plain), ...sortedCards(wilds)]];
}

function runLayouts(plain: readonly Card[], wilds: readonly Card[]): Card[][] {
  const suit = suitOf(plain[0]!);
  const length = plain.length + wilds.length;
  const layouts: Card[][] = [];
  for (let start = 1; start + length - 1 <= ACE_HIGH; start++) {
    const left = [...plain];
    const row = Array.from({ length }, (_, index) => {
      const at = left.indexOf(runCard(start + index, suit));
      return at < 0 ? null : left.splice(at, 1)[0]!;
    });
    if (left.length === 0) layouts.push(...filled(row, wilds));
  }
  return layouts;
}

/** The row with its gaps filled by these cards in every way; none where their number does not fit. */
function filled(row: readonly (Card | null)[], cards: readonly Card[]): Card[][] {
  const gap = row.indexOf(null);
  if (gap < 0) return cards.length ? [] : [row as Card[]];
  return [...new Set(cards)].flatMap((card) =>
    filled([...row.slice(0, gap), card, ...row.slice(gap + 1)], without(cards, [card])!),
  );
}
