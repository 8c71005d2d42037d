/** What house bots are called. */

import type { HouseName } from "../../core/names";

export const enNames: { readonly [N in HouseName as `house.${N}`]: string } = {
  "house.Salma": "Salma",
  "house.Karim": "Karim",
  "house.Layla": "Layla",
  "house.Omar": "Omar",
  "house.Noura": "Noura",
  "house.Yusuf": "Yusuf",
  "house.Hana": "Hana",
  "house.Tariq": "Tariq",
  "house.Dalia": "Dalia",
  "house.Faris": "Faris",
  "house.Mariam": "Mariam",
  "house.Ziad": "Ziad",
};
