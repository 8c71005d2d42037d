/** أسماء بوتات البيت. What house bots are called, in Arabic. */

import type { Message } from "../../core/i18n";
import type { enNames } from "../en/names";

export const arNames: { readonly [K in keyof typeof enNames]: Message } = {
  "house.names": "سلمى كريم داليا زياد هناء عمر ليلى فارس نورة طارق مريم يوسف أمل راشد لولوة جاسم موزة صقر حصة خالد",
};
