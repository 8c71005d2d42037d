// A person finishes a deal of a preset through the page alone, and the result says all that it should (UX 35). The record of the
// deal has the number that the person's browser put into its shuffle; it is left in the folder, with the browser's witness.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { begin, finishDeal, frames } from "./player.mjs";

export default async function deal({ browser, address, pictures, device, name, more: [preset] }) {
  const page = await visit(browser, address, device);
  const seenFrames = frames(page);
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
  const [{ matchId }] = seenFrames.sent.filter(({ t, dealNo }) => t === "contribute" && dealNo === 1);
  const record = await recordOf(page, matchId);
  const { fair } = record.deals[0];
  const { account, witness } = await page.evaluate((key) => JSON.parse(localStorage.getItem(key)), `banakil.witness.${matchId}.1`);
  const { kind, account: listed, c } = fair.seats[witness.seat];
  assert.deepEqual([kind, listed, c], [1, account, witness.c]);
  fair.witness = witness;
  writeFileSync(join(pictures, `${name}-${preset}.json`), JSON.stringify({ ...record, deals: record.deals.slice(0, 1) }));
  // The next deal begins by itself.
  await page.waitForSelector(".result", { state: "detached", timeout: 30_000 });
  await page.waitForSelector(".hand button[data-key]", { timeout: 30_000 });
  assert.deepEqual(page.faults, []);
}

/** The match's record, once the first deal's secret is out. */
function recordOf(page, matchId) {
  return page.evaluate(async (id) => {
    const { accountId, refreshSecret } = JSON.parse(localStorage.getItem("banakil.account"));
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ accountId, refreshSecret });
    const { token } = await (await fetch("/api/token", { method: "POST", headers, body })).json();
    for (;;) {
      const answer = await fetch(`/api/records/${id}`, { headers: { authorization: `Bearer ${token.jwt}` } });
      const record = answer.ok ? await answer.json() : {};
      if (record.deals?.length) return record;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }, matchId);
}
