/** Drawings that only coins need. */

import type { IconShape } from "../marks/icons";

/** A coin: an eight-pointed star with a diamond in it, as they are woven. */
export const COIN: IconShape = {
  stroke: "M12 2L14.900 5H19V9.100L22 12L19 14.900V19H14.900L12 22L9.100 19H5V14.900L2 12L5 9.100V5H9.100Z",
  fill: "M12 8L16 12L12 16L8 12Z",
};

export const RANKS: IconShape = { stroke: "M4 20V13H9V20M9.500 20V5H14.500V20M15 20V10H20V20M3 21H21" };
