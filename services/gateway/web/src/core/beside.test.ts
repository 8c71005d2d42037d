import { beforeEach, expect, it } from "vitest";
import { TableClient } from "./table";
import { FakeAround, FakeGateway, FakeTickets } from "./testing/fakes";
import { streams } from "./testing/streams";
import type { Said } from "./protocol";

let around: FakeAround;
let gateway: FakeGateway;
let client: TableClient;
let heard: Said[];
let counts: number[];

beforeEach(async () => {
  around = new FakeAround();
  gateway = new FakeGateway(around, streams[0]!);
  [heard, counts] = [[], []];
  const ignored = () => undefined;
  client = new TableClient("ws://test/ws", new FakeTickets(), around, {
    view: ignored,
    room: ignored,
    said: (said) => heard.push(said),
    spectators: (count) => counts.push(count),
    ended: ignored,
    link: ignored,
  });
  client.followTable(gateway.stream.tableId);
  await around.pass(0);
});

const { tableId } = streams[0]!;
const update = (more: object) =>
  around.socket.receive({ t: "update", tableId, serverNowMs: String(1_700_000_000_000 + around.time), ...more });

it("who looks on follows what is public, from the beginning, and the own seat afterwards likewise", () => {
  client.followTable(tableId, true);
  expect(around.socket.frames("spectate")).toEqual([{ t: "spectate", tableId, lastRevision: 0 }]);
  update(gateway.stream.first);
  client.followTable(tableId, true);
  const { revision } = client.view!;
  expect(around.socket.frames("spectate").at(-1)!.lastRevision).toBe(revision);
  client.followTable(tableId);
  expect(around.socket.frames("watch").at(-1)).toEqual({ t: "watch", tableId, lastRevision: 0 });
});

it("what is said is heard, and changes nothing of the view", () => {
  const before = client.view;
  update({ said: { seat: 2, phraseId: "rose" } });
  update({ said: { phraseId: "hello" } });
  expect(heard).toEqual([
    { seat: 2, phraseId: "rose" },
    { seat: 0, phraseId: "hello" },
  ]);
  expect(client.view).toBe(before);
});

it("how many look on is told by snapshots and by each pong", () => {
  update({ ...gateway.stream.first, spectators: 3 });
  const serverNowMs = String(1_700_000_000_000 + around.time);
  around.socket.receive({ t: "pong", n: 1, serverNowMs, spectators: 2 });
  around.socket.receive({ t: "pong", n: 2, serverNowMs });
  expect(counts.slice(-3)).toEqual([3, 2, 0]);
});

it("a wish goes out under one id until it is answered, a phrase once", async () => {
  const wish = client.ask({ leave: {} });
  const said = client.say("rose");
  await around.pass(6_000);
  const asked = around.socket.frames("ask");
  expect([asked.length > 1, new Set(asked.map(({ commandId }) => commandId)).size]).toEqual([true, 1]);
  expect(asked[0]).toMatchObject({ tableId, leave: {} });
  expect(around.socket.frames("say")).toEqual([expect.objectContaining({ tableId, phraseId: "rose" })]);
  expect(await said).toEqual({ ok: false, code: "OFFLINE" });
  around.socket.receive({ t: "done", commandId: asked[0]!.commandId, revision: 9 });
  expect(await wish).toEqual({ ok: true });
});

it("a wish is given up with the table", async () => {
  const wish = client.ask({ pause: {} });
  around.socket.receive({ t: "ended", tableId, code: "SEAT_LEFT" });
  expect(await wish).toEqual({ ok: false, code: "SEAT_LEFT" });
});
