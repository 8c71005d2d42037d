// UX 35: a person finishes a deal of a preset through the page alone, and the result says all that it should.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { at, begin, finishDeal } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function deal({ browser, address, pictures, device, name, seed, more: [preset] }) {
  rig({ greedy: true, seed });
  const page = await visit(browser, address, device);
  const shoot = (what) => page.screenshot({ path: join(pictures, `${name}-${preset.slice(7).toLowerCase()}-${what}.png`) });
  await shoot("home");
  await begin(page, { preset });
  const seen = new Map();
  await finishDeal(page, async (what) => {
    const times = (seen.get(what) ?? 0) + 1;
    seen.set(what, times);
    if (["staged", "laid", "drew"].includes(what) && times === 2) await shoot(what);
    if (what === "threw" && times % 5 === 0) await shoot(`turn-${times}`);
    if (what === "result") {
      await page.waitForTimeout(300);
      await shoot("result");
    }
  });
  // A deal may be over before a second turn: who starts draws nothing in the first.
  assert.ok(seen.get("threw") >= 1, `it was played: ${[...seen]}`);
  const shown = await page.evaluate(() => ({
    players: document.querySelectorAll(".result .player").length,
    text: document.querySelector(".result")?.textContent ?? "",
  }));
  assert.equal(shown.players, 4);
  assert.match(shown.text, /\d/);
  // The next deal begins by itself.
  await page.waitForSelector(".result", { state: "detached", timeout: 30_000 });
  await page.waitForSelector(at.card, { timeout: 30_000 });
  assert.deepEqual(page.faults, []);
}
