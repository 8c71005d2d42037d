// R5.6, R5.8: what was taken has to be laid, Discard waits for that, and Undo gives back pile, meld and hand as they were.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { DUEL, acts, at, begin, choose, comesTo, frames, handKeys, lay, meldCards, myDraw, press, sides, undo } from "./player.mjs";
import { rig } from "./rig.mjs";

const MINE = "9S JK JS TS 5H 7H QD KD 9C KC 4S 7C 8D 3C 5C TD 4D 8C 9D";

export default async function undoing({ browser, address, device, name, pictures }) {
  rig({ hands: [MINE, "6H"], bots: { 2: ["discard 6H"] } });
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, DUEL);
  await lay(page, ["9S.0", "JK.0", "JS.0"]);
  const { discard } = await sides(page);

  // A joker taken back, and put back.
  const before = await handKeys(page);
  await choose(page, ["TS.0"]);
  await press(page.locator("[data-meld='1'] button.hit"));
  await comesTo(() => meldCards(page, 1), ["9S", "TS", "JS"]);
  await press(undo(page));
  await comesTo(() => meldCards(page, 1), ["9S", "JK", "JS"]);
  await comesTo(() => handKeys(page), before, "the hand is in its order again");
  assert.equal(await undo(page).count(), 0);
  await choose(page, ["9D.0"]);
  await press(discard);

  // The top card taken, and put back.
  await myDraw(page);
  const held = await handKeys(page);
  await takeTop(page);
  await comesTo(async () => (await handKeys(page)).length, held.length + 1);
  await choose(page, ["9C.0"]);
  assert.equal(await discard.getAttribute("aria-disabled"), "true");
  assert.match(await undo(page).getAttribute("aria-label"), /6♥/, "it says what is owed");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-duty.png`) });
  await choose(page, ["9C.0"]);
  await press(undo(page));
  await comesTo(() => handKeys(page), held);
  assert.deepEqual(
    acts(seen).map(({ action }) => Object.keys(action)[0]),
    ["meld", "amend", "undo", "discard", "take", "undo"],
  );
  await myDraw(page);

  // Taken again and laid, nothing is owed.
  await takeTop(page);
  await comesTo(() => undo(page).count(), 1);
  await lay(page, ["5H.0", "6H.0", "7H.0"]);
  await comesTo(() => undo(page).count(), 0);
  await comesTo(() => meldCards(page, 2), ["5H", "6H", "7H"]);
  await choose(page, ["9C.0"]);
  await press(discard);
  await comesTo(async () => (await handKeys(page)).includes("9C.0"), false);
}

async function takeTop(page) {
  await press(page.locator(at.pile));
  await press(page.locator(".bar .take button"));
}
