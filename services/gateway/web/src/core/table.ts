/**
 * Following a table, or a room until it is one, and acting there. The view resumes by revision: whatever breaks, it
 * becomes what an uninterrupted client has. An action is applied once, however often it is sent (UX 36, 38).
 */

import { isStaleTicket, type Tickets } from "./api";
import { TurnClock } from "./clock";
import { newId } from "./ids";
import { Errands, RESEND_MS, type Outcome } from "./errands";
import { readHints, readRoom, type ActFrame, type Action, type Hints, type Room, type SentEvent } from "./protocol";
import type { ContributeFrame, Contribution, Said, ServerFrame, Update, Wish } from "./protocol";
import { MissedError, applyDelta } from "./reducer";
import { Link, type Around, type LinkState } from "./socket";
import { readView, type View } from "./views";

export type { Outcome } from "./errands";
/** Asking anew for what was missed, at most so often. */
const REWATCH_MS = 1_000;
const HINTS_MS = 4_000;
/** A contribution to a shuffle is answered by then, or not at all. */
export const CONTRIBUTE_MS = 1_000;
/** What is said late is not worth saying. */
const SAY_MS = 4_000;

/** Which attempt at shuffling which deal. */
export type Shuffle = Pick<ContributeFrame, "matchId" | "dealNo" | "attempt">;

export interface TableHandlers {
  /** The view is another one now; `events`: how it came to that, `null` where a snapshot replaced it. */
  readonly view: (view: View, events: readonly SentEvent[] | null, before: View | null) => void;
  readonly room: (room: Room) => void;
  /** Somebody says something: no part of the view. */
  readonly said: (said: Said) => void;
  /** So many look on, by the last count. */
  readonly spectators: (count: number) => void;
  /** A table or room cannot be followed any more. `WATCH_SUPERSEDED`: another tab plays, `takeOver` brings it here. */
  readonly ended: (code: string) => void;
  readonly link: (state: LinkState) => void;
}

/** `public`: a table, as one who has no seat there. */
type Target = { readonly kind: "table" | "public" | "room"; readonly id: string };

interface Pending {
  readonly frame: ActFrame;
  readonly settle: (outcome: Outcome) => void;
  /** The revision that the action made, once it is answered and while the view is not there yet. */
  revision: number | null;
  cancelResend: () => void;
}

interface Asked {
  readonly n: number;
  readonly settle: (hints: Hints | null) => void;
  readonly cancel: () => void;
}

export class TableClient {
  readonly link: Link;
  readonly clock: TurnClock;
  /** Of the step that the next deal's shuffle is at. */
  readonly shuffleClock: TurnClock;
  view: View | null = null;
  private target: Target | null = null;
  private pending: Pending | null = null;
  private readonly errands: Errands;
  private asked: Asked | null = null;
  private askedNo = 0;
  private rewatchedAt = -Infinity;

  constructor(
    url: string,
    tickets: Tickets,
    private readonly around: Around,
    private readonly handlers: TableHandlers,
  ) {
    this.link = new Link(url, tickets, around, {
      live: () => this.resume(),
      frame: (frame) => this.heard(frame),
      changed: (state) => this.linkChanged(state),
    });
    this.errands = new Errands((frame) => this.link.send(frame), around.after);
    this.clock = new TurnClock(this.link.clock);
    this.shuffleClock = new TurnClock(this.link.clock);
  }

  /** Follows a table from what is known of it, or what is public of it; connects if need be. */
  followTable(tableId: string, isPublic = false): void {
    const kind = isPublic ? "public" : "table";
    if (this.view?.tableId !== tableId || this.target?.kind !== kind) this.view = null;
    this.follow({ kind, id: tableId });
  }

  followRoom(roomId: string): void {
    this.view = null;
    this.follow({ kind: "room", id: roomId });
  }

  /** Follows nothing, and closes the socket. */
  leave(): void {
    this.target = null;
    this.view = null;
    this.giveUp("OFFLINE");
    this.link.stop();
  }

  /** Plays on in this tab what another one has taken over. */
  takeOver(): void {
    if (this.target) this.follow(this.target);
  }

  /** Whether an action waits for its answer, or for the view to show it. */
  get isActing(): boolean {
    return this.pending !== null;
  }

