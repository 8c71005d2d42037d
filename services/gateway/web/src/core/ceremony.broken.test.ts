import { beforeEach, describe, expect, it } from "vitest";
import { SIGNATURE_MS } from "./ceremony";
import { RESEND_MS } from "./postman";
import { memoryKeeper } from "./storage";
import { ME, promptPrimitives } from "./testing/shuffles";
import { Sitting } from "./testing/sitting";

let my: Sitting;

beforeEach(async () => {
  my = await Sitting.begin();
});

describe("what breaks on the way", () => {
  it("a reload between any two steps goes on with the same number", async () => {
    for (const step of ["promising", "opening", "settled"]) {
      if (step === "opening") my.shuffle.close();
      if (step === "settled") await my.shuffle.settle();
      for (let time = 0; time < 2; time++) {
        my.reload();
        await my.told();
      }
    }
    expect(new Set(my.promises).size).toBe(1);
    expect(new Set(my.opened)).toEqual(new Set([my.kept!.witness.c]));
    expect(my.state).toMatchObject({ part: "in", fault: null });
  });

  it("two tabs have one number, whichever of them promises and opens", async () => {
    const other = my.open();
    my.tab.follow(my.shuffle.view());
    other.follow(my.shuffle.view());
    await my.around.pass(0);
    expect(new Set(my.promises).size).toBe(1);
    my.shuffle.close();
    await my.told(my.shuffle.view(), other);
    await my.told();
    expect(new Set(my.opened).size).toBe(1);
  });

  it("what is not answered is sent again, and no more once the step is over", async () => {
    my.answer = () => ({ ok: false, code: "OFFLINE" });
    await my.told();
    for (let second = 0; second < 3; second++) await my.around.pass(RESEND_MS);
    expect(my.promises).toHaveLength(4);
    expect(new Set(my.promises).size).toBe(1);
    my.shuffle.step = "FAIR_STEP_CLOSING";
    await my.told();
    await my.around.pass(10 * RESEND_MS);
    expect(my.promises).toHaveLength(4);
  });

  it("what was taken in is sent again while there is no receipt: a table that died forgets it", async () => {
    await my.told();
    await my.around.pass(RESEND_MS);
    expect(my.promises).toHaveLength(2);
  });

  it("is sent again at once where the connection comes back", async () => {
    my.answer = () => ({ ok: false, code: "OFFLINE" });
    await my.told();
    my.answer = () => ({ ok: true });
    my.tab.resumed();
    await my.around.pass(0);
    expect(my.promises).toHaveLength(2);
    expect(my.state?.promised).toBe(true);
  });

  it.each(["TABLE_FROZEN", "PAUSED"])("goes on when a table that stood still for long does: %s", async (code) => {
    await my.toOpening();
    my.answer = () => ({ ok: false, code });
    await my.told();
    await my.around.pass(200 * RESEND_MS);
    expect(my.shuffle.contributions[ME]).toBeFalsy();
    my.answer = () => ({ ok: true });
    await my.around.pass(RESEND_MS);
    expect(my.shuffle.contributions[ME]).toBe(my.kept!.witness.c);
  });

  it("what is refused for good is not sent again", async () => {
    my.answer = () => ({ ok: false, code: "DUPLICATE_COMMAND_BODY" });
    await my.told();
    await my.around.pass(10 * RESEND_MS);
    my.tab.resumed();
    await my.around.pass(0);
    expect(my.promises).toHaveLength(1);
  });

  it("a browser that has lost its number opens nothing, and blames nobody", async () => {
    await my.toOpening();
    my.keeper = memoryKeeper();
    my.reload();
    await my.told();
    expect(my.opened).toEqual([]);
    expect(my.state).toMatchObject({ part: "lost", fault: null });
  });

  it("an attempt that changes while K is being checked gets nothing of the old one", async () => {
    await my.toOpening();
    let go: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (go = resolve));
    my.load = async () => ({
      ...promptPrimitives,
      signedBy: async (...given) => slow.then(() => promptPrimitives.signedBy(...given)),
    });
    my.reload();
    await my.told();
    const first = my.kept!.witness;
    await my.shuffle.fail(0);
    my.tab.follow(my.shuffle.view());
    go();
    await my.around.pass(0);
    expect(my.opened).toEqual([]);
    expect(my.kept).toMatchObject({ attempt: 1, earlier: [{ attempt: 0, witness: { ...first, attempt: 0 } }] });
    expect(my.promises).toHaveLength(2);
  });

  it("a signature that takes too long to check does not make the whole table wait", async () => {
    await my.toOpening();
    my.load = async () => ({ ...promptPrimitives, signedBy: () => new Promise(() => undefined) });
    my.reload();
    await my.told();
    expect(my.opened).toEqual([]);
    await my.around.pass(SIGNATURE_MS);
    await my.around.pass(0);
    expect(my.opened).toHaveLength(1);
  });
});
