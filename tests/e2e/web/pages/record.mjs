// A person plays a deal that nobody rigged: its record has the number that the person's browser put into the shuffle. It is left
// in the folder with the browser's witness in it, and the Verify page finds both to agree.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { begin, DUEL, finishDeal, frames, press } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function record({ browser, address, pictures, device }) {
  rig({ honest: true, greedy: true });
  const page = await visit(browser, address, device);
  const seen = frames(page);
  await begin(page, DUEL);
  await finishDeal(page);
  const [{ matchId }] = seen.sent.filter(({ t, dealNo }) => t === "contribute" && dealNo === 1);
  const written = await recordOf(page, matchId);
  const { fair } = written.deals[0];
  const { account, witness } = await page.evaluate((key) => JSON.parse(localStorage.getItem(key)), `banakil.witness.${matchId}.1`);
  const { kind, account: listed, c } = fair.seats[witness.seat];
  assert.deepEqual([kind, listed, c], [1, account, witness.c]);
  fair.witness = witness;
  writeFileSync(join(pictures, "record.json"), JSON.stringify({ ...written, deals: written.deals.slice(0, 1) }));
  await ownWitness(page, new URL(`/verify/${matchId}`, address).href, join(pictures, "witness.png"));
  assert.deepEqual(page.faults, []);
}

/** The Verify page holds what the browser kept against the record, and signatures against the published keys. */
async function ownWitness(page, verify, picture) {
  await page.goto(verify);
  await page.waitForSelector(".verdict.holds");
  const first = page.locator(".thread [role=radio]").first();
  if (await first.count()) await press(first);
  for (const step of ["witness", "receipts", "signatures", "contributions"]) {
    assert.equal(await page.locator(`[data-step=${step}].holds`).count(), 1, step);
  }
  assert.equal(await page.locator(".warning").count(), 0, "a person had a part in it");
  await page.screenshot({ path: picture });
}

/** The match's record, once the first deal's secret is out: anybody may have it. */
function recordOf(page, matchId) {
  return page.evaluate(async (id) => {
    for (;;) {
      const answer = await fetch(`/api/records/${id}`);
      const record = answer.ok ? await answer.json() : {};
      if (record.deals?.length) return record;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }, matchId);
}
