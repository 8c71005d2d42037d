// The best of three: a match, the swap of seats that one asks for and the partner agrees to, the next match from the other seat, the
// series' end, and again with the same players.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { DESK, PHONE } from "./browser.mjs";
import { company, tableOf } from "./company.mjs";
import { at, comesTo, finishDeal, plain, press } from "./player.mjs";
import { rig } from "./rig.mjs";

/** Out in the first turn: more than the target of a short match. */
const OUT = "9S TS JS QS KS JK 2H 9H TH JH QH KH JK 2D TD JD QD 2S";
const RULES = { preset: "PRESET_SAHRAT", format: "MATCH_FORMAT_BEST_OF_3", target: 50 };

export default async function series({ browser, address, pictures }) {
  rig({ hands: [OUT] });
  const [host, guest] = await company(browser, address, [PHONE, DESK], RULES);
  const shot = (page, name) => page.waitForTimeout(200).then(() => page.screenshot({ path: join(pictures, `${name}.png`) }));
  const wins = async (page, side) => plain(await page.locator(`.score.${side} .wins`).getAttribute("aria-label"));
  await finishDeal(host);
  await shot(host, "series-result-ar");
  for (const page of [host, guest]) await page.waitForSelector(".swap", { timeout: 30_000 });
  await shot(guest, "swap-en");
  await check(guest, "swap");
  await press(guest.locator(".swap .go button"));
  await comesTo(() => host.locator(".swap .lit").count(), 1, "the partner sees that it is asked for");
  await shot(host, "swap-asked-ar");
  await press(host.locator(".swap .go button"));
  // Nobody else asks, so it is over; the guest has the host's seat, and with it the cards that go out.
  await Promise.all([host, guest].map((page) => page.waitForSelector(at.card, { timeout: 60_000 })));
  assert.equal(await wins(guest, "us"), "1 match won");
  await shot(guest, "series-second-en");
  await finishDeal(guest);
  await press(guest.locator(".result .next button"));
  await guest.waitForSelector(".match");
  assert.equal(await guest.locator(".match .us .wins").getAttribute("aria-label"), "2");
  await shot(guest, "series-won-en");
  // Again, with the same players: who asks first waits for the other, and then it begins.
  const before = await tableOf(guest);
  await press(guest.locator(".match .buttons button").last());
  await guest.waitForSelector(".room .around", { timeout: 30_000 });
  await shot(guest, "again-en");
  await press(host.locator(".result .next button"));
  await press(host.locator(".match .buttons button").last());
  await Promise.all([host, guest].map((page) => page.waitForSelector(at.card, { timeout: 60_000 })));
  assert.notEqual(await tableOf(guest), before, "another table");
  assert.equal(await tableOf(host), await tableOf(guest), "the same for both");
  assert.deepEqual([...host.faults, ...guest.faults], []);
}
