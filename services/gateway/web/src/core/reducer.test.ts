import { describe, expect, it } from "vitest";
import { canonical, viewHash } from "./hash";
import { MissedError, applyDelta, applyEvent, readEvent } from "./reducer";
import { followed, streams } from "./testing/streams";
import { readView, type View } from "./views";

describe.each(streams.map((stream) => [`${stream.steps.length} steps, seat ${stream.viewer}`, stream] as const))(
  "a table of %s",
  (_, stream) => {
    it("has after every delta the view that the server's code says", async () => {
      let view = readView(stream.first.snapshot);
      for (const step of stream.steps) {
        view = followed(view, step);
        const hash = await viewHash(view);
        if (hash !== step.hash) expect(canonical(view)).toBe(canonical(readView(step.snapshot.snapshot)));
        expect(hash).toBe(step.hash);
      }
    });

    it("reads every snapshot as that view", async () => {
      for (const step of stream.steps.filter((_, index) => index % 5 === 0)) {
        expect(await viewHash(readView(step.snapshot.snapshot))).toBe(step.hash);
      }
    });

    it("changes no view that it was given", () => {
      let view = frozen(readView(stream.first.snapshot));
      for (const step of stream.steps) view = frozen(followed(view, step));
      expect(view.stage).toBe("STAGE_CLOSED");
    });
  },
);

describe("the reducer", () => {
  const stream = streams[0]!;
  const first = readView(stream.first.snapshot);

  it("refuses a delta that does not follow on the view", () => {
    expect(() => applyDelta(first, stream.steps[1]!.sent.delta!)).toThrow(MissedError);
    const second = applyDelta(first, stream.steps[0]!.sent.delta!);
    expect(() => applyDelta(second, stream.steps[0]!.sent.delta!)).toThrow(MissedError);
  });

  it("refuses a move where no deal is played", () => {
    expect(() => applyEvent(first, { discarded: { card: "7H" } })).toThrow(MissedError);
  });

  it("leaves events of newer servers alone", () => {
    expect(applyEvent(first, { somethingNew: { seat: 3 } })).toBe(first);
    expect(readEvent({})).toBeNull();
  });

  it("takes a delta without events", () => {
    expect(applyDelta(first, { revision: first.revision + 1 })).toEqual({ ...first, revision: first.revision + 1 });
  });
});

function frozen(view: View): View {
  for (const value of Object.values(view)) if (typeof value === "object" && value !== null) deepFreeze(value);
  return Object.freeze(view);
}

function deepFreeze(value: object): void {
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value))
    if (typeof inner === "object" && inner !== null) deepFreeze(inner as object);
}
