// The best of three of banakil202 by four people, from the cut to 2-1: both teams swap their seats after the first match, and the
// last match is level once, so that a tie-break decides it. Then again with the same players.
import assert from "node:assert/strict";
import { check } from "./axe.mjs";
import { company, tableOf } from "./company.mjs";
import { at, press } from "./player.mjs";
import { rig } from "./rig.mjs";
import { DEVICES, comesToScore, eventually, everybody, high, low, picture, playDeal } from "./scripted.mjs";

const RULES = { preset: "PRESET_BANAKIL202", format: "MATCH_FORMAT_BEST_OF_3", target: 50 };
/** Two runs that leave two cards in hand, in two ways, and two that leave none. */
const [ONE, OTHER] = [`${high("S")} ${high("H", "7")}`, `${high("D")} ${high("C", "7")}`];
const WHOLE = `${high("D")} ${high("C")}`;
/** By match and deal: the hands of the seats, and what is drawn one after the other. */
const MATCHES = [
  { starter: 2, deals: [{ hands: [WHOLE, "", `${ONE} 3S 4H`], stock: "4C 3D" }] },
  { starter: 0, deals: [{ hands: ["4D", `${ONE} 3S`, "", WHOLE], stock: "4H 4C 3D" }] },
  {
    starter: 1,
    deals: [
      { hands: [`${low("S")} ${low("D")} ${low("C")}`, `${ONE} 3S 4H`, "", `${OTHER} 3H`], stock: "4D 4C JH" },
      { hands: [`${OTHER} 3C`, `${OTHER} 3H`, `${ONE} 3S 4H`, `${ONE} 3D`], stock: "4C 4D 4S 5S" },
      { hands: ["", "", "", `${WHOLE} 3D`] },
    ],
  },
];

export default async function series({ browser, address, pictures }) {
  rig({ matches: MATCHES, resultSeconds: 5, swapSeconds: 30 });
  const pages = await company(browser, address, DEVICES, RULES);
  const [host, guest, third, fourth] = pages;
  /** Who sits where, from the first seat. */
  let seats = [host, third, guest, fourth];
  const lays = (seat, throws) => ({ page: seats[seat], lays: true, throws });
  const idles = (seat, throws) => ({ page: seats[seat], throws });
  const result = (page) => page.waitForSelector(at.result, { timeout: 60_000 });
  const say = (page) => press(page.locator(".swap .go button"));

  await playDeal([lays(2, "3S"), idles(3, "4C"), lays(0, "3D")]);
  await everybody(pages, result);
  await comesToScore(pages, ["53, 1", "-40, 0"], "the first match");
  await picture(pages, pictures, "series-result");

  // In each team one asks and the other agrees.
  await everybody(pages, (page) => page.waitForSelector(".swap", { timeout: 60_000 }));
  await Promise.all([say(guest), say(third)]);
  await everybody(pages, (page) => eventually(() => page.locator(".swap .lit").count(), 2, "all see what is asked"));
  await Promise.all([picture(pages, pictures, "series-swap"), say(host)]);
  await everybody(pages, (page) => eventually(() => page.locator(".swap .said svg").count(), 1, "one team has swapped"));
  assert.deepEqual(await everybody(pages, (page) => page.locator(".toast").count()), [0, 0, 0, 0], "nothing lies over it");
  await Promise.all([picture(pages, pictures, "series-swapped"), say(fourth)]);
  await eventually(() => guest.locator(".toast").allInnerTexts(), ["Seats are swapped"]);
  seats = [guest, fourth, host, third];

  // Who won starts, from its lowest seat; and seats are swapped this once.
  rig({ matches: MATCHES, resultSeconds: 2 });
  await playDeal([idles(0, "4D"), lays(1, "4H"), idles(2, "4C"), lays(3, "3D")]);
  await playDeal([lays(1, "3S"), idles(2, "4D"), lays(3, "4C"), lays(0, "JH")]);
  rig({ matches: MATCHES, resultSeconds: 5 });
  const off = { off: "5S", onto: "6S", throws: "3S" };
  await comesToScore(pages, ["12, 1", "32, 1"], "one match each, and the third has begun");
  await playDeal([lays(2, "4H"), lays(3, "4C"), lays(0, "4D"), lays(1, "4S"), { page: seats[2], ...off }]);
  await guest.waitForSelector(".result header:has-text('Too close: one more deal')", { timeout: 60_000 });
  await comesToScore(pages, ["65, 1", "64, 1"], "both are there");
  await picture(pages, pictures, "series-level");
  await playDeal([lays(3, "3D")]);
  await everybody(pages, (page) => page.locator(".result .next button").click({ timeout: 60_000 }));
  await everybody(pages, (page) => page.waitForSelector(".match"));
  await comesToScore(pages, ["25, 1", "81, 2"], "two to one");
  await picture(pages, pictures, "series-won");
  await check(guest, "series won");

  // Again, with the same players: who asks first waits for the others, and then it begins.
  const before = await tableOf(guest);
  const again = (page) => press(page.locator(".match .buttons button").last());
  await again(guest);
  await guest.waitForSelector(".room .around", { timeout: 60_000 });
  await Promise.all([host, third, fourth].map(again));
  await everybody(pages, (page) => page.waitForSelector("main.table", { timeout: 60_000 }));
  await everybody(pages, async (page) => eventually(() => tableOf(page), await tableOf(guest), "the same table for all"));
  assert.notEqual(await tableOf(guest), before, "and another one");
  assert.deepEqual(pages.flatMap(({ faults }) => faults), []);
}
