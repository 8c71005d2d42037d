// UX 34: who asks for less motion sees nothing travel, and nothing fade for longer than 80 ms; marks stay.
import assert from "node:assert/strict";
import { DUEL, at, begin, comesTo, myPlay, press } from "./player.mjs";
import { rig } from "./rig.mjs";

const LONGEST_MS = 80;

/** Keeps whatever moves: by a style sheet, or by a script. */
const KEEP = () => {
  globalThis.moved = [];
  const seen = new WeakSet();
  const look = () => {
    for (const one of document.getAnimations()) {
      if (seen.has(one)) continue;
      seen.add(one);
      const { duration, iterations } = one.effect.getComputedTiming();
      const travels = one.effect.getKeyframes().some(({ transform, left, top }) => [transform, left, top].some((value) => value && value !== "none"));
      const name = one.animationName ?? one.transitionProperty ?? one.effect.target?.className;
      globalThis.moved.push({ name, ms: iterations === Infinity ? Infinity : duration, travels });
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};

export default async function motion({ browser, address, device }) {
  rig({ starter: 1 });
  const still = await played(browser, address, { ...device, reducedMotion: "reduce" }, true);
  assert.deepEqual(still.filter(({ ms, travels }) => ms > LONGEST_MS || (travels && ms > 0)), []);
  const usual = await played(browser, address, device);
  assert.ok(usual.some(({ ms }) => ms > LONGEST_MS), "otherwise things move: this test can see it");
}

/** A shuffle, a deal, another's move, a draw, a panel, a choice; and until the mark of the card drawn is gone. */
async function played(browser, address, device, toTheEnd = false) {
  const context = await browser.newContext(device);
  const page = await context.newPage();
  await page.addInitScript(KEEP);
  await page.goto(address);
  await page.waitForSelector(".offer button");
  await begin(page, DUEL);
  await myPlay(page);
  await comesTo(() => page.locator(".knot").count(), 1, "what was drawn is marked");
  await press(page.locator(at.card).first());
  await press(page.locator("main.table .side button").nth(1));
  await page.waitForSelector(at.dialog);
  await page.keyboard.press("Escape");
  if (toTheEnd) await comesTo(() => page.locator(".knot").count(), 0, "the mark goes after a while");
  await page.waitForTimeout(100);
  const moved = await page.evaluate(() => globalThis.moved);
  await context.close();
  return moved;
}
