// UX 14, 15, 16, 17, 18: a tap is cheap, a card lands where it is let go, one's own order lasts, sorting is stable and marks what
// was drawn, and every drag has a tap and a key.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { DUEL, at, begin, choose, comesTo, handKeys, myDraw, myPlay, press } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function hand({ browser, address, device, more: [what] }) {
  rig({ starter: 1 });
  const page = await visit(browser, address, device);
  await begin(page, DUEL);
  if (what === "14") await oneTap(page);
  if (what === "15") await landing(page, device);
  if (what === "16") await ownOrder(page);
  if (what === "17") await sorting(page);
  if (what === "18") await ways(page);
}

/** The card is chosen as the finger lifts, and of the whole table nothing is drawn anew but that card, Discard and the tray. */
async function oneTap(page) {
  await myDraw(page);
  const [key, other] = await handKeys(page);
  await page.evaluate(() => {
    globalThis.touched = [];
    globalThis.lifted = [];
    const partOf = ({ target }) =>
      (target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement).closest("[data-key], .step-label, .tray, .at");
    new MutationObserver((changes) => {
      for (const part of changes.map(partOf)) {
        // The clock runs meanwhile, and the place for a new group lights up with the first card chosen.
        if (!part?.matches(".tray") && !part?.querySelector(".clock")) globalThis.touched.push(part?.dataset.key ?? part?.className ?? "more");
      }
    }).observe(document.querySelector("main.table"), { subtree: true, attributes: true, childList: true, characterData: true });
    // The last to hear of it.
    addEventListener("pointerup", ({ target }) =>
      globalThis.lifted.push(target.closest("[data-key]").getAttribute("aria-pressed")),
    );
  });
  for (const [count, card] of [key, other, key].entries()) {
    await press(page.locator(`[data-key="${card}"]`));
    await comesTo(() => page.evaluate(() => globalThis.lifted.length), count + 1);
  }
  await page.waitForTimeout(300);
  const { touched, lifted } = await page.evaluate(() => ({ touched: globalThis.touched, lifted: globalThis.lifted }));
  assert.deepEqual(lifted, ["true", "true", "false"], "chosen before there is a click");
  assert.deepEqual(new Set(touched.filter((part) => !part.startsWith("step-label"))), new Set([key, other]));
}

async function drag(page, key, toKey) {
  const from = await page.locator(`[data-key="${key}"]`).boundingBox();
  const to = await page.locator(`[data-key="${toKey}"]`).boundingBox();
  await page.mouse.move(from.x + 10, from.y + 30);
  await page.mouse.down();
  await page.mouse.move(to.x + 40, to.y + 30, { steps: 8 });
  await page.mouse.move(to.x + 4, to.y + 30, { steps: 4 });
  await page.mouse.up();
}

/** Carried over another card's strip, a card takes that place, or one beside it: from each end, and in the middle. */
async function landing(page, { hasTouch }) {
  const cdp = await page.context().newCDPSession(page);
  const touch = (type, x, y) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
  const hand = async (from, to) => {
    const steps = Array.from({ length: 6 }, (_, at) => [from[0] + ((to[0] - from[0]) * (at + 1)) / 6, to[1]]);
    if (hasTouch) {
      await touch("touchStart", ...from);
      for (const step of steps) await touch("touchMove", ...step);
      await touch("touchEnd");
    } else {
      await page.mouse.move(...from);
      await page.mouse.down();
      for (const step of steps) await page.mouse.move(...step);
      await page.mouse.up();
    }
  };
  for (const [from, to] of [[0, 12], [15, 3], [17, 0], [2, 17], [9, 8]]) {
    const before = await handKeys(page);
    const strip = async (at) => {
      const { x, y, height } = await page.locator(`[data-key="${before[at]}"]`).boundingBox();
      return [x + 12, y + height / 2];
    };
    await hand(await strip(from), await strip(to));
    const wanted = before.filter((_, at) => at !== from);
    await comesTo(async () => (await handKeys(page)).filter((key) => key !== before[from]), wanted, "the others keep their order");
    await comesTo(async () => Math.abs((await handKeys(page)).indexOf(before[from]) - to) <= 1, true, `${from} to ${to}`);
    await page.waitForTimeout(150);
  }
}

async function ownOrder(page) {
  const before = await handKeys(page);
  await drag(page, before[9], before[2]);
  const mine = await handKeys(page);
  assert.notDeepEqual(mine, before);
  assert.ok(Math.abs(mine.indexOf(before[9]) - 2) <= 1, `it landed at ${mine.indexOf(before[9])}`);
  await myPlay(page);
  const drawn = await handKeys(page);
  assert.deepEqual(drawn.slice(0, mine.length), mine, "a draw comes to the end");
  await page.waitForTimeout(300);
  await page.reload();
  await page.waitForSelector(at.card);
  assert.deepEqual((await handKeys(page)).filter((key) => mine.includes(key)), mine, "after a reload");
  await page.context().setOffline(true);
  await page.waitForTimeout(200);
  await page.context().setOffline(false);
  await page.waitForTimeout(1500);
  assert.deepEqual((await handKeys(page)).filter((key) => mine.includes(key)), mine, "after a break");
}

async function sorting(page) {
  const sort = page.locator("main.table .side button").nth(3);
  await press(sort);
  const once = await handKeys(page);
  await press(sort);
  const twice = await handKeys(page);
  assert.notDeepEqual(once, twice);
  await press(sort);
  assert.deepEqual(await handKeys(page), once, "sorted again it is the same");
  await page.evaluate(timeMark);
  await myPlay(page);
  await page.waitForFunction(() => window.markedMs !== undefined);
  const markedMs = await page.evaluate(() => window.markedMs);
  assert.ok(markedMs >= 2000, `marked for ${markedMs} ms`);
}

/** In the page, whose clock is not late when the test is: for how long a drawn card is marked. */
function timeMark() {
  let sinceMs;
  const look = () => {
    const marked = document.querySelector(".knot") !== null;
    if (marked) sinceMs ??= performance.now();
    else if (sinceMs !== undefined) window.markedMs ??= performance.now() - sinceMs;
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}

async function ways(page) {
  // With keys: Alt and an arrow moves the card, and the focus goes with it.
  const before = await handKeys(page);
  await page.locator(`[data-key="${before[3]}"]`).focus();
  await page.keyboard.press("Alt+ArrowRight");
  await comesTo(async () => (await handKeys(page)).indexOf(before[3]), 4, "Alt and an arrow move it");
  await page.keyboard.press("Space");
  await comesTo(() => page.locator(at.chosen).getAttribute("data-key"), before[3], "Space chooses it");
  await page.keyboard.press("n");
  await comesTo(() => page.locator(".pocket").count(), 1, "a key stages");
  await press(page.locator(".pocket"));
  await comesTo(() => page.locator(".pocket").count(), 0, "it goes back");
  // With taps: choose, then the tray.
  await choose(page, [before[5], before[6]]);
  await press(page.locator(".tray .new"));
  await comesTo(() => page.locator(".pocket").count(), 1, "a tap stages");
  await press(page.locator(".pocket"));
  // By dragging.
  const card = await page.locator(`[data-key="${before[7]}"]`).boundingBox();
  const tray = await page.locator(".tray .new").boundingBox();
  await page.mouse.move(card.x + 10, card.y + 30);
  await page.mouse.down();
  await page.mouse.move(tray.x + 10, tray.y + 10, { steps: 10 });
  await page.mouse.up();
  await comesTo(() => page.locator(".pocket").count(), 1, "a drag stages");
}
