/** What is said at the table: who says what at this moment, who is not to be heard here, and how soon one may speak again. */

import type { Said } from "../core/protocol";
import type { Keeper } from "../core/storage";
import type { TableClient } from "../core/table";
import type { SeatView, View } from "../core/views";

/** How long a bubble stands. */
export const SHOWN_MS = 4_000;
/** Who speaks gets a moment to be read. */
export const BREATH_MS = 1_200;
const MUTED = "muted";
/** People that a browser remembers to have muted; of more the oldest are heard again. */
const MOST_MUTED = 200;

export interface Bubble extends Said {
  readonly no: number;
}

export interface TalkAround {
  readonly client: Pick<TableClient, "say">;
  readonly lasting: Keeper;
  readonly now: () => number;
  readonly after: (ms: number, action: () => void) => () => void;
  /** Somebody is heard. */
  readonly heard: (said: Said) => void;
  readonly refused: (code: string) => void;
}

export class Talk {
  /** Whether the tray is open. */
  open = $state(false);
  bubbles: readonly Bubble[] = $state.raw([]);
  muted: readonly string[] = $state.raw([]);
  /** Milliseconds until something can be said again. */
  waitMs = $state(0);
  private freeAt = 0;
  private no = 0;
  private cancelWait: () => void = () => undefined;

  constructor(private readonly around: TalkAround) {
    const kept = around.lasting.get<unknown>(MUTED);
    this.muted = Array.isArray(kept) ? kept.filter((one) => typeof one === "string").slice(-MOST_MUTED) : [];
  }

  /** Somebody at the table says something; who is muted here is not heard. */
  heard(said: Said, view: View | null): void {
    const seat = view?.seats[said.seat];
    if (!seat || this.isMuted(seat)) return;
    const bubble = { ...said, no: ++this.no };
    this.bubbles = [...this.bubbles.filter((other) => other.seat !== said.seat), bubble];
    this.around.after(SHOWN_MS, () => (this.bubbles = this.bubbles.filter((other) => other !== bubble)));
    this.around.heard(said);
  }

  async say(phraseId: string): Promise<void> {
    if (this.waitMs > 0) return;
    this.waitFor(BREATH_MS);
    this.open = false;
    const outcome = await this.around.client.say(phraseId);
    if (outcome.ok) return;
    this.waitFor(outcome.retryAfterMs ?? 0);
    this.around.refused(outcome.code);
  }

  isMuted(seat: SeatView): boolean {
    return this.muted.includes(personOf(seat));
  }

  /** Mutes somebody for this browser, at all tables; or hears them again. */
  mute(seat: SeatView): void {
    const person = personOf(seat);
    const others = this.muted.filter((one) => one !== person);
    this.muted = others.length < this.muted.length ? others : [...others, person].slice(-MOST_MUTED);
    this.around.lasting.set(MUTED, this.muted);
    if (this.isMuted(seat)) this.bubbles = this.bubbles.filter((one) => one.seat !== seat.seat);
  }

  /** Another table, or none. */
  clear(): void {
    this.open = false;
    this.bubbles = [];
  }

  private waitFor(ms: number): void {
    this.freeAt = Math.max(this.freeAt, this.around.now() + ms);
    this.cancelWait();
    this.lookAtWait();
  }

  private lookAtWait(): void {
    this.waitMs = Math.max(0, this.freeAt - this.around.now());
    if (this.waitMs > 0) this.cancelWait = this.around.after(Math.min(this.waitMs, 250), () => this.lookAtWait());
  }
}

/** Who sits there, by account; a house bot has none, and is known by its name. */
function personOf({ accountId, displayName }: SeatView): string {
  return accountId || `house:${displayName}`;
}
