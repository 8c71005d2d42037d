/** A browser and a gateway for tests of the socket: time passes only when a test says so. */

import type { Tickets } from "../api";
import type { ClientFrame, ServerFrame } from "../protocol";
import type { Around, SocketLike } from "../socket";
import type { Stream } from "./streams";

export class FakeAround implements Around {
  time = 1_000;
  sockets: FakeSocket[] = [];
  /** What is called for each socket that is opened. */
  serve: (socket: FakeSocket) => void = () => undefined;
  private timers: { at: number; action: () => void }[] = [];
  private returns: ((why: "visible" | "online") => void)[] = [];

  readonly now = () => this.time;
  readonly random = () => 1;
  readonly open = (): SocketLike => {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    this.serve(socket);
    return socket;
  };
  readonly after = (ms: number, action: () => void) => {
    const timer = { at: this.time + ms, action };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  };
  readonly onReturn = (action: (why: "visible" | "online") => void) => {
    this.returns.push(action);
    return () => {
      this.returns = this.returns.filter((other) => other !== action);
    };
  };

  get socket(): FakeSocket {
    return this.sockets[this.sockets.length - 1]!;
  }

  /** Lets time pass, and all that is due in it happen. */
  async pass(ms: number): Promise<void> {
    const until = this.time + ms;
    await flushed();
    for (;;) {
      const next = this.timers.filter((timer) => timer.at <= until).sort((one, other) => one.at - other.at)[0];
      if (!next) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.time = Math.max(this.time, next.at);
      next.action();
      await flushed();
    }
    this.time = until;
  }

  /** Time passes while the page sleeps: nothing happens in it. */
  sleep(ms: number): void {
    this.time += ms;
  }

  comeBack(why: "visible" | "online"): void {
    for (const action of [...this.returns]) action(why);
  }
}

export class FakeSocket implements SocketLike {
  sent: ClientFrame[] = [];
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((message: { readonly data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  /** What the server does with each frame. */
  serve: (frame: ClientFrame) => void = () => undefined;

  send(text: string): void {
    if (this.isClosed) throw new Error("sent on a closed socket");
    const frame = JSON.parse(text) as ClientFrame;
    this.sent.push(frame);
    this.serve(frame);
  }

  close(): void {
    this.isClosed = true;
  }

  /** The server, or the network, cuts it. */
  cut(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onclose?.();
  }

  receive(frame: ServerFrame): void {
    if (!this.isClosed) this.onmessage?.({ data: JSON.stringify(frame) });
  }

  frames<T extends ClientFrame["t"]>(kind: T): Extract<ClientFrame, { t: T }>[] {
    return this.sent.filter((frame) => frame.t === kind) as Extract<ClientFrame, { t: T }>[];
  }
}

/** Waits until all that is under way without time's passing is done. */
export async function flushed(): Promise<void> {
  for (let round = 0; round < 40; round++) await Promise.resolve();
}

export class FakeTickets implements Tickets {
  renewed = 0;
  failure: Error | null = null;
  freshMs = 600_000;

  async ticket(): Promise<string> {
    if (this.failure) throw this.failure;
    return `ticket ${this.renewed}`;
  }

  async renew(): Promise<string> {
    this.renewed++;
    return this.ticket();
  }

  freshForMs(): number {
    return this.freshMs;
  }
}

/** A gateway that plays a stream: it resumes as the real one does, and answers actions once for each command id. */
export class FakeGateway {
  /** Steps of the stream that have happened. */
  happened = 0;
  /** Sends snapshots alone, as to a client that has been away for long. */
  snapshotsOnly = false;
  /** Silent: the network swallows what it says. */
  isSilent = false;
  /** What comes of an action; `null`: the answer is lost on its way. */
  answerAct: (commandId: string) => ServerFrame | null = () => null;
  /** Actions that were applied, by command id. */
  readonly applied: string[] = [];
  private watching: FakeSocket | null = null;

  constructor(
    private readonly around: FakeAround,
    readonly stream: Stream,
  ) {
    around.serve = (socket) => {
      socket.serve = (frame) => this.serve(socket, frame);
      void Promise.resolve().then(() => socket.onopen?.());
    };
  }

  get revision(): number {
    const first = (this.stream.first.snapshot as { revision?: number }).revision ?? 0;
    return first + this.happened;
  }

  /** The next step happens, and who watches is told. */
  step(): void {
    const { sent } = this.stream.steps[this.happened++]!;
    if (this.watching) this.say(this.watching, { t: "update", tableId: this.stream.tableId, ...sent });
  }

  say(socket: FakeSocket, frame: ServerFrame): void {
    if (!this.isSilent) socket.receive(frame);
  }

  private serve(socket: FakeSocket, frame: ClientFrame): void {
    const serverNowMs = String(1_700_000_000_000 + this.around.time);
    if (frame.t === "hello") this.say(socket, { t: "welcome", protocol: 1, accountId: "me", serverNowMs });
    else if (frame.t === "ping") this.say(socket, { t: "pong", n: frame.n, serverNowMs, headRevision: this.revision });
    else if (frame.t === "watch") this.watch(socket, frame.lastRevision);
    else if (frame.t === "act") {
      if (!this.applied.includes(frame.commandId)) this.applied.push(frame.commandId);
      const answer = this.answerAct(frame.commandId);
      if (answer) this.say(socket, answer);
    }
  }

  private watch(socket: FakeSocket, lastRevision: number): void {
    this.watching = socket;
    const { stream } = this;
    const missed = this.revision - lastRevision;
    const tell = (update: object) =>
      this.say(socket, { t: "update", tableId: stream.tableId, ...update } as ServerFrame);
    if (lastRevision && missed >= 0 && missed <= this.happened && !this.snapshotsOnly) {
      for (const step of stream.steps.slice(this.happened - missed, this.happened)) tell(step.sent);
    } else tell(this.happened ? stream.steps[this.happened - 1]!.snapshot : stream.first);
  }
}
