/**
 * Parts of the page in files of their own: whoever comes to a table by its address need not wait for the other screens, and
 * nobody for what only a press of a button or a deal's end brings up.
 */

export const parts = {
  home: () => import("./HomeScreen.svelte"),
  room: () => import("./RoomScreen.svelte"),
  hints: () => import("./HintBar.svelte"),
  results: () => import("./Results.svelte"),
  evening: () => import("./Evening.svelte"),
  watcher: () => import("./Watcher.svelte"),
  plain: () => import("./PlainScreen.svelte"),
  phrases: () => import("../core/phrases"),
  coins: () => import("./coins/CoinPanels.svelte"),
  overs: () => import("./Overs.svelte"),
  ceremony: () => import("../core/ceremony"),
  primitives: () => import("../verify/primitives"),
};

/** Fetches them all, one after another, so that going on does not depend on a server that has been changed meanwhile. */
export async function fetchAhead(): Promise<void> {
  for (const part of Object.values(parts)) await part().catch(() => undefined);
}
