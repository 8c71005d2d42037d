/** Files that Python writes for the tests: what the server's own code says, for the page's code to agree with. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../../../../../../build/web/", import.meta.url);

/** The contents of a file that `make web-fixtures` writes. Throws, with this advice, where it is missing. */
export function builtFile<T>(name: string): T {
  const path = fileURLToPath(new URL(name, FOLDER));
  if (!existsSync(path)) throw new Error(`${name} is missing: make web-fixtures`);
  return JSON.parse(readFileSync(path, "utf8")) as T;
}
