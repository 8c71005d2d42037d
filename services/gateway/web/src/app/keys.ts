/** One key for each thing that one does at the table, besides Tab, arrows and Space. */

/** Runs what a key stands for; a key that is meant for a text field or an open panel is left alone. */
export function keyed(event: KeyboardEvent, actions: Readonly<Record<string, () => unknown>>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target instanceof HTMLInputElement || document.querySelector("[role=dialog]")) return;
  // By the key's place: an Arabic keyboard has other letters on it.
  const action = actions[event.code.replace("Key", "").toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
}
