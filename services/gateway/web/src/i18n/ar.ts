/** كلام العربية كما يُقال على الطاولة. Arabic words. */

import type { Dictionary } from "../core/i18n";
import { arHome } from "./ar/home";
import { arReasons } from "./ar/reasons";
import { arResult } from "./ar/result";
import { arTable } from "./ar/table";

export const ar: Dictionary = { ...arHome, ...arTable, ...arResult, ...arReasons };
