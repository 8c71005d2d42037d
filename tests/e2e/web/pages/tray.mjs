// UX 19, 21, 22, 23: what the tray says, that nothing of it is sent, Meld All, and cards that come back.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { DUEL, acts, at, begin, choose, comesTo, frames, handKeys, myPlay, press, sides, throwCard } from "./player.mjs";
import { LOOSE, rig } from "./rig.mjs";

const MISFITS = ["4D.0", "7C.0", "8H.0"];

export default async function tray({ browser, address, device, more: [what] }) {
  const slow = what === "19" ? { botsPace: 0.01 } : {};
  rig({ starter: 1, hands: [`9S TS JS QH KH AH ${LOOSE} 7D`], stock: "5H", ...slow });
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, { preset: "PRESET_BANAKIL202", ...DUEL });
  if (what === "19") await legality(page, seen);
  if (what === "22") await meldAll(page, seen);
  if (what === "23") await back(page);
}

async function legality(page, seen) {
  const { discard } = await sides(page);
  await choose(page, [MISFITS[0]]);
  assert.equal(await discard.getAttribute("aria-disabled"), "true", "it is the other's turn");
  await choose(page, MISFITS.slice(1));
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
  await choose(page, ["9S.0", "TS.0", "JS.0"]);
  await press(page.locator(".tray .new"));
  await comesTo(() => page.locator(".pocket.legal .note svg").count(), 1);
  assert.match(await page.locator(".pocket.legal .note").innerText(), /3/, "what it is worth");
  assert.equal(seen.sent.filter(({ t }) => t !== "ping").length, before, "nothing of it is sent");
  await choose(page, ["5H.0"]);
  assert.equal(await discard.getAttribute("aria-disabled"), "true", "it still is the other's turn");
}

async function meldAll(page, seen) {
  await myPlay(page);
  await choose(page, ["9S.0", "TS.0", "JS.0"]);
  await press(page.locator(".tray .new"));
  await choose(page, MISFITS);
  await press(page.locator(".tray .new"));
  await choose(page, ["QH.0", "KH.0", "AH.0"]);
  await press(page.locator(".tray .new"));
  await comesTo(() => page.locator(".pocket.legal").count(), 2);
  const before = acts(seen).length;
  await press((await sides(page)).meld);
  await comesTo(() => page.locator(".pocket.legal").count(), 0);
  const sent = acts(seen).slice(before);
  assert.equal(sent.length, 1, "one command");
  const melds = [["9S", "TS", "JS"], ["QH", "KH", "AH"]].map((cards) => ({ cards }));
  assert.deepEqual(sent[0].action, { meld: { melds } }, "with every legal group");
  assert.equal(await page.locator(".pocket.illegal").count(), 1, "what is not legal stays staged");
}

async function back(page) {
  await myPlay(page);
  const keys = await handKeys(page);
  await choose(page, MISFITS);
  await press(page.locator(".tray .new"));
  await page.reload();
  await page.waitForSelector(".pocket");
  assert.equal((await handKeys(page)).length, keys.length - 3, "a reload keeps what is staged");
  await throwCard(page, "7D.0");
  await comesTo(() => page.locator(".pocket").count(), 0);
  await comesTo(async () => (await handKeys(page)).length, keys.length - 1, "the turn's end gives it back");
}
