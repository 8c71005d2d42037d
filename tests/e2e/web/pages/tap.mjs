// UX 14: a tap selects within 100 ms (95 of 100) at a sixth of the processor's speed. Prints what it measured as JSON.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { at, begin, myPlay, press, step } from "./player.mjs";
import { tapCards } from "./tapping.mjs";

const TAPS = 40;
const SLOWDOWN = 6;
const MOST_MS = 100;
/** So many melds lie before taps are measured on one's own turn. */
const MELDS = 4;

export default async function tap({ browser, address, device }) {
  const page = await visit(browser, address, device);
  await begin(page);
  const figures = { dealt: figuresOf(await tapCards(page, TAPS, SLOWDOWN)) };
  for (const hints of [false, true]) {
    await toOwnTurn(page, hints);
    const melds = await page.locator("[data-meld]").count();
    figures[hints ? "hinting" : "turn"] = { melds, ...figuresOf(await tapCards(page, TAPS, SLOWDOWN)) };
  }
  console.log(JSON.stringify(figures));
  for (const { taps, screenMs } of Object.values(figures)) {
    assert.ok(taps >= TAPS / 2, `${taps} taps were seen`);
    assert.ok(screenMs.p95 <= MOST_MS, `p95 ${screenMs.p95} ms`);
  }
}

/** Plays until it is one's own turn and melds lie; draws, and chooses nothing. */
async function toOwnTurn(page, hints) {
  const ready = () =>
    page.evaluate(
      ([stock, melds]) =>
        document.querySelector(stock)?.getAttribute("aria-disabled") === "false" &&
        document.querySelectorAll("[data-meld]").length >= melds,
      [at.stock, MELDS],
    );
  for (const ends = Date.now() + 240_000; !(await ready()); ) {
    assert.ok(Date.now() < ends, "no turn with melds on the table");
    try {
      await step(page);
    } catch (error) {
      if (!/Timeout|detached|intercepts/.test(String(error))) throw error;
    }
    await page.waitForTimeout(60);
  }
  await myPlay(page);
  const hint = page.locator("main.table [aria-pressed]:not([data-key])").first();
  if ((await hint.getAttribute("aria-pressed")) !== String(hints)) await press(hint);
  for (const card of await page.locator(at.chosen).all()) await press(card);
}

function figuresOf({ screenMs, cpuMs, load }) {
  const rounded = (value) => Math.round(value * 10) / 10;
  const spread = (values) => {
    const sorted = values.toSorted((one, other) => one - other);
    const part = (share) => rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
    return { median: part(0.5), p95: part(0.95), most: part(1) };
  };
  return { taps: screenMs.length, screenMs: spread(screenMs), cpuMs: spread(cpuMs), load: rounded(load) };
}
