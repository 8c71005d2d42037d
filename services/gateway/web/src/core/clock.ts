/** Time as the server has it, counted on a clock that never jumps (performance.now). The server decides (UX 29, 31). */

/** A monotonic clock in milliseconds. */
export type Now = () => number;

/** Pings that are remembered. */
const SAMPLES = 8;
/** A jump by more than this means that the device slept: what was measured before says nothing. */
const JUMP_MS = 250;

/** The server's clock, as far as its messages tell. A message that was long on its way cannot mislead it. */
export class ServerClock {
  /** Server time less local time, of the pings with the shortest way. */
  private samples: { offset: number; roundTrip: number }[] = [];
  /** No message can have been sent after it came: the offset is at least this. */
  private least = -Infinity;

  constructor(private readonly now: Now) {}

  /** Begins anew, as with a new connection: what is there may be another server, or its clock may have been set. */
  reset(): void {
    this.samples = [];
    this.least = -Infinity;
  }

  /** A message bore the server's time; `sentAt`: when the ping that it answers was sent, on the local clock. */
  heard(serverNowMs: number, sentAt?: number): void {
    const at = this.now();
    const least = serverNowMs - at;
    if (least > this.offset() + JUMP_MS) this.samples = [];
    this.least = Math.max(this.least, least);
    if (sentAt === undefined) return;
    const roundTrip = at - sentAt;
    this.samples = [...this.samples, { offset: least + roundTrip / 2, roundTrip }].slice(-SAMPLES);
  }

  /** Unix milliseconds by the server. */
  serverNow(): number {
    return this.now() + Math.max(this.offset(), this.least);
  }

  private offset(): number {
    const best = this.samples.reduce((one, other) => (other.roundTrip < one.roundTrip ? other : one), {
      offset: this.least,
      roundTrip: Infinity,
    });
    return best.offset;
  }
}

/** The clock that runs at the table: a turn's, a discard's or the result screen's. */
export class TurnClock {
  private endsAt: number | null = null;
  private frozenAt: number | null = null;

  constructor(private readonly server: ServerClock) {}

  /** As an update told it; `undefined`: no clock runs. It is thawed: this is what the server says. */
  set(serverNowMs: number, remainingMs: number | undefined): void {
    this.endsAt = remainingMs === undefined ? null : serverNowMs + remainingMs;
    this.frozenAt = null;
  }

  /** Stands still from now on: the player has acted, and waits for the answer. */
  freeze(): void {
    this.frozenAt ??= this.remainingMs();
  }

  /** Goes on, with the time that has passed meanwhile. */
  thaw(): void {
    this.frozenAt = null;
  }

  get isFrozen(): boolean {
    return this.frozenAt !== null;
  }

  /** Milliseconds left, not below 0; `null` where no clock runs. */
  remainingMs(): number | null {
    if (this.frozenAt !== null) return this.frozenAt;
    return this.endsAt === null ? null : Math.max(0, this.endsAt - this.server.serverNow());
  }
}

/** The seconds to show: 5 while more than 4 are left. */
export function secondsLeft(remainingMs: number): number {
  return Math.ceil(remainingMs / 1000);
}

/** How long the warning before the end of a turn lasts (R9.1). */
export const WARNING_MS = 5000;
