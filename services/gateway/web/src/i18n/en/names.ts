/** What house bots are called: as they are. */

import { HOUSE_NAMES } from "../../core/names";

export const enNames = { "house.names": HOUSE_NAMES };