  /**
   * Plays an action in the turn that the view shows. One at a time: a second tap while the first waits is refused here
   * and nothing is sent (UX 26). The own clock stands still until the answer (UX 31).
   */
  act(action: Action): Promise<Outcome> {
    const deal = this.view?.deal;
    if (this.pending) return refused("BUSY");
    if (!this.view || !deal) return refused("DEAL_OVER");
    if (this.link.state.phase === "off" || this.link.state.phase === "stopped") return refused("OFFLINE");
    const { tableId, match } = this.view;
    const { dealNo, turnNo } = deal;
    const { matchId } = match;
    const frame: ActFrame = { t: "act", commandId: newId(), tableId, matchId, dealNo, turnNo, action };
    return new Promise((settle) => {
      this.pending = { frame, settle, revision: null, cancelResend: () => undefined };
      this.clock.freeze();
      this.sendPending();
    });
  }

  /**
   * Sends once what the own seat adds to a shuffle. `OFFLINE`: it is not known whether it arrived, and the same may be sent
   * again (ceremony.ts).
   */
  contribute(shuffle: Shuffle, what: Contribution): Promise<Outcome> {
    const tableId = this.view?.tableId;
    if (tableId === undefined) return refused("OFFLINE");
    const { matchId, dealNo, attempt } = shuffle;
    const frame = { t: "contribute", commandId: newId(), tableId, matchId, dealNo, attempt, ...what } as const;
    return this.errands.once(frame, CONTRIBUTE_MS);
  }

  /** Asks for something that is no play of cards, until it is answered: it takes effect once. */
  ask(wish: Wish): Promise<Outcome> {
    const tableId = this.view?.tableId;
    if (tableId === undefined) return refused("OFFLINE");
    return this.errands.lasting({ t: "ask", commandId: newId(), tableId, ...wish });
  }

  /** Says a phrase of the list to the table, once. */
  say(phraseId: string): Promise<Outcome> {
    const tableId = this.view?.tableId;
    if (tableId === undefined) return refused("OFFLINE");
    return this.errands.once({ t: "say", commandId: newId(), tableId, phraseId }, SAY_MS);
  }

