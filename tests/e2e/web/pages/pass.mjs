// R6.2: with no stock left and one card on the pile that can be used, one takes it, or passes and the deal is dead.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { DUEL, acts, at, begin, comesTo, frames, handKeys, press } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function pass({ browser, address, device, name, pictures }) {
  rig({ starter: 1, hands: ["5H 7H", "6H"], stockSize: 0, bots: { 1: ["discard 6H"] } });
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, DUEL);
  const stock = page.locator(at.stock);
  await comesTo(() => stock.getAttribute("aria-disabled"), "false");
  const held = await handKeys(page);
  await press(page.locator(at.pile));
  await comesTo(() => page.locator(".bar .take button").getAttribute("aria-disabled"), "false", "it can be taken");
  await press(page.locator(".bar .cancel button"));
  // Passing is asked for twice, and can be thought better of.
  await press(stock);
  await page.waitForSelector(at.dialog);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-pass.png`) });
  await press(page.locator("[role=dialog] .buttons button").first());
  await comesTo(() => page.locator(at.dialog).count(), 0);
  assert.deepEqual(acts(seen), []);
  assert.deepEqual(await handKeys(page), held);
  await press(stock);
  await press(page.locator(at.yes));
  await page.waitForSelector(at.result);
  assert.deepEqual(acts(seen).map(({ action }) => action), [{ passTurn: {} }]);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-dead.png`) });
}
