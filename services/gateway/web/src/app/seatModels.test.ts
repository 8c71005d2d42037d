import { describe, expect, it } from "vitest";
import { makeTranslate } from "../core/i18n";
import { presetOptions } from "../core/options";
import { readView, type SeatView } from "../core/views";
import { en } from "../i18n/en";
import type { Words } from "../ui/words";
import { needsServerClock, seatModels } from "./seatModels";

const words: Words = { t: makeTranslate("en", en, "latin"), locale: "en", dir: "ltr", digits: "latin" };
const NOW = 1_700_000_000_000;

function seated(right: Partial<SeatView>, more: object = {}) {
  const person = (seat: number) => ({
    seat,
    accountId: `a${seat}`,
    displayName: `P${seat}`,
    occupant: "OCCUPANT_PERSON",
  });
  const options = presetOptions("PRESET_SAHRAT");
  return readView({
    viewerSeat: 0,
    options,
    seats: [person(0), { ...person(1), ...right }, person(2), person(3)],
    ...more,
  });
}
const right = (seat: Partial<SeatView>, more: object = {}) => seatModels(seated(seat, more), words, NOW).right!;
const plain = (text: string) => text.replace(/[\u2066-\u2069]/g, "");

describe("UX 37: a seat whose player is away", () => {
  const away = { away: true, graceUntilMs: String(NOW + 42_000) };

  it("shows what is left until a bot plays, on the server's clock", () => {
    expect(right(away)).toMatchObject({ badge: "away", grace: { remainingMs: 42_000, totalMs: 60_000 } });
    expect(plain(right(away).label)).toMatch(/Away, a bot plays in 42 seconds$/);
    expect(needsServerClock(seated(away))).toBe(true);
  });

  it("shows no countdown that is over, or that does not run", () => {
    expect(right({ away: true, graceUntilMs: String(NOW) }).grace).toBeUndefined();
    expect(right({ away: true }).grace).toBeUndefined();
    expect(needsServerClock(seated({ away: true }))).toBe(false);
    expect(right({}).badge).toBeNull();
  });

  it("at a table with a stake says that the clock plays, for no bot does (R10.2)", () => {
    const options = { ...presetOptions("PRESET_SAHRAT"), stakeCoins: 50 };
    expect(plain(right(away, { options }).label)).toMatch(/the clock plays in 42 seconds$/);
  });

  it("names who plays instead, beside its own player, in the page's language", () => {
    const model = right({ occupant: "OCCUPANT_HOUSE_BOT", standInName: "Salma", away: true });
    expect(model).toMatchObject({ name: "P1", badge: "bot", standIn: "Salma" });
    expect(plain(model.label)).toMatch(/Salma plays here for now$/);
  });

  it("says how well the house bot plays that plays it", () => {
    const model = right({ occupant: "OCCUPANT_HOUSE_BOT", accountId: "", displayName: "Moza", botLevel: 5 });
    expect(model).toMatchObject({ name: "Moza", badge: "bot", level: 5 });
    expect(plain(model.label)).toMatch(/Bot, level 5$/);
    expect(right({}).level).toBe(0);
  });

  it("that has been left says so", () => {
    expect(plain(right({ left: true }).label)).toMatch(/Left the table$/);
  });
});

it("who looks on sees all four seats, and has none", () => {
  const view = readView({ ...seated({}), viewerSeat: undefined });
  expect(Object.keys(seatModels(view, words, 0)).sort()).toEqual(["bottom", "left", "right", "top"]);
  expect(Object.keys(seatModels(seated({}), words, 0)).sort()).toEqual(["left", "right", "top"]);
});