  /** What the own hand could do; `null` where no answer comes. Sends no command (UX 28). */
  hints(): Promise<Hints | null> {
    this.asked?.settle(null);
    const tableId = this.view?.tableId;
    const n = ++this.askedNo;
    if (!tableId || !this.link.send({ t: "hints", tableId, n })) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (hints: Hints | null) => {
        this.asked?.cancel();
        this.asked = null;
        resolve(hints);
      };
      this.asked = { n, settle, cancel: this.around.after(HINTS_MS, () => settle(null)) };
    });
  }

  private follow(target: Target): void {
    this.target = target;
    this.rewatchedAt = -Infinity;
    if (this.link.state.phase === "live") this.watch();
    else this.link.start();
  }

  private resume(): void {
    this.watch();
    this.sendPending();
    this.errands.resumed();
  }

  private watch(): void {
    if (!this.target) return;
    this.rewatchedAt = this.around.now();
    const { kind, id } = this.target;
    const lastRevision = this.view?.revision ?? 0;
    if (kind === "room") this.link.send({ t: "watchRoom", roomId: id });
    else this.link.send({ t: kind === "public" ? "spectate" : "watch", tableId: id, lastRevision });
  }

  /** Asks anew, from the last revision that is known. */
  private rewatch(): void {
    if (this.around.now() - this.rewatchedAt >= REWATCH_MS) this.watch();
  }

  private heard(frame: ServerFrame): void {
    switch (frame.t) {
      case "update":
        if (this.target?.kind !== "room" && frame.tableId === this.target?.id) this.updated(frame);
        break;
      case "room":
        if (this.target?.kind === "room") this.handlers.room(readRoom(frame.room));
        break;
      case "done":
        this.done(frame.commandId, frame.revision ?? 0);
        break;
      case "refused":
        this.refused(frame);
        break;
      case "hints":
        if (frame.n === this.asked?.n) this.asked.settle(readHints(frame.hints));
        break;
      case "pong":
        if ((frame.headRevision ?? 0) > (this.view?.revision ?? 0)) this.rewatch();
        if (this.view) this.handlers.spectators(frame.spectators ?? 0);
        break;
      case "ended":
        if ((frame.tableId ?? frame.roomId) === this.target?.id) this.ended(frame.code);
        break;
    }
  }

  private updated(update: Update): void {
    const before = this.view;
    let events: readonly SentEvent[] | null = null;
    if (update.spectators !== undefined) this.handlers.spectators(update.spectators);
    if (update.said) this.handlers.said({ seat: 0, phraseId: "", ...update.said });
    if (update.snapshot !== undefined) this.view = readView(update.snapshot);
    else if (update.delta) {
      const revision = update.delta.revision ?? 0;
      // Already known: it comes twice where a stream was opened anew.
      if (before && revision <= before.revision) return;
      try {
        if (!before) throw new MissedError("nothing to follow on");
        this.view = applyDelta(before, update.delta);
        events = update.delta.events ?? [];
      } catch (error) {
        if (!(error instanceof MissedError)) throw error;
        // The next one in order that does not fit: what is held here is wrong, and only a snapshot mends that.
        if (before && revision === before.revision + 1) this.view = null;
        this.rewatch();
        return;
      }
    } else return;
    this.clock.set(Number(update.serverNowMs), update.remainingMs);
    this.shuffleClock.set(Number(update.serverNowMs), update.ceremonyRemainingMs);
    const turnNo = this.view?.deal?.turnNo;
    if (this.pending?.revision === null && this.pending.frame.turnNo === turnNo) this.clock.freeze();
    if (this.view) this.handlers.view(this.view, events, before);
    this.settleDone();
  }

  private done(commandId: string, revision: number): void {
    this.errands.answered(commandId, { ok: true });
    if (this.pending?.frame.commandId !== commandId) return;
    this.pending.cancelResend();
    this.pending.revision = revision;
    this.settleDone();
    // The view should show it in a moment; if it does not, something was missed.
    if (this.pending) this.pending.cancelResend = this.around.after(REWATCH_MS, () => this.rewatch());
  }

  /** An action is over once the view shows what it did: until then a second tap would be a mistake. */
  private settleDone(): void {
    const { pending, view } = this;
    if (pending?.revision == null || !view || view.revision < pending.revision) return;
    this.settle({ ok: true });
  }

  private refused(frame: Extract<ServerFrame, { t: "refused" }>): void {
    if (frame.n !== undefined && frame.n === this.asked?.n) this.asked.settle(null);
    if (frame.commandId === undefined) return;
    const retry = frame.retryAfterMs === undefined ? {} : { retryAfterMs: frame.retryAfterMs };
    const outcome: Outcome = { ok: false, code: frame.code, ...retry };
    this.errands.answered(frame.commandId, outcome);
    if (this.pending?.frame.commandId === frame.commandId) this.settle(outcome);
  }

  private ended(code: string): void {
    if (isStaleTicket(code)) {
      void this.link.sayHello(true).then(() => this.around.after(REWATCH_MS, () => this.watch()));
      return;
    }
    const superseded = code === "WATCH_SUPERSEDED";
    // The other tab plays: this one says so and keeps quiet, or the two would take turns in throwing each other out.
    if (superseded) this.link.stop(code);
    else this.target = null;
    this.giveUp(code);
    this.handlers.ended(code);
  }

  private linkChanged(state: LinkState): void {
    if (state.phase !== "live") this.errands.lost();
    if (state.phase === "waiting") this.asked?.settle(null);
    if (state.phase === "stopped") this.giveUp(state.code);
    this.handlers.link(state);
  }

  private sendPending(): void {
    const pending = this.pending;
    if (!pending || pending.revision !== null) return;
    pending.cancelResend();
    if (this.link.send(pending.frame)) {
      pending.cancelResend = this.around.after(RESEND_MS, () => this.sendPending());
    }
  }

  private giveUp(code: string): void {
    this.asked?.settle(null);
    this.errands.giveUp(code);
    if (this.pending) this.settle({ ok: false, code });
  }

  private settle(outcome: Outcome): void {
    const pending = this.pending;
    this.pending = null;
    pending?.cancelResend();
    this.clock.thaw();
    pending?.settle(outcome);
  }
}

function refused(code: string): Promise<Outcome> {
  return Promise.resolve({ ok: false, code });
}
