import { describe, expect, it } from "vitest";
import { memoryKeeper } from "../core/storage";
import type { Outcome } from "../core/table";
import { FakeAround } from "../core/testing/fakes";
import { readView } from "../core/views";
import { BREATH_MS, SHOWN_MS, Talk } from "./talk.svelte";

const view = readView({
  viewerSeat: 0,
  seats: [
    { seat: 0, accountId: "me" },
    { seat: 1, accountId: "ada" },
    { seat: 2, displayName: "Salma" },
  ],
});

function talking(answer: Outcome = { ok: true }, keeper = memoryKeeper()) {
  const around = new FakeAround();
  const sent: string[] = [];
  const heard: number[] = [];
  const refused: string[] = [];
  const talk = new Talk({
    client: { say: async (id) => (sent.push(id), answer) },
    lasting: keeper,
    now: around.now,
    after: around.after,
    heard: ({ seat }) => heard.push(seat),
    refused: (code) => refused.push(code),
  });
  return { around, sent, heard, refused, keeper, talk };
}

const said = (talk: Talk) => talk.bubbles.map(({ seat, phraseId }) => `${seat} ${phraseId}`);

describe("what is said", () => {
  it("stands at its seat for a moment, one bubble a seat", async () => {
    const { around, heard, talk } = talking();
    talk.heard({ seat: 1, phraseId: "hello" }, view);
    await around.pass(SHOWN_MS - 1_000);
    talk.heard({ seat: 1, phraseId: "rose" }, view);
    talk.heard({ seat: 2, phraseId: "clap" }, view);
    expect(said(talk)).toEqual(["1 rose", "2 clap"]);
    await around.pass(1_000);
    expect(said(talk)).toEqual(["1 rose", "2 clap"]);
    await around.pass(SHOWN_MS);
    expect([said(talk), heard]).toEqual([[], [1, 1, 2]]);
  });

  it("of who is muted is not heard, here and after a reload, at any table", () => {
    const { keeper, talk } = talking();
    talk.heard({ seat: 1, phraseId: "hello" }, view);
    talk.mute(view.seats[1]!);
    expect(said(talk)).toEqual([]);
    const { talk: later, heard } = talking({ ok: true }, keeper);
    later.heard({ seat: 1, phraseId: "hello" }, view);
    later.heard({ seat: 2, phraseId: "hello" }, view);
    expect([said(later), heard]).toEqual([["2 hello"], [2]]);
    later.mute(view.seats[1]!);
    later.heard({ seat: 1, phraseId: "hello" }, view);
    expect(said(later)).toEqual(["2 hello", "1 hello"]);
  });

  it("remembers no more people than two hundred, and nothing that it cannot read", () => {
    const { keeper, talk } = talking();
    for (let n = 0; n < 210; n++) talk.mute({ ...view.seats[1]!, accountId: `a${n}` });
    expect([talk.muted.length, talk.muted[0]]).toEqual([200, "a10"]);
    keeper.set("muted", { not: "a list" });
    expect(talking({ ok: true }, keeper).talk.muted).toEqual([]);
  });
});

describe("saying something", () => {
  it("closes the tray, and leaves a breath until the next", async () => {
    const { around, sent, talk } = talking();
    talk.open = true;
    void talk.say("hello");
    void talk.say("hello");
    expect([sent, talk.open]).toEqual([["hello"], false]);
    await around.pass(BREATH_MS);
    expect(talk.waitMs).toBe(0);
    void talk.say("rose");
    expect(sent).toEqual(["hello", "rose"]);
  });

  it("waits as long as the table asks for", async () => {
    const { around, refused, sent, talk } = talking({ ok: false, code: "RATE_LIMITED", retryAfterMs: 5_000 });
    await talk.say("hello");
    expect([refused, talk.waitMs]).toEqual([["RATE_LIMITED"], 5_000]);
    await around.pass(4_900);
    void talk.say("rose");
    expect(sent).toEqual(["hello"]);
    await around.pass(100);
    void talk.say("rose");
    expect(sent).toEqual(["hello", "rose"]);
  });
});
