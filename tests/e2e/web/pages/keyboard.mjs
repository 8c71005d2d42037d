// UX 40: turns by the keyboard alone, and each draw, meld and discard is said once for who listens.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { acts, at, begin, frames, myDraw, sides } from "./player.mjs";

const TURNS = 3;

export default async function keyboard({ browser, address, device }) {
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page);
  await page.evaluate((log) => {
    globalThis.said = [];
    const read = new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const node of addedNodes) globalThis.said.push(node.textContent);
    });
    read.observe(document.querySelector(log), { childList: true });
  }, "[role=log]");
  for (let turn = 0; turn < TURNS; turn++) {
    await myDraw(page);
    await page.keyboard.press("d");
    await page.waitForSelector(`${at.stock}[aria-disabled=true]`);
    await throwByKeys(page);
  }
  await myDraw(page);
  const said = await page.evaluate(() => globalThis.said);
  const sent = acts(seen).map(({ action }) => Object.keys(action)[0]);
  const times = (words) => said.filter((text) => words.test(text)).length;
  assert.equal(times(/^\W*You\W+ drew/), sent.filter((verb) => verb === "draw").length, said.join("\n"));
  assert.equal(times(/^\W*You\W+ threw/), sent.filter((verb) => verb === "discard").length, said.join("\n"));
  assert.ok(times(/^Your turn/) >= TURNS, said.join("\n"));
}

/** Tab to the hand, an arrow along it, Space to choose, one key to throw. */
async function throwByKeys(page) {
  const { discard } = await sides(page);
  await page.locator("body").press("Tab");
  for (let stop = 0; stop < 40; stop++) {
    if (await page.evaluate((card) => document.activeElement.matches(card), at.card)) break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  assert.notEqual(await discard.getAttribute("aria-disabled"), "true");
  await page.keyboard.press("x");
  await page.waitForTimeout(150);
  if (await page.locator(at.dialog).count()) {
    for (let stop = 0; stop < 4; stop++) {
      if (await page.evaluate((yes) => document.activeElement.matches(yes), at.yes)) break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
  }
}
