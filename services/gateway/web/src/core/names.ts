/** Names at a table: people's as they write them, those of house bots in the page's language. */

import type { Translate } from "./i18n";

/** The names that house bots go by (`services/bots/house.py`). */
export const HOUSE_NAMES = [
  "Salma",
  "Karim",
  "Layla",
  "Omar",
  "Noura",
  "Yusuf",
  "Hana",
  "Tariq",
  "Dalia",
  "Faris",
  "Mariam",
  "Ziad",
] as const;
export type HouseName = (typeof HOUSE_NAMES)[number];

/** How who sits there is called; a house bot's own seat has no account. */
export function seatName(t: Translate, seat: { readonly accountId?: string; readonly displayName?: string }): string {
  const name = seat.displayName ?? "";
  const house = seat.accountId ? undefined : HOUSE_NAMES.find((one) => one === name);
  return house ? t(`house.${house}`) : name;
}
