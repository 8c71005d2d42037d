/** كلام العربية كما يُقال على الطاولة. Arabic words. */

import type { Dictionary } from "../core/i18n";
import { arEvening } from "./ar/evening";
import { arFair } from "./ar/fair";
import { arHome } from "./ar/home";
import { arNames } from "./ar/names";
import { arReasons } from "./ar/reasons";
import { arResult } from "./ar/result";
import { arTable } from "./ar/table";

export const ar: Dictionary = { ...arNames, ...arHome, ...arTable, ...arResult, ...arReasons, ...arFair, ...arEvening };
