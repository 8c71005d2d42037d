// One says something, the other sees and hears it, until they mute who says it; that lasts over a reload. Play goes on meanwhile.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { DESK, PHONE } from "./browser.mjs";
import { company } from "./company.mjs";
import { at, choose, comesTo, frames, handKeys, plain, press } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function saying({ browser, address, pictures }) {
  rig({});
  const [host, guest] = await company(browser, address, [PHONE, DESK], { preset: "PRESET_SAHRAT" });
  const seen = frames(guest);
  const bubbles = () => guest.locator("[data-said=top]").count();
  // A bubble stands for a moment: whoever waits for it is there before.
  const seenBy = (page, place) =>
    page.waitForSelector(`[data-said=${place}]`, { timeout: 30_000 }).then((bubble) => bubble.innerText());
  const [there, here] = [seenBy(guest, "top"), seenBy(host, "bottom")];
  await say(host, "well_done_partner", join(pictures, "say-ar.png"));
  assert.equal(await there, "Well done, partner", "the partner sees it in their own language");
  assert.equal(await here, "عاشت الأيادي");
  const log = async () => plain(await guest.locator("[role=log]").textContent());
  await comesTo(async () => (await log()).includes("Saad: Well done, partner"), true, "and who listens hears it");
  await guest.screenshot({ path: join(pictures, "said-en.png") });

  await press(guest.locator("button.say"));
  await guest.waitForSelector("[data-mute]");
  await check(guest, "say");
  // The hand stays in reach while the tray is open.
  const [key] = await handKeys(guest);
  await choose(guest, [key]);
  await comesTo(() => guest.locator(at.chosen).count(), 1);
  const mute = guest.locator("[data-mute]", { hasText: "Saad" });
  await press(mute);
  await comesTo(() => mute.getAttribute("aria-pressed"), "true");
  await guest.screenshot({ path: join(pictures, "muted-en.png") });
  await guest.keyboard.press("Escape");
  await comesTo(() => guest.locator("[data-mute]").count(), 0);

  await guest.reload();
  await guest.waitForSelector(at.card);
  await comesTo(bubbles, 0);
  const saidBefore = said(seen).length;
  await say(host, "rose");
  await comesTo(() => said(seen).length, saidBefore + 1, "it arrives");
  assert.equal(await bubbles(), 0, "and is not heard");
  assert.deepEqual([...host.faults, ...guest.faults], []);
}

const said = (seen) => seen.got.filter((frame) => frame.said);

async function say(page, id, picture) {
  await press(page.locator("button.say"));
  const button = page.locator(`[data-phrase=${id}][aria-disabled=false]`);
  await button.scrollIntoViewIfNeeded({ timeout: 5_000 });
  if (picture) await page.waitForTimeout(200).then(() => page.screenshot({ path: picture }));
  await press(button);
  await comesTo(() => page.locator("[data-phrase]").count(), 0, "the tray closes");
}
