// A table for coins that one who runs the system ends: every stake goes back, and the page says so.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DESK, PHONE, visit } from "./browser.mjs";
import { at, press } from "./player.mjs";
import { plain, purse, signIn, sit } from "./purse.mjs";

export default async function refund({ browser, address, pictures, more: [hostName, friendName, password] }) {
  const pages = [await visit(browser, address, PHONE), await visit(browser, address, DESK)];
  for (const [page, name] of [
    [pages[0], hostName],
    [pages[1], friendName],
  ]) {
    await press(page.locator("[data-value=MODE_DUEL]"));
    await press(page.locator(purse));
    await page.waitForSelector(`${at.dialog} form`);
    await signIn(page, name, password);
    await page.waitForSelector(".wallet .condition.ready");
    await page.keyboard.press("Escape");
    await page.waitForSelector(at.dialog, { state: "detached" });
  }
  for (const page of pages) {
    await press(page.locator("button.offer"));
    await page.waitForSelector(".stakes dl");
    await press(page.locator("[data-value='500']"));
    await press(sit(page));
    await page.waitForSelector(".room .around, main.table, .waiting", { timeout: 30_000 });
    if (page === pages[0]) await page.screenshot({ path: join(pictures, "coins-ar-finding.png") });
  }
  for (const [at_, page] of pages.entries()) {
    const said = page.locator("[role=dialog] header");
    await page.waitForFunction(() => /رسوم|no fee/.test(document.querySelector("[role=dialog]")?.textContent ?? ""), null, {
      timeout: 60_000,
    });
    assert.ok(await said.count());
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(pictures, `coins-${at_ ? "en" : "ar"}-refund.png`) });
    await press(page.locator(at.yes));
    await page.waitForSelector(purse);
    await press(page.locator(purse));
    await page.waitForSelector(".lines .line");
    await page.waitForFunction(() => document.querySelector(".lines")?.textContent.includes("+500"), null, { timeout: 30_000 }).catch(() => undefined);
    assert.match(plain(await page.locator(".lines").innerText()), /\+500[^]*−500/);
  }
}
