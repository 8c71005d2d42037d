/** Links that a player gives to others: into a room, or to look on at a table. */

import type { Teller } from "./teller.svelte";

/** How long "copied" stands on the button. */
const COPIED_MS = 2_000;

export class Sharing {
  copied = $state(false);

  constructor(private readonly teller: Teller) {}

  /** Sends a link the way that this device can: its own sheet, the clipboard, or in sight to be copied by hand. */
  async share(url: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(url);
      this.copied = true;
      setTimeout(() => (this.copied = false), COPIED_MS);
    } catch {
      this.teller.toast(() => url);
    }
    // Not every browser has it, and the player may well close it again: both are no fault.
    if (matchMedia("(pointer: coarse)").matches) await navigator.share?.({ url }).catch(() => undefined);
  }
}
