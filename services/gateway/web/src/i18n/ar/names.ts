/** أسماء بوتات البيت. What house bots are called, in Arabic. */

import type { Message } from "../../core/i18n";
import type { enNames } from "../en/names";

export const arNames: { readonly [K in keyof typeof enNames]: Message } = {
  "house.Salma": "سلمى",
  "house.Karim": "كريم",
  "house.Layla": "ليلى",
  "house.Omar": "عمر",
  "house.Noura": "نورة",
  "house.Yusuf": "يوسف",
  "house.Hana": "هناء",
  "house.Tariq": "طارق",
  "house.Dalia": "داليا",
  "house.Faris": "فارس",
  "house.Mariam": "مريم",
  "house.Ziad": "زياد",
};
