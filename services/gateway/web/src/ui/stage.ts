/** The stage that everything stands on: the table's grid for this window, for components that draw in pixels. */

import { getContext, setContext } from "svelte";
import type { Grid, Kind } from "./layout/grid";

const KEY = Symbol("stage");

export function provideStage(read: () => Grid): void {
  setContext(KEY, read);
}

/** Live: `unit` is the CSS pixels of one unit of the design. */
export function useStage(): { readonly grid: Grid; readonly unit: number; readonly kind: Kind } {
  const read = getContext<() => Grid>(KEY);
  return {
    get grid() {
      return read();
    },
    get unit() {
      return read().unit;
    },
    get kind() {
      return read().kind;
    },
  };
}
