/** Names at a table: people's as they write them, those of house bots in the page's language. */

import type { Translate } from "./i18n";

/** The names that house bots go by, four at each level (`services/bots/levels.py`); `house.names` has them in its language. */
export const HOUSE_NAMES =
  "Salma Karim Dalia Ziad Hana Omar Layla Faris Noura Tariq Mariam Yusuf Amal Rashid Lulwa Jasim Moza Saqr Hessa Khalid";

/** How who sits there is called; a house bot's own seat has no account. */
export function seatName(t: Translate, seat: { readonly accountId?: string; readonly displayName?: string }): string {
  const name = seat.displayName ?? "";
  const at = seat.accountId ? -1 : HOUSE_NAMES.split(" ").indexOf(name);
  return t("house.names").split(" ")[at] ?? name;
}
