// UX 30: the last five seconds are seen and heard, five ticks; no sound before a gesture; mute lasts.
import assert from "node:assert/strict";
import { DUEL, begin, comesTo, myPlay, press } from "./player.mjs";
import { rig } from "./rig.mjs";

const LISTEN = () => {
  globalThis.heard = [];
  const real = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    globalThis.heard.push(this.frequency.value);
    return real.apply(this, when);
  };
  globalThis.made = 0;
  const Real = AudioContext;
  globalThis.AudioContext = class extends Real {
    constructor() {
      super();
      globalThis.made++;
    }
  };
};

export default async function sounds({ browser, address, device }) {
  rig({ starter: 1, turnSeconds: 6 });
  const context = await browser.newContext(device);
  const page = await context.newPage();
  await page.addInitScript(LISTEN);
  await page.goto(address);
  await page.waitForSelector(".offer button");
  assert.equal(await page.evaluate(() => globalThis.made), 0, "no sound before a gesture");
  await begin(page, DUEL);
  await myPlay(page);
  await page.evaluate(() => (globalThis.heard.length = 0));
  await page.waitForSelector(".hand.alarm .line", { state: "attached", timeout: 15_000 });
  assert.equal(await page.locator(".medallion .last .pips").count(), 1, "what is left, in pips");
  const ticks = () => page.evaluate(() => globalThis.heard.filter((hertz) => hertz === 880).length);
  await comesTo(async () => (await ticks()) >= 5, true, "five ticks", 10_000);
  // Muted it stays, over a reload.
  await press(page.locator("main.table .side button").first());
  await press(page.locator("[role=dialog] [data-value=off]").first());
  await page.reload();
  await page.waitForSelector(".hand button[data-key]");
  await press(page.locator("main.table .side button").first());
  assert.equal(await page.locator("[role=dialog] [data-value=off]").first().getAttribute("aria-checked"), "true");
}
