// UX 24, 25: the pile in its order, "take N" before anything happens; Cancel, and time that runs out, leave all as it was.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { DUEL, acts, at, begin, comesTo, frames, handKeys, myDraw, myPlay, press, throwCard } from "./player.mjs";
import { rig } from "./rig.mjs";

const PILE = ["KD", "6C", "8H", "4S"];
const cards = (page) => page.locator(".review .card-at");
const take = (page) => page.locator(".bar .take button");

export default async function pile({ browser, address, device, name, pictures, more: [turnSeconds] }) {
  rig({
    hands: ["KD 8H 5D 9S JC", "6C 4S"],
    bots: { 2: ["discard 6C"], 4: ["discard 4S"] },
    ...(turnSeconds ? { turnSeconds: Number(turnSeconds) } : {}),
  });
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, { preset: "PRESET_BANAKIL202", ...DUEL });
  await throwCard(page, "KD.0");
  await myPlay(page);
  await throwCard(page, "8H.0");
  await myDraw(page);
  const before = await handKeys(page);
  const sent = acts(seen).length;
  await press(page.locator(at.pile));
  assert.deepEqual(await page.locator(".review .row").getAttribute("data-cards"), PILE.join(" "), "from bottom to top");
  if (turnSeconds) return timeOut(page, before, () => acts(seen).length - sent);

  assert.equal(await take(page).getAttribute("aria-disabled"), "true", "nothing is chosen yet");
  for (const wanted of [1, 4, 3]) {
    await press(cards(page).nth(PILE.length - wanted));
    await comesTo(async () => (await take(page).innerText()).match(/\d+/)?.[0] ?? "1", `${wanted}`, "what the button says");
    assert.match(await page.locator(".bar .says").innerText(), new RegExp(`${before.length + wanted}`), "what the hand comes to");
    assert.equal(await page.locator(".review .card-at[aria-pressed=true]").count(), wanted, "which cards these are");
  }
  await page.waitForTimeout(300);
  const right = async (what) => page.locator(what).last().evaluate((one) => one.getBoundingClientRect().right);
  const apart = Math.abs((await right(".review .top")) - (await right(".review .card-at")));
  assert.ok(apart < 40, `its top is named ${apart} px from its top card`);
  await page.screenshot({ path: join(pictures, `${name}-pile.png`) });
  await press(page.locator(".bar .cancel button"));
  await comesTo(() => page.locator(".review").count(), 0);
  assert.deepEqual(await handKeys(page), before);
  assert.equal(acts(seen).length, sent, "nothing was sent");

  await press(page.locator(at.pile));
  assert.equal(await page.locator(".review .card-at[aria-pressed=true]").count(), 0, "nothing of it is left");
  await press(cards(page).nth(1));
  await press(take(page));
  await comesTo(async () => (await handKeys(page)).length, before.length + 3);
  assert.deepEqual(acts(seen).at(-1).action, { take: { count: 3 } });
  const held = await handKeys(page);
  for (const key of ["6C.0", "8H.0", "4S.0"]) assert.ok(held.includes(key), `${held}`);
  await press(page.locator(at.pile));
  assert.deepEqual(await page.locator(".review .row").getAttribute("data-cards"), "KD");
}

/** The clock draws for who only looks; the card chosen is chosen no more, and what one holds is untouched. */
async function timeOut(page, before, sent) {
  await press(cards(page).nth(1));
  await comesTo(() => page.locator(".review .card-at[aria-pressed=true]").count(), 3);
  await comesTo(async () => (await handKeys(page)).length, before.length + 1, "a card was drawn", 15_000);
  await comesTo(() => page.locator(".review .card-at[aria-pressed=true]").count(), 0);
  assert.equal(await take(page).count(), 0, "one may only look now");
  assert.deepEqual((await handKeys(page)).filter((key) => before.includes(key)), before);
  assert.equal(sent(), 0);
}
