/** Icons that the Verify page alone has; the others are in marks/icons.ts. */

import { ICONS, type IconShape } from "../marks/icons";

const SHIELD = "M12 2.600L20.400 5.600V12C20.400 16.800 16.800 20 12 21.600C7.200 20 3.600 16.800 3.600 12V5.600Z";

export const SIGNS = {
  holds: ICONS.shield,
  fails: { stroke: `${SHIELD}M9 8.600L15 14.600M15 8.600L9 14.600` },
  cannot_check: { stroke: `${SHIELD}M8.600 11.800H15.400` },
  file: { stroke: "M6 3H14.500L18.500 7V21H6ZM14 3.400V7.600H18.200" },
} as const satisfies Record<string, IconShape>;
