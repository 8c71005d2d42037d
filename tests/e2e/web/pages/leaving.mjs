// A player leaves on purpose: asked first, told afterwards. The partner sees who plays instead; who has left may look on, without
// the hand, and does not come back to the match.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { DESK, PHONE } from "./browser.mjs";
import { company, fromMenu, tableOf } from "./company.mjs";
import { at, comesTo, frames, plain, press } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function leaving({ browser, address, pictures }) {
  rig({});
  const [host, guest] = await company(browser, address, [DESK, PHONE], { preset: "PRESET_SAHRAT" });
  const shot = (page, name) => page.waitForTimeout(250).then(() => page.screenshot({ path: join(pictures, `${name}.png`) }));
  const tableId = await tableOf(guest);
  await fromMenu(guest, -1);
  await comesTo(() => guest.locator(`${at.dialog} h2`).innerText(), "تطلع نهائيًا؟");
  await shot(guest, "leave-asked-ar");
  await press(guest.locator(at.yes));
  await guest.waitForSelector("main.plain");
  await shot(guest, "left-ar");
  assert.equal(await guest.locator(".toast").count(), 0, "that is all that is said");
  await check(guest, "left");

  const partner = host.locator(".seat.top");
  await comesTo(() => partner.locator(".stand-in").count(), 1, "a house bot plays in the place", 20_000);
  assert.match(plain(await partner.getAttribute("aria-label")), /^Huda, .* plays here for now$/, "beside its player's name");
  await shot(host, "left-seen-en");

  // The way back is closed; the table may be looked on at, and no frame of it holds a hand.
  const seen = frames(guest);
  await guest.goto(new URL(`/?again#/table/${tableId}`, address).href);
  await guest.waitForSelector("main.plain");
  await press(guest.locator("main.plain button").last());
  await guest.waitForSelector(".seat.bottom");
  assert.equal(await guest.locator(`${at.card}, .step-label`).count(), 0, "no hand, and nothing to do with one");
  const hands = seen.got.filter((frame) => JSON.stringify(frame).includes('"hand":['));
  assert.deepEqual(hands, []);
  await shot(guest, "watch-ar");
  assert.deepEqual([...host.faults, ...guest.faults], []);
}
