/** What is sent under an id of its own and awaits its answer: contributions to a shuffle, wishes, what is said. */

import type { ClientFrame } from "./protocol";

/** What came of it. */
export type Outcome =
  { readonly ok: true } | { readonly ok: false; readonly code: string; readonly retryAfterMs?: number };

/** Of what is sent until it is answered: then the same again. */
export const RESEND_MS = 2_500;

type ErrandFrame = ClientFrame & { readonly commandId: string };

interface Open {
  readonly frame: ErrandFrame;
  /** Sent again until it is answered: it takes effect once, however often it comes. */
  readonly lasting: boolean;
  readonly settle: (outcome: Outcome) => void;
  cancel: () => void;
}

export class Errands {
  private readonly open = new Map<string, Open>();

  constructor(
    private readonly send: (frame: ClientFrame) => boolean,
    private readonly after: (ms: number, action: () => void) => () => void,
  ) {}

  /** Sends it once. `OFFLINE` where no answer comes in that time: it is not known whether it arrived. */
  once(frame: ErrandFrame, withinMs: number): Promise<Outcome> {
    const outcome = this.opened(
      frame,
      false,
      this.after(withinMs, () => this.offline(frame.commandId)),
    );
    if (!this.send(frame)) this.offline(frame.commandId);
    return outcome;
  }

  /** Sends it until it is answered, over as many connections as that takes. */
  lasting(frame: ErrandFrame): Promise<Outcome> {
    const outcome = this.opened(frame, true, () => undefined);
    this.post(frame.commandId);
    return outcome;
  }

  answered(commandId: string, outcome: Outcome): void {
    const errand = this.open.get(commandId);
    this.open.delete(commandId);
    errand?.cancel();
    errand?.settle(outcome);
  }

  /** There is a connection again: what lasts need not wait for its turn. */
  resumed(): void {
    for (const [id, { lasting }] of this.open) if (lasting) this.post(id);
  }

  /** The connection is gone: what was sent once may have arrived, or not. */
  lost(): void {
    for (const [id, { lasting }] of this.open) if (!lasting) this.offline(id);
  }

  giveUp(code: string): void {
    for (const id of this.open.keys()) this.answered(id, { ok: false, code });
  }

  private opened(frame: ErrandFrame, lasting: boolean, cancel: () => void): Promise<Outcome> {
    return new Promise((settle) => this.open.set(frame.commandId, { frame, lasting, settle, cancel }));
  }

  private offline(commandId: string): void {
    this.answered(commandId, { ok: false, code: "OFFLINE" });
  }

  private post(commandId: string): void {
    const errand = this.open.get(commandId);
    if (!errand) return;
    errand.cancel();
    errand.cancel = this.after(RESEND_MS, () => this.post(commandId));
    this.send(errand.frame);
  }
}
