// A match to its end: a deal's result that stays a while, the last one's that stays, who won, and another game.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { DUEL, at, begin, comesTo, finishDeal, press } from "./player.mjs";
import { rig } from "./rig.mjs";

/** Out in the first turn, twice: 102 for that and 27 laid, each time. */
const MINE = "9S TS JS QS KS JK 2H 9H TH JH QH KH JK 2D TD JD QD 2S";

export default async function match({ browser, address, device, name, pictures }) {
  rig({ hands: [MINE] });
  const page = await visit(browser, address, device);
  await begin(page, DUEL);
  await finishDeal(page);
  assert.equal(await page.locator(".result .next button").count(), 0, "there is nothing to press");
  await page.waitForSelector(at.result, { state: "detached", timeout: 30_000 });
  await finishDeal(page);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-last-result.png`) });
  await press(page.locator(".result .next button"));
  await page.waitForSelector(".match");
  await comesTo(() => page.locator(at.result).count(), 0);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-match.png`) });
  assert.match(await page.locator(".match").innerText(), /258/, "what both deals come to");
  const before = page.url();
  await press(page.locator(".match .buttons button").last());
  await page.waitForSelector(at.card, { timeout: 30_000 });
  assert.notEqual(page.url(), before, "another table");
  await foundOut(page, address, join(pictures, `${name}-rigged.png`));
  assert.deepEqual(page.faults, []);
}

/** The dealer here is rigged: from the match in the history to the page that finds it out. */
async function foundOut(page, address, picture) {
  await page.goto(address);
  await press(page.locator("a.verify").first());
  await page.waitForSelector(".verdict.fails");
  assert.equal(await page.locator("[data-step=draws].fails").count(), 1, "cards were played that were not drawn");
  assert.equal(await page.locator("[data-step=commitment].holds").count(), 1, "though the values are in order");
  await page.screenshot({ path: picture });
}
