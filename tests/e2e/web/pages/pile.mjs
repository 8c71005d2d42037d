// UX 24, 25: the pile in its order, "take N" before anything happens, and Cancel that leaves all as it was.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { acts, at, begin, frames, handKeys, myDraw, press, sides } from "./player.mjs";

export default async function pile({ browser, address, device, name, pictures }) {
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, { preset: "PRESET_BANAKIL202" });
  let count = 0;
  for (let round = 0; round < 12 && count < 3; round++) {
    await myDraw(page);
    await press(page.locator(at.pile));
    count = await page.locator(".review .card-at").count();
    if (count < 3) {
      await page.keyboard.press("Escape");
      await press(page.locator(at.stock));
      await page.waitForSelector(`${at.stock}[aria-disabled=true]`);
      const { discard } = await sides(page);
      await press(page.locator(at.card).first());
      await page.waitForFunction(() => document.querySelector(".step-label button").ariaDisabled !== "true");
      await press(discard);
      await page.waitForTimeout(100);
      const sure = page.locator(at.yes);
      if (await sure.count()) await press(sure);
      await page.waitForSelector(`${at.stock}[aria-disabled=true]`);
    }
  }
  assert.ok(count >= 3, "a pile of three");
  const before = await handKeys(page);
  const sent = acts(seen).length;
  const cards = page.locator(".review .card-at");
  const take = page.locator(".bar .take button");
  for (const wanted of [1, 3, 2]) {
    await press(cards.nth(count - wanted));
    const words = await take.innerText();
    const after = await page.locator(".bar .says").innerText();
    assert.match(after, new RegExp(String(before.length + wanted)), "what the hand comes to");
    if (wanted === 3) {
      assert.match(words, /3/);
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(pictures, `${name}-pile.png`) });
    }
  }
  await press(page.locator(".bar .cancel button"));
  await page.waitForSelector(".review", { state: "detached" });
  assert.deepEqual(await handKeys(page), before);
  assert.equal(acts(seen).length, sent, "nothing was sent");
  await press(page.locator(at.pile));
  await press(cards.nth(count - 3));
  await press(take);
  await page.waitForFunction(([card, n]) => document.querySelectorAll(card).length === n, [at.card, before.length + 3]);
  assert.deepEqual(acts(seen).at(-1).action, { take: { count: 3 } });
}
