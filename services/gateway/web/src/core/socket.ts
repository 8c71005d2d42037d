/**
 * One socket that is kept alive: hello with a ticket, pings, reconnecting (UX "Socket"). What it carries is for table.ts.
 */

import { ApiError, isStaleTicket, type Tickets } from "./api";
import { ServerClock, type Now } from "./clock";
import { PROTOCOL, readFrame, type ClientFrame, type ServerFrame } from "./protocol";

export const PING_MS = 5_000;
/** How long an answer may take when the page comes back into view. */
export const PROBE_MS = 1_500;
export const BANNER_MS = 1_500;
export const RETRY_FIRST_MS = 250;
export const RETRY_MOST_MS = 5_000;
/** A socket that is not welcomed by then is given up. */
const WELCOME_MS = 8_000;

/** What of WebSocket is used. */
export interface SocketLike {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((message: { readonly data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

/** The browser, or a test's stand-in for it. */
export interface Around {
  readonly now: Now;
  readonly open: (url: string) => SocketLike;
  /** Calls once so many milliseconds are over; gives what cancels it. */
  readonly after: (ms: number, action: () => void) => () => void;
  readonly random: () => number;
  /** Calls whenever the page becomes visible or the network comes back; gives what ends that. */
  readonly onReturn: (action: (why: "visible" | "online") => void) => () => void;
}

export interface LinkState {
  /** `stopped`: it will not reconnect by itself, and `code` says why. */
  readonly phase: "off" | "connecting" | "live" | "waiting" | "stopped";
  readonly code: string;
  /** Down for long enough to say so. */
  readonly banner: boolean;
  /** Since when it is down, on `Around.now`; `null` while it is live. */
  readonly downSince: number | null;
}

export interface LinkHandlers {
  /** The server has said welcome, on a new socket. */
  readonly live: () => void;
  readonly frame: (frame: ServerFrame) => void;
  readonly changed: (state: LinkState) => void;
}

/** Codes after which reconnecting would do harm: another tab plays, or this page is too old. */
const FINAL = new Set(["TOO_MANY_SOCKETS", "PROTOCOL_UNKNOWN", "CREDENTIAL_INVALID", "ROLE_NOT_ADMITTED"]);

export class Link {
  readonly clock: ServerClock;
  state: LinkState = { phase: "off", code: "", banner: false, downSince: null };
  private socket: SocketLike | null = null;
  /** Raised with each attempt, so that what belongs to a former one is not heard. */
  private attempt = 0;
  private failures = 0;
  private pingNo = 0;
  private pingSentAt: number | null = null;
  private heardAt = 0;
  private staleTicket = false;
  private readonly timers = new Map<string, () => void>();
  private endReturns: (() => void) | null = null;

  constructor(
    private readonly url: string,
    private readonly tickets: Tickets,
    private readonly around: Around,
    private readonly handlers: LinkHandlers,
  ) {
    this.clock = new ServerClock(around.now);
  }

  /** Connects, and from then on keeps connected. */
  start(): void {
    if (this.state.phase !== "off" && this.state.phase !== "stopped") return;
    this.endReturns ??= this.around.onReturn((why) => this.returned(why));
    this.failures = 0;
    this.down("connecting");
    void this.connect();
  }

  /** Closes, and stays so until `start`. */
  stop(code = ""): void {
    this.drop();
    this.endReturns?.();
    this.endReturns = null;
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
    this.change({ phase: code ? "stopped" : "off", code, banner: false, downSince: null });
  }

  /** Sends a frame where there is a live socket; says whether there was. */
  send(frame: ClientFrame): boolean {
    if (this.state.phase !== "live" || !this.socket) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  /** A fresh ticket before the old one expires, or after a stream was refused the old one. */
  async sayHello(renew: boolean): Promise<void> {
    const attempt = this.attempt;
    try {
      const ticket = await (renew ? this.tickets.renew() : this.tickets.ticket());
      if (attempt !== this.attempt) return;
      this.send({ t: "hello", protocol: PROTOCOL, ticket });
    } catch (error) {
      if (attempt === this.attempt && error instanceof ApiError && FINAL.has(error.code)) this.stop(error.code);
    }
    this.renewLater();
  }

  private async connect(): Promise<void> {
    const attempt = ++this.attempt;
    let ticket: string;
    try {
      ticket = await (this.staleTicket ? this.tickets.renew() : this.tickets.ticket());
    } catch (error) {
      if (attempt !== this.attempt) return;
      const code = error instanceof ApiError ? error.code : "INTERNAL";
      if (FINAL.has(code) || code === "NO_TOKEN") this.stop(code);
      else this.retry();
      return;
    }
    if (attempt !== this.attempt) return;
    this.staleTicket = false;
    const socket = this.around.open(this.url);
    this.socket = socket;
    this.timer("welcome", WELCOME_MS, () => this.lost());
    socket.onopen = () => socket.send(JSON.stringify({ t: "hello", protocol: PROTOCOL, ticket } satisfies ClientFrame));
    socket.onmessage = ({ data }) => {
      if (attempt === this.attempt) this.heard(String(data));
    };
    socket.onclose = () => {
      if (attempt === this.attempt) this.lost();
    };
  }

  private heard(text: string): void {
    this.heardAt = this.around.now();
    const frame = readFrame(text);
    if (frame === null) return;
    if (frame.t === "welcome") this.welcomed(Number(frame.serverNowMs));
    else if (frame.t === "bye") this.dismissed(frame.code);
    else {
      if (frame.t === "pong") {
        if (frame.n === this.pingNo && this.pingSentAt !== null) {
          this.clock.heard(Number(frame.serverNowMs), this.pingSentAt);
          this.pingSentAt = null;
        }
      } else if (frame.t === "update") this.clock.heard(Number(frame.serverNowMs));
      this.handlers.frame(frame);
    }
  }

  private welcomed(serverNowMs: number): void {
    if (this.state.phase === "live") return;
    this.clock.reset();
    this.clock.heard(serverNowMs);
    this.cancel("welcome");
    this.cancel("banner");
    this.failures = 0;
    this.change({ phase: "live", code: "", banner: false, downSince: null });
    this.renewLater();
    this.ping();
    this.handlers.live();
  }

  /** The server says goodbye, and why. */
  private dismissed(code: string): void {
    if (FINAL.has(code)) this.stop(code);
    else {
      this.staleTicket = isStaleTicket(code);
      this.lost();
    }
  }

  private ping(): void {
    const now = this.around.now();
    const sentAt = this.pingSentAt;
    // Nothing at all since the last one: it is dead, ten seconds after its last word. But a page that slept, and comes to
    // this late, asks once more: the answer may lie there unread.
    if (sentAt !== null && this.heardAt < sentAt && now - sentAt < 2 * PING_MS) this.lost();
    else this.sendPing(now);
  }

  private sendPing(now: number): void {
    this.pingSentAt = now;
    this.send({ t: "ping", n: ++this.pingNo });
    this.timer("ping", PING_MS, () => this.ping());
  }

  private returned(why: "visible" | "online"): void {
    const { phase } = this.state;
    if (phase === "waiting") this.again();
    else if (phase === "live" && why === "online") {
      // The network was away: what goes over the old socket may never arrive.
      this.lost();
      this.again();
    } else if (phase === "live") {
      const before = this.around.now();
      this.sendPing(before);
      this.timer("probe", PROBE_MS, () => {
        if (this.state.phase !== "live" || this.heardAt >= before) return;
        this.lost();
        this.again();
      });
    }
  }

  private again(): void {
    this.failures = 0;
    this.cancel("retry");
    this.down("connecting");
    void this.connect();
  }

  /** The socket is gone, or as good as gone. */
  private lost(): void {
    this.drop();
    this.retry();
  }

  private retry(): void {
    const wait = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** this.failures++);
    this.down("waiting");
    // Apart from each other: when a server comes back, all its players come back to it.
    this.timer("retry", wait * (0.5 + this.around.random() / 2), () => {
      this.down("connecting");
      void this.connect();
    });
  }

  private drop(): void {
    this.attempt++;
    for (const name of ["welcome", "ping", "probe", "renew"]) this.cancel(name);
    this.pingSentAt = null;
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private down(phase: "connecting" | "waiting"): void {
    const downSince = this.state.downSince ?? this.around.now();
    if (this.state.downSince === null) {
      this.timer("banner", BANNER_MS, () => this.change({ ...this.state, banner: true }));
    }
    this.change({ phase, code: "", banner: this.state.banner, downSince });
  }

  private renewLater(): void {
    if (this.state.phase !== "live") return;
    this.timer("renew", Math.max(1_000, this.tickets.freshForMs()), () => void this.sayHello(false));
  }

  private change(state: LinkState): void {
    this.state = state;
    this.handlers.changed(state);
  }

  private timer(name: string, ms: number, action: () => void): void {
    this.cancel(name);
    this.timers.set(
      name,
      this.around.after(ms, () => {
        this.timers.delete(name);
        action();
      }),
    );
  }

  private cancel(name: string): void {
    this.timers.get(name)?.();
    this.timers.delete(name);
  }
}
