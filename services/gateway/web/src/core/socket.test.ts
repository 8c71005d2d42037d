import { beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "./api";
import { viewHash } from "./hash";
import type { ServerFrame } from "./protocol";
import { TableClient, type Outcome } from "./table";
import { FakeAround, FakeGateway, FakeTickets, flushed } from "./testing/fakes";
import { streams } from "./testing/streams";
import type { View } from "./views";

let around: FakeAround;
let tickets: FakeTickets;
let gateway: FakeGateway;
let client: TableClient;
let views: View[];
let ended: string[];
let banners: boolean[];

function begin(stream = streams[0]!): void {
  around = new FakeAround();
  tickets = new FakeTickets();
  gateway = new FakeGateway(around, stream);
  [views, ended, banners] = [[], [], []];
  client = new TableClient("ws://test/ws", tickets, around, {
    view: (view) => views.push(view),
    room: () => undefined,
    said: () => undefined,
    spectators: () => undefined,
    ended: (code) => ended.push(code),
    link: (state) => banners.push(state.banner),
  });
  client.followTable(stream.tableId);
}

/** To the first turn of the first deal in which the viewer may act. */
async function toMyTurn(): Promise<void> {
  await around.pass(0);
  for (;;) {
    const { deal, viewerSeat } = client.view!;
    if (deal && deal.turnSeat === viewerSeat && deal.phase === "PHASE_PLAY") return;
    gateway.step();
  }
}

const draw = { draw: {} };
const done =
  (revision: number) =>
  (commandId: string): ServerFrame => ({ t: "done", commandId, revision });

beforeEach(() => begin());

describe("UX 36: resuming", () => {
  it.each([0, 1, 2, 3, 4, 5])(
    "stream %i: cut at every event, by deltas, each view is the uninterrupted one",
    async (n) => {
      begin(streams[n]);
      for (let index = 0; index < gateway.stream.steps.length; index++) {
        // Two steps pass by while the socket is down, and then it is cut again.
        if (index % 2 === 0) around.socket?.cut();
        gateway.step();
        if (index % 2 === 1) {
          around.comeBack("online");
          await around.pass(0);
          expect(await viewHash(client.view!), `step ${index}`).toBe(gateway.stream.steps[index]!.hash);
        }
      }
    },
  );

  it("cut at every event with snapshots alone, too", async () => {
    gateway.snapshotsOnly = true;
    for (const step of gateway.stream.steps) {
      around.socket?.cut();
      gateway.step();
      around.comeBack("online");
      await around.pass(0);
      expect(await viewHash(client.view!)).toBe(step.hash);
    }
  });

  it("asks from its own revision, and takes nothing twice", async () => {
    await around.pass(0);
    for (let step = 0; step < 5; step++) gateway.step();
    const revision = client.view!.revision;
    around.socket.cut();
    await around.pass(300);
    expect(around.socket.frames("watch")).toEqual([
      { t: "watch", tableId: gateway.stream.tableId, lastRevision: revision },
    ]);
    const seen = views.length;
    around.socket.receive({ t: "update", tableId: gateway.stream.tableId, ...gateway.stream.steps[4]!.sent });
    expect(views.length).toBe(seen);
  });

  it("watches anew when a delta was missed, or a pong tells of more than it has", async () => {
    await around.pass(0);
    gateway.isSilent = true;
    gateway.step();
    gateway.isSilent = false;
    await around.pass(1_000);
    gateway.step();
    expect(client.view!.revision).toBe(gateway.revision);

    gateway.isSilent = true;
    gateway.step();
    gateway.isSilent = false;
    await around.pass(5_000);
    expect(client.view!.revision).toBe(gateway.revision);
  });

  it.each([1_000, 0])("fetches a snapshot for what does not fit, %d ms after it asked for something", async (ms) => {
    await toMyTurn();
    client.view = { ...client.view!, deal: { ...client.view!.deal!, turnNo: 99 } };
    await around.pass(ms);
    gateway.step();
    await around.pass(6_000 - ms);
    expect(around.socket.frames("watch").at(-1)!.lastRevision).toBe(0);
    expect(await viewHash(client.view!)).toBe(gateway.stream.steps[gateway.happened - 1]!.hash);
  });
});

describe("UX 37: reconnecting", () => {
  it("waits 0.25 s, then twice as long each time, five seconds at the most", async () => {
    await around.pass(0);
    around.serve = (socket) => void flushed().then(() => socket.cut());
    around.socket.cut();
    const opened: number[] = [];
    for (let count = around.sockets.length; opened.length < 7;) {
      await around.pass(10);
      if (around.sockets.length > count) opened.push(around.time);
      count = around.sockets.length;
    }
    const gaps = opened.map((time, index) => time - (opened[index - 1] ?? 1_000));
    for (const [index, gap] of [250, 500, 1000, 2000, 4000, 5000, 5000].entries()) {
      expect(Math.abs(gaps[index]! - gap)).toBeLessThanOrEqual(10);
    }
  });

  it("happens at once when the page becomes visible or the network returns", async () => {
    await around.pass(0);
    around.serve = () => undefined;
    around.socket.cut();
    await around.pass(240);
    const before = around.sockets.length;
    for (const why of ["visible", "online"] as const) {
      around.comeBack(why);
      await around.pass(0);
    }
    expect(around.sockets.length).toBe(before + 1);
  });

  it("drops a socket that died while the page slept, within two seconds", async () => {
    await around.pass(0);
    gateway.isSilent = true;
    around.sleep(30_000);
    around.comeBack("visible");
    const dead = around.socket;
    await around.pass(1_400);
    expect(around.socket).toBe(dead);
    gateway.isSilent = false;
    await around.pass(600);
    expect(dead.isClosed).toBe(true);
    expect(client.link.state.phase).toBe("live");
  });

  it("keeps a socket that slept and lives", async () => {
    await around.pass(0);
    const socket = around.socket;
    around.sleep(60_000);
    around.comeBack("visible");
    await around.pass(2_000);
    expect(around.socket).toBe(socket);
    expect(socket.isClosed).toBe(false);
  });

  it("pings every 5 s and takes the socket for dead at 10 s", async () => {
    await around.pass(12_000);
    expect(around.socket.frames("ping")).toHaveLength(3);
    const socket = around.socket;
    gateway.isSilent = true;
    await around.pass(7_900);
    expect(socket.isClosed).toBe(false);
    await around.pass(200);
    expect(socket.isClosed).toBe(true);
  });

  it("shows a banner after 1.5 s, and none for a short break", async () => {
    await around.pass(0);
    around.socket.cut();
    await around.pass(300);
    expect(client.link.state).toMatchObject({ phase: "live", banner: false });
    around.serve = () => undefined;
    around.socket.cut();
    await around.pass(1_400);
    expect(client.link.state.banner).toBe(false);
    await around.pass(200);
    expect(client.link.state.banner).toBe(true);
    new FakeGateway(around, gateway.stream);
    around.comeBack("online");
    await around.pass(10_000);
    expect(client.link.state).toMatchObject({ phase: "live", banner: false, downSince: null });
    expect(banners).toContain(true);
  });

  it("renews the ticket before it expires, and after the server refused it", async () => {
    tickets.freshMs = 3_000;
    await around.pass(0);
    around.socket.cut();
    await around.pass(4_000);
    expect(around.socket.frames("hello").length).toBeGreaterThan(1);
    around.socket.receive({ t: "bye", code: "TOKEN_EXPIRED" });
    await around.pass(300);
    expect(around.socket.frames("hello")[0]!.ticket).toBe("ticket 1");
    expect(client.link.state.phase).toBe("live");
  });

  it("stops where the account is unknown by now", async () => {
    tickets.failure = new ApiError("CREDENTIAL_INVALID", 401);
    around.socket.receive({ t: "bye", code: "TOKEN_EXPIRED" });
    await around.pass(60_000);
    expect(client.link.state).toMatchObject({ phase: "stopped", code: "CREDENTIAL_INVALID" });
  });

  it("does not come back by itself once a newer tab plays, but does on demand", async () => {
    await around.pass(0);
    around.socket.receive({ t: "ended", tableId: gateway.stream.tableId, code: "WATCH_SUPERSEDED" });
    await around.pass(60_000);
    expect(ended).toEqual(["WATCH_SUPERSEDED"]);
    expect(around.sockets).toHaveLength(1);
    around.comeBack("visible");
    await around.pass(10_000);
    expect(around.sockets).toHaveLength(1);
    client.takeOver();
    await around.pass(0);
    expect(client.link.state.phase).toBe("live");
    expect(client.view!.revision).toBe(gateway.revision);
  });
});

describe("UX 38: an action", () => {
  it("whose answer is lost is sent again after 2.5 s with the same id, and applied once", async () => {
    await toMyTurn();
    const acting = client.act(draw);
    await around.pass(2_400);
    expect(around.socket.frames("act")).toHaveLength(1);
    gateway.answerAct = done(client.view!.revision);
    await around.pass(200);
    const sent = around.socket.frames("act");
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
    expect(gateway.applied).toHaveLength(1);
    expect(await acting).toEqual({ ok: true });
  });

  it("is sent again over a new socket", async () => {
    await toMyTurn();
    const acting = client.act(draw);
    around.socket.cut();
    gateway.answerAct = done(client.view!.revision);
    await around.pass(300);
    expect(around.sockets).toHaveLength(2);
    expect(gateway.applied).toHaveLength(1);
    expect(await acting).toEqual({ ok: true });
  });

  it("asked for while the connection is away goes out with it", async () => {
    await toMyTurn();
    around.socket.cut();
    const acting = client.act(draw);
    gateway.answerAct = done(client.view!.revision);
    await around.pass(300);
    expect(await acting).toEqual({ ok: true });
  });

  it("is over once the view shows it, not before", async () => {
    await toMyTurn();
    gateway.answerAct = done(gateway.revision + 1);
    let outcome: Outcome | null = null;
    void client.act(draw).then((came) => (outcome = came));
    await around.pass(10);
    expect([outcome, client.isActing]).toEqual([null, true]);
    gateway.step();
    await flushed();
    expect([outcome, client.isActing]).toEqual([{ ok: true }, false]);
  });

  it("that is refused leaves the view as it was, and says why", async () => {
    await toMyTurn();
    const before = client.view;
    gateway.answerAct = (commandId) => ({ t: "refused", commandId, code: "DUTY_UNMET" });
    expect(await client.act(draw)).toEqual({ ok: false, code: "DUTY_UNMET" });
    expect(client.view).toBe(before);
  });

  it("UX 26: tapped twice is sent once", async () => {
    await toMyTurn();
    const first = client.act({ discard: { card: "7H" } });
    expect(await client.act({ discard: { card: "7H" } })).toEqual({ ok: false, code: "BUSY" });
    gateway.answerAct = done(client.view!.revision);
    await around.pass(2_600);
    await first;
    expect(new Set(around.socket.frames("act").map((frame) => frame.commandId)).size).toBe(1);
  });

  it("is given up when another tab takes over, and refused where nothing is connected", async () => {
    await toMyTurn();
    const acting = client.act(draw);
    around.socket.receive({ t: "ended", tableId: gateway.stream.tableId, code: "WATCH_SUPERSEDED" });
    expect(await acting).toEqual({ ok: false, code: "WATCH_SUPERSEDED" });
    expect(await client.act(draw)).toEqual({ ok: false, code: "OFFLINE" });
  });

  it("UX 31: freezes the own clock from the sending to the answer", async () => {
    await toMyTurn();
    const { view } = client;
    const serverNowMs = 1_700_000_000_000 + around.time;
    client.clock.set(serverNowMs, 20_000);
    const acting = client.act(draw);
    await around.pass(2_000);
    expect(client.clock.remainingMs()).toBeCloseTo(20_000, -2);
    gateway.answerAct = done(view!.revision);
    await around.pass(600);
    await acting;
    expect(client.clock.isFrozen).toBe(false);
    expect(client.clock.remainingMs()).toBeCloseTo(17_400, -2);
  });
});

describe("UX 28: hints", () => {
  it("send no command", async () => {
    await toMyTurn();
    const hints = client.hints();
    const [asked] = around.socket.frames("hints");
    around.socket.receive({ t: "hints", n: asked!.n, revision: 1, hints: { melds: [{ cards: ["5H", "6H", "7H"] }] } });
    expect(await hints).toMatchObject({ melds: [{ cards: ["5H", "6H", "7H"] }], jokers: [], take: false });
    expect(around.socket.frames("act")).toHaveLength(0);
  });

  it("that are not answered are none", async () => {
    await toMyTurn();
    const hints = client.hints();
    await around.pass(4_000);
    expect(await hints).toBeNull();
    around.socket.cut();
    expect(await client.hints()).toBeNull();
  });
});
