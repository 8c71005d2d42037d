// The best of three, from the cut to 2-1: after the first match one asks to swap seats and the partner agrees, the next begins from
// the other seat and is lost to the bots, the third decides; then again with the same players.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { DESK, PHONE } from "./browser.mjs";
import { company, tableOf } from "./company.mjs";
import { at, comesTo, finishDeal, plain, press } from "./player.mjs";
import { rig } from "./rig.mjs";

/** Out in the first turn, with its bonus: more than the target of a short match. */
const OUT = "9S TS JS QS KS JK 2H 9H TH JH QH KH JK 2D TD JD QD 2S";
const GOES_OUT = { 2: ["draw", "meld 2S 9S TS JS QS KS JK | 2H 9H TH JH QH KH JK | TD JD QD 2D", "discard 7C"] };
const SHORT = { target: 50, scoring: "SCORING_TEAM", oneTurnBonus: true };
const RULES = { preset: "PRESET_BANAKIL202", format: "MATCH_FORMAT_BEST_OF_3", ...SHORT };

export default async function series({ browser, address, pictures }) {
  rig({ hands: [OUT] });
  const pages = await company(browser, address, [PHONE, DESK], RULES);
  const [host, guest] = pages;
  const shot = (page, name) => page.waitForTimeout(200).then(() => page.screenshot({ path: join(pictures, `${name}.png`) }));
  const both = (action) => Promise.all(pages.map(action));
  const nextDeal = () => both((page) => page.waitForSelector(at.card, { timeout: 60_000 }));
  const wins = async (page) => {
    const said = (side) => page.locator(`.score.${side} .wins`).getAttribute("aria-label");
    return [plain(await said("us")), plain(await said("them"))];
  };
  await both((page) => finishDeal(page));
  await shot(host, "series-result-ar");

  // In the next match the first bot has these cards, and in its first turn goes out with them.
  rig({ hands: ["", OUT], stock: "7C", bots: GOES_OUT });
  await both((page) => page.waitForSelector(".swap", { timeout: 30_000 }));
  await press(guest.locator(".swap .go button"));
  await comesTo(() => host.locator(".swap .lit").count(), 1, "the partner sees that it is asked for");
  await Promise.all([shot(host, "swap-asked-ar"), check(guest, "swap")]);
  await press(host.locator(".swap .go button"));
  // Nobody else asks, so it is over.
  await nextDeal();
  // The next match's cards are shuffled beside this one's result, so that it is time to say which they are; who won
  // this one starts.
  rig({ starter: 1, hands: [OUT], bots: GOES_OUT });
  assert.deepEqual(await wins(guest), ["1 match won", "0 matches won"]);
  await shot(guest, "series-second-en");
  await both((page) => finishDeal(page));
  assert.equal(await host.locator(".swap").count(), 0, "seats are swapped after the first match alone");

  await nextDeal();
  assert.deepEqual(await wins(guest), ["1 match won", "1 match won"]);
  // The guest has the host's seat now, and with it the cards that go out.
  await both((page) => finishDeal(page));
  await both((page) => press(page.locator(".result .next button")));
  await guest.waitForSelector(".match");
  const won = (side) => guest.locator(`.match .${side} .wins`).getAttribute("aria-label");
  assert.deepEqual([await won("us"), await won("them")], ["2", "1"]);
  await shot(guest, "series-won-en");
  await shot(host, "series-won-ar");

  // Again, with the same players: who asks first waits for the other, and then it begins.
  const before = await tableOf(guest);
  await press(guest.locator(".match .buttons button").last());
  await guest.waitForSelector(".room .around", { timeout: 30_000 });
  await shot(guest, "again-en");
  await press(host.locator(".match .buttons button").last());
  await both((page) => page.waitForSelector("main.table", { timeout: 60_000 }));
  await comesTo(() => tableOf(host), await tableOf(guest), "the same table for both");
  assert.notEqual(await tableOf(guest), before, "and another one");
  assert.deepEqual([...host.faults, ...guest.faults], []);
}
