/** English words: their keys and slots are what every language has. */

import { enEvening } from "./en/evening";
import { enFair } from "./en/fair";
import { enHome } from "./en/home";
import { enNames } from "./en/names";
import { enReasons } from "./en/reasons";
import { enResult } from "./en/result";
import { enTable } from "./en/table";

export const en = { ...enNames, ...enHome, ...enTable, ...enResult, ...enReasons, ...enFair, ...enEvening } as const;
