/** From a refusal's code to the words that say why. */

import { isKnownCode } from "./codes";
import type { Translate } from "./i18n";

/** Why, in four words at the most; a code that this client does not know gets words that say little. */
export function reason(t: Translate, code: string): string {
  return t(isKnownCode(code) ? `why.${code}` : "why.UNKNOWN");
}
