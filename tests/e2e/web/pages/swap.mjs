// UX 27: a joker is taken back by the card it stands for; the cards chosen show where they may go, and nowhere else.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { DUEL, acts, at, begin, choose, comesTo, frames, handKeys, lay, press, sides, targets } from "./player.mjs";
import { rig } from "./rig.mjs";

const MINE = "4H 5H JK 7H 6H 6D 9S TS JS QD KD 9C KC 4S 7C 8D 3C 5C TD";

export default async function swap({ browser, address, device, name, pictures }) {
  rig({ hands: [MINE] });
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, DUEL);
  await lay(page, ["5H.0", "JK.0", "7H.0"], ["9S.0", "TS.0", "JS.0"]);
  await comesTo(() => page.locator(at.meld).count(), 2);
  await hinted(page, join(pictures, `${name}-fits.png`));

  for (const [keys, ids] of [
    [["6H.0"], ["1"]],
    [["6D.0"], []],
    [["4H.0"], ["1"]],
    [["4H.0", "6H.0"], ["1"]],
    [["6H.0", "QD.0"], []],
  ]) {
    await choose(page, keys);
    await comesTo(() => targets(page), ids, `${keys} may go to`);
    if (keys[0] === "6H.0" && keys.length === 1) {
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(pictures, `${name}-swap.png`) });
    }
    await choose(page, keys);
  }

  await choose(page, ["6H.0"]);
  await press(page.locator("[data-meld='1'] button.hit"));
  await comesTo(async () => (await handKeys(page)).includes("JK.0"), true, "the joker is in hand");
  assert.deepEqual(acts(seen).at(-1).action, { amend: { meldId: 1, cards: ["5H", "6H", "7H"] } });
  // It has to be laid before the turn ends (R5.6).
  const { discard, meld } = await sides(page);
  await choose(page, ["9C.0"]);
  assert.equal(await discard.getAttribute("aria-disabled"), "true");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-swapped.png`) });
  await choose(page, ["9C.0"]);
  await lay(page, ["JK.0", "QD.0", "KD.0"]);
  await comesTo(() => page.locator(at.meld).count(), 3);
  await choose(page, ["9C.0"]);
  await press(discard);
  await comesTo(async () => (await handKeys(page)).includes("9C.0"), false);
  void at, meld;
}

/** Hints say in the hand, too, which card goes to a meld, and which one takes the joker back. */
async function hinted(page, picture) {
  const hint = page.locator("main.table .side button").nth(2);
  await press(hint);
  const marked = () => page.locator("[data-fit]").evaluateAll((all) => all.map(({ dataset }) => dataset.fit).sort());
  await comesTo(marked, ["4H.0", "6H.0"]);
  await page.waitForTimeout(200);
  await page.screenshot({ path: picture });
  await press(hint);
  await comesTo(marked, []);
}
