// A match for coins is over: the result with pot, fee and prize, that it is paid, and the statements of both.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { DESK, PHONE, visit } from "./browser.mjs";
import { at, press } from "./player.mjs";
import { plain, purse, signIn } from "./purse.mjs";

export default async function prize({ browser, address, pictures, more: [hostName, friendName, password, tableId] }) {
  let winners = 0;
  for (const [device, name, tongue] of [
    [PHONE, hostName, "ar"],
    [DESK, friendName, "en"],
  ]) {
    const page = await visit(browser, address, device);
    await press(page.locator(purse));
    await page.waitForSelector(`${at.dialog} form`);
    await signIn(page, name, password);
    await page.waitForSelector(".wallet .condition.ready");
    await page.goto(`${address}#/table/${tableId}`);
    await page.reload();
    await page.waitForSelector(".result .next button", { timeout: 60_000 });
    await press(page.locator(".result .next button"));
    await page.waitForSelector(".prize .paid", { timeout: 60_000 });
    const won = await page.locator("section.us .total.winner").count();
    winners += won;
    assert.match(plain(await page.locator(".prize").innerText()), won ? /200.*20.*180[^]*180/ : /200.*20.*180/);
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(pictures, `coins-${tongue}-result.png`) });
    await check(page, "result");
    await press(page.locator(".match .buttons button").first());
    await page.waitForSelector(purse);
    await press(page.locator(purse));
    await page.waitForSelector(".lines .line");
    assert.match(plain(await page.locator(".lines").innerText()), won ? /\+180[^]*−100/ : /−100/);
    await page.screenshot({ path: join(pictures, `coins-${tongue}-statement.png`) });
    await press(page.locator(".ways button").first());
    await page.waitForSelector(".ranks .list > *");
    await page.waitForSelector(".ranks .one .told .line");
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(pictures, `coins-${tongue}-ranks.png`) });
    await check(page, "ranks");
    assert.deepEqual(page.faults, []);
  }
  assert.equal(winners, 1);
}
