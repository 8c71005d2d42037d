// UX 19, 21, 22, 23: what the tray says, that nothing of it is sent, Meld All, and cards that come back.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { acts, at, begin, choose, frames, handKeys, myPlay, press, sides } from "./player.mjs";

export default async function tray({ browser, address, device, more: [what] }) {
  const context = await browser.newContext(device);
  await context.close();
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, { preset: "PRESET_BANAKIL202" });
  if (what === "19") await legality(page, seen);
  if (what === "22") await meldAll(page, seen);
  if (what === "23") await back(page);
}

/** Two cards of different suits and ranks make no meld with a third. */
async function misfits(page) {
  const keys = await handKeys(page);
  const plain = keys.filter((key) => !/^(JK|2|A|3)/.test(key));
  const [first] = plain;
  return [first, ...plain.filter((key) => key[1] !== first[1]).slice(0, 2)];
}

async function legality(page, seen) {
  await choose(page, await misfits(page));
  const before = seen.sent.filter(({ t }) => t !== "ping").length;
  const ms = await page.evaluate(async () => {
    const start = performance.now();
    document.querySelector(".tray .new").click();
    while (!document.querySelector(".pocket .note")) await new Promise(requestAnimationFrame);
    return performance.now() - start;
  });
  assert.ok(ms <= 100, `${ms} ms`);
  const pocket = page.locator(".pocket");
  assert.match(await pocket.getAttribute("class"), /illegal/);
  assert.equal(await pocket.locator(".note svg").count(), 1, "an icon");
  const words = (await pocket.locator(".note").innerText()).trim();
  assert.ok(words.length > 0 && words.split(/\s+/).length <= 5, words);
  // 21: it works off-turn, and nothing of it is sent.
  assert.equal(seen.sent.filter(({ t }) => t !== "ping").length, before);
}

async function meldAll(page, seen) {
  await press(page.locator("main.table .side button").nth(2));
  for (let round = 0; round < 12; round++) {
    await myPlay(page);
    await page.waitForSelector("[data-hints]");
    if (await page.locator(at.stageHints).count()) break;
    await throwOne(page);
  }
  const wrong = await misfits(page);
  await press(page.locator(at.stageHints));
  await page.waitForSelector(".pocket.legal");
  const held = await handKeys(page);
  const loose = wrong.filter((key) => held.includes(key)).slice(0, 2);
  await choose(page, loose);
  await press(page.locator(".tray .new"));
  const legal = await page.locator(".pocket.legal").count();
  const before = acts(seen).length;
  const { meld } = await sides(page);
  await press(meld);
  await page.waitForFunction(() => !document.querySelector(".pocket.legal"));
  const sent = acts(seen).slice(before);
  assert.equal(sent.length, 1, "one command");
  assert.equal(sent[0].action.meld.melds.length, legal, "with every legal group");
  assert.equal(await page.locator(".pocket").count(), 1, "what is not legal stays staged");
}

async function throwOne(page) {
  if (await page.locator(at.chosen).count()) return;
  const { discard } = await sides(page);
  await press(page.locator(at.card).first());
  await press(discard);
  const sure = page.locator(at.yes);
  await page.waitForTimeout(100);
  if (await sure.count()) await press(sure);
}

async function back(page) {
  await myPlay(page);
  const keys = await handKeys(page);
  await choose(page, keys.slice(0, 3));
  await press(page.locator(".tray .new"));
  await page.reload();
  await page.waitForSelector(".pocket");
  assert.equal((await handKeys(page)).length, keys.length - 3, "a reload keeps what is staged");
  await throwOne(page);
  await page.waitForFunction(() => !document.querySelector(".pocket"));
  assert.equal((await handKeys(page)).length, keys.length - 1, "the turn's end gives it back");
}
