// UX 26, 28, 31: two steps to a discard and one command for a double tap; hints that send no command; a clock that waits.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { DUEL, acts, at, begin, comesTo, frames, myPlay, press, sides } from "./player.mjs";
import { LOOSE, rig } from "./rig.mjs";

export default async function acting({ browser, address, device, more: [what] }) {
  rig({ starter: 1, hands: [`9S TS JS QH KH AH 7D ${LOOSE}`], stock: "5H" });
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, DUEL);
  if (what === "28") return hints(page, seen);
  await myPlay(page);
  const { discard } = await sides(page);
  await saysWhy(page);
  const before = acts(seen).length;
  await discard.dispatchEvent("click");
  assert.equal(acts(seen).length, before, "with no card chosen it does nothing");
  const plain = "7D.0";
  await press(page.locator(`[data-key="${plain}"]`));
  assert.equal(acts(seen).length, before, "choosing sends nothing");
  await comesTo(async () => (await discard.getAttribute("aria-label")).includes("7♦"), true, "it names the card");
  await discard.dblclick();
  await page.waitForFunction(([card, key]) => !document.querySelector(`${card}[data-key="${key}"]`), [at.card, plain]);
  await page.waitForTimeout(300);
  const sent = acts(seen).slice(before);
  assert.equal(sent.length, 1, "a double tap sends one command");
  assert.deepEqual(sent[0].action, { discard: { card: plain.slice(0, 2) } });
}

/** A button that does nothing says why when it is pressed. */
async function saysWhy(page) {
  const { meld } = await sides(page);
  const label = await meld.getAttribute("aria-label");
  await meld.dispatchEvent("click");
  const toast = page.locator(".toast");
  await comesTo(async () => label.endsWith((await toast.innerText()).trim()), true, "the toast is the label's own reason");
}

async function hints(page, seen) {
  await press(page.locator("main.table .side button").nth(2));
  await comesTo(() => page.locator("[data-hints]").getAttribute("data-hints"), "2", "both runs are found");
  await press(page.locator(at.stageHints));
  await comesTo(() => page.locator(".pocket.legal").count(), 2);
  assert.deepEqual(acts(seen), []);
  assert.ok(seen.sent.some(({ t }) => t === "hints"));
}
