import { describe, expect, it } from "vitest";
import { Errands, RESEND_MS, type Outcome } from "./errands";
import type { ClientFrame } from "./protocol";
import { FakeAround } from "./testing/fakes";

const wish = (commandId: string) => ({ t: "ask", commandId, tableId: "t", leave: {} }) as const;

class Office {
  readonly around = new FakeAround();
  sent: string[] = [];
  isLive = true;
  readonly errands = new Errands((frame) => this.take(frame), this.around.after);
  outcomes: Outcome[] = [];

  note(outcome: Promise<Outcome>): void {
    void outcome.then((one) => this.outcomes.push(one));
  }

  private take(frame: ClientFrame): boolean {
    if (this.isLive) this.sent.push("commandId" in frame ? frame.commandId : "");
    return this.isLive;
  }
}

describe("what is sent until it is answered", () => {
  it("goes out again with the same id until there is an answer, and then no more", async () => {
    const office = new Office();
    office.note(office.errands.lasting(wish("a")));
    await office.around.pass(2 * RESEND_MS);
    expect(office.sent).toEqual(["a", "a", "a"]);
    office.errands.answered("a", { ok: true });
    await office.around.pass(5 * RESEND_MS);
    expect(office.sent.length).toBe(3);
    expect(office.outcomes).toEqual([{ ok: true }]);
  });

  it("lasts over a lost connection, and goes out at once when there is another", async () => {
    const office = new Office();
    office.note(office.errands.lasting(wish("a")));
    office.isLive = false;
    office.errands.lost();
    await office.around.pass(RESEND_MS);
    expect([office.sent, office.outcomes]).toEqual([["a"], []]);
    office.isLive = true;
    office.errands.resumed();
    expect(office.sent).toEqual(["a", "a"]);
    office.errands.giveUp("TABLE_CLOSED");
    await office.around.pass(0);
    expect(office.outcomes).toEqual([{ ok: false, code: "TABLE_CLOSED" }]);
  });
});

describe("what is sent once", () => {
  const say = { t: "say", commandId: "b", tableId: "t", phraseId: "hello" } as const;

  it("is not sent again, and without an answer in time nobody knows", async () => {
    const office = new Office();
    office.note(office.errands.once(say, 4_000));
    await office.around.pass(4_000);
    office.errands.answered("b", { ok: true });
    expect([office.sent, office.outcomes]).toEqual([["b"], [{ ok: false, code: "OFFLINE" }]]);
  });

  it("is lost with its connection, and not begun without one", async () => {
    const office = new Office();
    office.note(office.errands.once(say, 4_000));
    office.errands.lost();
    office.isLive = false;
    office.note(office.errands.once({ ...say, commandId: "c" }, 4_000));
    await office.around.pass(0);
    expect(office.outcomes).toEqual([
      { ok: false, code: "OFFLINE" },
      { ok: false, code: "OFFLINE" },
    ]);
    expect(office.sent).toEqual(["b"]);
  });
});
