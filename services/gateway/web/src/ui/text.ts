/** Small things of text. */

import { JOKER, type Card } from "../core/cards";
import type { Translate } from "../core/i18n";

/** One for all: it takes long to make. */
const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The letter on a cushion: a name's first, without the article that half of all Arabic names begin with. */
export function initialOf(name: string): string {
  const bare = name.trim().replace(/^(ال)(?=\p{L}{2})/u, "");
  return [...letters.segment(bare)][0]?.segment.toUpperCase() ?? "";
}

type Suits = "S" | "H" | "D" | "C";
type Ranks = "A" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "T" | "J" | "Q" | "K";

/** A card as it is said: "seven of hearts". */
export function spokenCard(t: Translate, card: Card): string {
  if (card === JOKER) return t("card.joker");
  return t("card.named", { rank: t(`rank.${card[0] as Ranks}`), suit: t(`suit.${card[1] as Suits}`) });
}
