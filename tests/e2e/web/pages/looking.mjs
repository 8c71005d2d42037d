// A stranger opens a link to look on: nothing before they agree to it, then the table as everybody may see it, with no hand in any
// frame and nothing to press but the way out. Those who play see how many look on.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { visit } from "./browser.mjs";
import { tableOf } from "./company.mjs";
import { DUEL, at, begin, comesTo, frames, myPlay, press } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function looking({ browser, address, device, name, pictures }) {
  rig({ starter: 1 });
  const host = await visit(browser, address, device);
  await begin(host, name === "desk" ? {} : DUEL);
  const stranger = await visit(browser, new URL(`/t/${await tableOf(host)}`, address).href, device);
  const seen = frames(stranger);
  await stranger.waitForSelector("main.plain");
  await check(stranger, "invited");
  await stranger.screenshot({ path: join(pictures, `${name}-invited.png`) });
  await press(stranger.locator("main.plain button").first());
  await stranger.waitForSelector(".seat.bottom");
  const seats = name === "desk" ? ["bottom", "left", "right", "top"] : ["bottom", "top"];
  assert.equal(await stranger.locator(".seat").count(), seats.length);
  assert.equal(await stranger.locator(`${at.card}, .step-label, .tray, button.say`).count(), 0);
  await myPlay(host);
  await comesTo(() => stranger.locator(".seat.bottom .badge").innerText(), "19", "the play is followed");
  await stranger.waitForTimeout(250);
  await stranger.screenshot({ path: join(pictures, `${name}-watching.png`) });
  await check(stranger, "watching");
  if (name === "desk") {
    await comesTo(() => host.locator("p[role=img]").count(), 1, "they see that somebody looks on", 20_000);
    await host.screenshot({ path: join(pictures, "watched.png") });
  }
  const text = JSON.stringify(seen.got);
  assert.ok(text.includes('"snapshot"'), "it was told the table");
  assert.ok(!/"hand":\[/.test(text), "and no hand");
  await stranger.reload();
  await stranger.waitForSelector(".seat.bottom");
  assert.deepEqual([...host.faults, ...stranger.faults], []);
}
