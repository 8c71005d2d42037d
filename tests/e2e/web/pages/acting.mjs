// UX 26, 28, 31: two steps to a discard and one command for a double tap; hints that send no command; a clock that waits.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { acts, at, begin, frames, handKeys, myPlay, press, sides } from "./player.mjs";

export default async function acting({ browser, address, device, more: [what] }) {
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page);
  if (what === "28") return hints(page, seen);
  await myPlay(page);
  const { discard } = await sides(page);
  const before = acts(seen).length;
  await discard.dispatchEvent("click");
  assert.equal(acts(seen).length, before, "with no card chosen it does nothing");
  const plain = (await handKeys(page)).find((key) => !/^(JK|2)/.test(key));
  await press(page.locator(`[data-key="${plain}"]`));
  assert.equal(acts(seen).length, before, "choosing sends nothing");
  assert.ok((await discard.getAttribute("aria-label")).includes(plain[0] === "T" ? "10" : plain[0]), "it names the card");
  await discard.dblclick();
  await page.waitForFunction(([card, key]) => !document.querySelector(`${card}[data-key="${key}"]`), [at.card, plain]);
  await page.waitForTimeout(300);
  const sent = acts(seen).slice(before);
  assert.equal(sent.length, 1, "a double tap sends one command");
  assert.deepEqual(sent[0].action, { discard: { card: plain.slice(0, 2) } });
}

async function hints(page, seen) {
  await press(page.locator("main.table .side button").nth(2));
  await page.waitForSelector("[data-hints]");
  if (await page.locator(at.stageHints).count()) {
    await press(page.locator(at.stageHints));
    await page.waitForSelector(".pocket.legal");
  }
  assert.deepEqual(acts(seen), []);
  assert.ok(seen.sent.some(({ t }) => t === "hints"));
}
