// A player's page is closed: the others see the grace run out and a house bot sit down; who comes back has the seat again.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DESK, PHONE } from "./browser.mjs";
import { company, tableOf } from "./company.mjs";
import { at, comesTo, handKeys } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function away({ browser, address, pictures }) {
  rig({});
  const rules = { preset: "PRESET_SAHRAT", graceSeconds: 6 };
  const [host, guest] = await company(browser, address, [PHONE, DESK], rules);
  const shot = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });
  const partner = host.locator(".seat.top");
  const tableId = await tableOf(guest);
  const held = (await handKeys(guest)).sort();
  await guest.goto("about:blank");
  await comesTo(() => partner.locator(".cloth .clock").count(), 1, "the seconds are seen", 20_000);
  const seconds = Number(await partner.locator(".cloth text").textContent());
  assert.ok(seconds >= 1 && seconds <= 6, `${seconds}`);
  await shot(host, "away-ar");
  await comesTo(() => partner.locator(".stand-in").count(), 1, "then a bot plays", 30_000);
  await comesTo(async () => (await host.locator("[role=log]").textContent()).includes("بوت يلعب مكان"), true, "and it is said");
  await shot(host, "away-bot-ar");

  await guest.goto(new URL(`/#/table/${tableId}`, address).href);
  await guest.waitForSelector(at.card, { timeout: 30_000 });
  await comesTo(() => partner.locator(".stand-in").count(), 0, "back in the seat", 30_000);
  await comesTo(() => guest.locator(".banner").count(), 0, "and it is one's own again");
  const now = (await handKeys(guest)).sort();
  assert.ok(now.filter((key) => held.includes(key)).length >= held.length - 2, "the hand is the same, but for what was played");
  await shot(guest, "back-en");
  assert.deepEqual([...host.faults, ...guest.faults], []);
}
