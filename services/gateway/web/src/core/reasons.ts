/** From a refusal's code to the words that say why. */

import type { Code } from "./codes";
import type { Translate } from "./i18n";

/** Why, in four words at the most; a code that this client does not know gets words that say little (i18n.ts). */
export function reason(t: Translate, code: string): string {
  return t(`why.${code as Code}`);
}
