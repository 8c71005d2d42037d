import { expect, it } from "vitest";
import { readView } from "../core/views";
import { mayAgree, mayTakeBack, pauseRuns } from "./pause";

const at = (pause: object | undefined, more: object = {}) =>
  readView({ stage: "STAGE_DEAL", viewerSeat: 1, ...(pause ? { pause } : {}), ...more });

it("a break can be asked for at a private table alone, once a match", () => {
  expect(mayAgree(at({}))).toBe(true);
  expect(mayAgree(at(undefined))).toBe(false);
  expect(mayAgree(at({ used: true }))).toBe(false);
  expect(mayAgree(at({}, { viewerSeat: undefined }))).toBe(false);
  expect(mayAgree(at({}, { stage: "STAGE_CLOSED" }))).toBe(false);
});

it("who has agreed waits for the others, and while it runs there is nothing to ask for", () => {
  expect(mayAgree(at({ agreedSeats: [0, 3] }))).toBe(true);
  expect(mayAgree(at({ agreedSeats: [0, 1] }))).toBe(false);
  const running = at({ untilMs: "1700000000000" });
  expect([mayAgree(running), pauseRuns(running.pause!)]).toEqual([false, true]);
});

it("who has agreed may take it back until it runs", () => {
  expect(mayTakeBack(at({ agreedSeats: [0, 1] }))).toBe(true);
  expect(mayTakeBack(at({ agreedSeats: [0, 3] }))).toBe(false);
  expect(mayTakeBack(at({ agreedSeats: [0, 1], untilMs: "1700000000000" }))).toBe(false);
  expect(mayTakeBack(at({ agreedSeats: [0, 1] }, { viewerSeat: undefined }))).toBe(false);
  expect(mayTakeBack(at(undefined))).toBe(false);
});
