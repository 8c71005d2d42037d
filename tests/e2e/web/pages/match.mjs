// A match to its end: the last deal's result, who won, and another game of the same kind.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { at, begin, press } from "./player.mjs";

export default async function match({ browser, address, device, name, pictures }) {
  const page = await visit(browser, address, device);
  await begin(page, { preset: "PRESET_SAHRAT", mode: "MODE_DUEL" });
  await page.waitForSelector(".result .next button", { timeout: 300_000 });
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-last-result.png`) });
  await press(page.locator(".result .next button"));
  await page.waitForSelector(".match");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-match.png`) });
  const before = page.url();
  await press(page.locator(".match .buttons button").last());
  await page.waitForSelector(at.card, { timeout: 30_000 });
  assert.notEqual(page.url(), before, "another table");
  assert.deepEqual(page.faults, []);
}
