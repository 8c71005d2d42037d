/** Sends one contribution until nobody waits for it any more: what a table took in, it forgets when it dies (docs/socket.md). */

import type { Contribution } from "./protocol";
import type { Outcome, Shuffle } from "./table";

export const RESEND_MS = 1_000;
/** A minute: no step of a shuffle lasts so long, but for the time that its table stands still. */
const MOST_TRIES = 60;
/** While it does: what was sent before may have been forgotten by the time it goes on. */
const STANDING: ReadonlySet<string> = new Set(["TABLE_FROZEN", "PAUSED"]);
/** Refusals after which the same may go through; after any other it is not sent again. */
const PASSING: ReadonlySet<string> = new Set([
  ...["OFFLINE", "OVERLOADED", "RATE_LIMITED", "DEPENDENCY_AWAY", "DRAINING"],
  ...STANDING,
]);

export type Send = (shuffle: Shuffle, what: Contribution) => Promise<Outcome>;

interface Letter {
  readonly key: string;
  readonly shuffle: Shuffle;
  readonly what: Contribution;
  /** `final`: it is not sent again. */
  readonly heard: (outcome: Outcome, final: boolean) => void;
}

export class Postman {
  /** What was answered last; `null` before that. */
  outcome: Outcome | null = null;
  private letter: Letter | null = null;
  private tries = 0;
  private turn = 0;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly send: Send,
    private readonly after: (ms: number, action: () => void) => () => void,
  ) {}

  /** Begins with this; what was sent under the same key goes on as it does. */
  deliver(letter: Letter): void {
    if (this.letter?.key === letter.key) return;
    this.stop();
    this.letter = letter;
    void this.post();
  }

  /** There is a connection again: what went over the old one may not have arrived. */
  resumed(): void {
    if (this.letter && this.mayRepeat()) void this.post();
  }

  stop(): void {
    this.letter = null;
    this.outcome = null;
    this.tries = 0;
    this.turn++;
    this.cancel();
  }

  private mayRepeat(): boolean {
    return this.outcome === null || this.outcome.ok || PASSING.has(this.outcome.code);
  }

  private async post(): Promise<void> {
    const { letter } = this;
    const turn = ++this.turn;
    this.cancel();
    if (!letter || ++this.tries > MOST_TRIES) return;
    const outcome = await this.send(letter.shuffle, letter.what);
    if (turn !== this.turn) return;
    this.outcome = outcome;
    if (!outcome.ok && STANDING.has(outcome.code)) this.tries = 0;
    const final = !this.mayRepeat();
    if (!final) this.cancel = this.after(RESEND_MS, () => void this.post());
    letter.heard(outcome, final);
  }
}
