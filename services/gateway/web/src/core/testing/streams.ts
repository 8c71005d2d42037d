/** Streams of whole tables that the server's own code made: every update, and the hash of the view after it. */

import type { Update } from "../protocol";
import { builtFile } from "./built";

export interface Stream {
  readonly tableId: string;
  readonly viewer: number;
  readonly first: Update;
  readonly steps: readonly { readonly delta: Update; readonly snapshot: Update; readonly hash: string }[];
}

export const streams = builtFile<readonly Stream[]>("streams.json");
