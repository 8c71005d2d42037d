// Friends have a break: one asks, takes it back, asks again, the other agrees, no clock runs, and any of them goes on.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { DESK, PHONE } from "./browser.mjs";
import { company, fromMenu } from "./company.mjs";
import { comesTo, press } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function pausing({ browser, address, pictures }) {
  rig({});
  const [host, guest] = await company(browser, address, [DESK, PHONE], { preset: "PRESET_SAHRAT" });
  const shot = (page, name) => page.waitForTimeout(200).then(() => page.screenshot({ path: join(pictures, `${name}.png`) }));
  const agreed = (page) => page.locator(".pause li.agreed").count();
  const running = (page) => page.locator(".pause.running").count();
  await fromMenu(guest, 0);
  for (const page of [host, guest]) await comesTo(() => agreed(page), 1, "one has asked");
  await shot(guest, "pause-asked-ar");
  // Who has asked may think better of it, so that it lies over nothing for ever.
  await press(guest.locator(".pause .button button"));
  for (const page of [host, guest]) await comesTo(() => page.locator(".pause").count(), 0, "it is taken back");
  await fromMenu(guest, 0);
  for (const page of [host, guest]) await comesTo(() => agreed(page), 1, "and asked again");
  await shot(host, "pause-asked-en");
  await check(host, "pause asked");
  await press(host.locator(".pause .button button"));
  for (const page of [host, guest]) await comesTo(() => running(page), 1, "all have agreed");
  await comesTo(() => host.locator(".medallion .clock").count(), 0, "no clock runs");
  await shot(guest, "pause-ar");
  await check(guest, "pause");
  await press(guest.locator(".pause .button button"));
  for (const page of [host, guest]) await comesTo(() => page.locator(".pause").count(), 0, "it goes on");
  await comesTo(() => host.locator(".medallion .clock").count(), 1, "and so does the clock");
  assert.deepEqual([...host.faults, ...guest.faults], []);
}
