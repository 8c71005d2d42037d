import { beforeEach, expect, it } from "vitest";
import { CONTRIBUTE_MS, TableClient } from "./table";
import { FakeAround, FakeGateway, FakeTickets } from "./testing/fakes";
import { streams } from "./testing/streams";

const SHUFFLE = { matchId: "ab".repeat(16), dealNo: 2, attempt: 1 };
let around: FakeAround;
let gateway: FakeGateway;
let client: TableClient;

beforeEach(async () => {
  around = new FakeAround();
  gateway = new FakeGateway(around, streams[0]!);
  const ignored = () => undefined;
  client = new TableClient("ws://test/ws", new FakeTickets(), around, {
    view: ignored,
    room: ignored,
    said: ignored,
    spectators: ignored,
    ended: ignored,
    link: ignored,
  });
  client.followTable(gateway.stream.tableId);
  await around.pass(0);
});

const asked = () => around.socket.frames("contribute").at(-1)!;

it("a contribution goes out beside an action, and its answer is its own", async () => {
  const first = client.contribute(SHUFFLE, { hHex: "ab" });
  const { commandId, tableId } = asked();
  expect(asked()).toEqual({ t: "contribute", commandId, tableId: gateway.stream.tableId, ...SHUFFLE, hHex: "ab" });
  const second = client.contribute(SHUFFLE, { cut: 41 });
  around.socket.receive({ t: "refused", commandId: asked().commandId, code: "STALE_CEREMONY", retryAfterMs: 5 });
  around.socket.receive({ t: "done", commandId });
  expect(await first).toEqual({ ok: true });
  expect(await second).toEqual({ ok: false, code: "STALE_CEREMONY", retryAfterMs: 5 });
  expect(tableId).toBe(gateway.stream.tableId);
});

it("without an answer, a connection or a table it is not known whether it arrived", async () => {
  const silent = client.contribute(SHUFFLE, { cHex: "cd" });
  await around.pass(CONTRIBUTE_MS);
  expect(await silent).toEqual({ ok: false, code: "OFFLINE" });
  const cut = client.contribute(SHUFFLE, { cHex: "cd" });
  around.socket.cut();
  expect(await cut).toEqual({ ok: false, code: "OFFLINE" });
  expect(await client.contribute(SHUFFLE, { cHex: "cd" })).toEqual({ ok: false, code: "OFFLINE" });
  client.leave();
  expect(await client.contribute(SHUFFLE, { cHex: "cd" })).toEqual({ ok: false, code: "OFFLINE" });
});

it("the clock of a shuffle's step is told apart from the turn's", () => {
  const { snapshot } = gateway.stream.first;
  const tableId = gateway.stream.tableId;
  const serverNowMs = String(1_700_000_000_000 + around.time);
  around.socket.receive({
    t: "update",
    tableId,
    serverNowMs,
    remainingMs: 9_000,
    ceremonyRemainingMs: 3_000,
    snapshot,
  });
  expect(client.shuffleClock.remainingMs()).toBe(3_000);
  expect(client.clock.remainingMs()).toBe(9_000);
  around.socket.receive({ t: "update", tableId, serverNowMs, remainingMs: 9_000, snapshot });
  expect(client.shuffleClock.remainingMs()).toBeNull();
});
