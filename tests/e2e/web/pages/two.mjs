// UX 27: a two moves inside a meld, and gives way to the card it stands for; what would not be legal is not offered.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { DUEL, acts, at, begin, choose, comesTo, frames, lay, meldCards, myPlay, openField, press, sides, targets } from "./player.mjs";
import { rig } from "./rig.mjs";

const MINE = "5H 6H 7H 2S 9S 2D JS TS 2C 3C 4C 8C 8D QH KH 4S 6D TD 7D";
const THEIRS = "9C TC JC 2H";

export default async function two({ browser, address, device, name, pictures }) {
  rig({ hands: [MINE, THEIRS], bots: { 2: [`meld ${THEIRS}`] } });
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, { preset: "PRESET_BANAKIL202", ...DUEL });
  await lay(page, ["5H.0", "6H.0", "7H.0", "2S.0"], ["9S.0", "2D.0", "JS.0"], ["2C.0", "3C.0", "4C.0"]);
  await choose(page, ["7D.0"]);
  await press((await sides(page)).discard);
  await myPlay(page);
  await comesTo(() => page.locator(at.meld).count(), 4, "the bot has laid one, too");

  // A card of the hand goes onto one's own melds alone, wherever else it would fit.
  for (const [keys, ids] of [
    [["8C.0"], []],
    [["TS.0"], ["2"]],
    [["8D.0"], []],
  ]) {
    await choose(page, keys);
    await comesTo(() => targets(page), ids, `${keys} may go to`);
    await choose(page, keys);
  }
  // Where the two has two ways to give way, the player says which.
  await choose(page, ["TS.0"]);
  await press(page.locator("[data-meld='2'] button.hit"));
  const ways = page.locator("[role=dialog] .way button");
  await comesTo(() => ways.count(), 2, "before the run, and after it");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-place.png`) });
  await press(ways.nth(1));
  await comesTo(() => meldCards(page, 2), ["9S", "TS", "JS", "2D"]);
  assert.deepEqual(acts(seen).at(-1).action, { amend: { meldId: 2, cards: ["9S", "TS", "JS", "2D"] } });

  // By itself a two moves where there is another place for it: not inside a run that would fall apart.
  await openField(page, "us");
  await comesTo(() => targets(page), ["1", "2", "3"], "each of them ends in a two now, or begins with one");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-field.png`) });
  await press(page.locator("[role=dialog] [data-meld='1'] button.hit"));
  await comesTo(() => meldCards(page, 1), ["2S", "5H", "6H", "7H"]);
  assert.deepEqual(acts(seen).at(-1).action, { amend: { meldId: 1, cards: ["2S", "5H", "6H", "7H"] } });
  await choose(page, ["8D.0"]);
  await press((await sides(page)).discard);
  await comesTo(() => targets(page), [], "not off-turn");
}
