// How long a tap takes, from the lift of the finger to the frame that shows the card chosen.
import { loadavg } from "node:os";
import { at } from "./player.mjs";

const CATEGORIES = ["-*", "blink.user_timing", "disabled-by-default-devtools.timeline"];

/** Runs in the page: keeps of each tap the milliseconds until it is on the screen, as the browser itself tells them. */
function watch(card) {
  const watched = globalThis.taps !== undefined;
  globalThis.taps = [];
  if (watched) return;
  let lifted = 0;
  addEventListener(
    "pointerup",
    (event) => {
      lifted = event.target.closest(card) ? event.timeStamp : 0;
      performance.mark("tap-lifted");
    },
    { capture: true },
  );
  const seen = new PerformanceObserver((list) => {
    for (const { name, startTime, processingStart, duration } of list.getEntries()) {
      if (name !== "pointerup" && name !== "click") continue;
      // The event in which the choice was made is the last that began before it.
      const tap = globalThis.taps.find((one) => Math.abs(one.lifted - startTime) < 1 && processingStart <= one.chosen);
      if (tap && processingStart > tap.by) Object.assign(tap, { by: processingStart, screenMs: duration });
    }
  });
  seen.observe({ type: "event", durationThreshold: 16 });
  new MutationObserver((changes) => {
    if (!lifted || !changes.some(({ target }) => target.closest(card))) return;
    // An event of less than 16 ms is not told of, and the others in steps of 8 ms.
    globalThis.taps.push({ lifted, chosen: performance.now(), by: -1, screenMs: 16 });
    lifted = 0;
    requestAnimationFrame(() => performance.mark("tap-shown"));
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["aria-pressed"] });
}

/**
 * Taps the first five cards by turns, with the processor slowed down: of each tap the milliseconds until it is on the screen,
 * and those of processor time that the page spent on the way; and the machine's mean load meanwhile.
 */
export async function tapCards(page, count, slowdown) {
  await page.evaluate(watch, at.card);
  const spots = await page.evaluate(
    (card) =>
      [...document.querySelectorAll(card)]
        .sort((one, other) => one.style.zIndex - other.style.zIndex)
        .slice(0, 5)
        .map((button) => button.getBoundingClientRect())
        // A card's left strip is in sight, and what stands up of it when chosen is not aimed at.
        .map(({ left, top, height }) => ({ x: left + 8, y: top + height * 0.6 })),
    at.card,
  );
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: CATEGORIES });
  const loads = [];
  for (let tap = 0; tap < count; tap++) {
    loads.push(loadavg()[0]);
    // By the protocol itself: what Playwright looks at before and after a tap would be in its way.
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [spots[tap % spots.length]] });
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await page.waitForTimeout(200);
  }
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await session.detach();
  const screenMs = await page.evaluate(() => globalThis.taps.map((tap) => tap.screenMs));
  return { screenMs, cpuMs: pathsIn(traceEvents), load: loads.reduce((sum, load) => sum + load, 0) / count };
}

/** Of each tap the processor time of the page's main thread, from the task of the lift to that of the frame, both whole. */
function pathsIn(events) {
  const marks = events.filter(({ name }) => name === "tap-lifted" || name === "tap-shown").sort(byTime);
  const { pid, tid } = marks[0] ?? {};
  const tasks = events.filter((one) => one.name === "RunTask" && one.pid === pid && one.tid === tid).sort(byTime);
  return marks.flatMap((mark, index) => {
    const next = marks[index + 1];
    if (mark.name !== "tap-lifted" || next?.name !== "tap-shown") return [];
    const path = tasks.filter(({ ts, dur }) => ts + dur > mark.ts && ts < next.ts);
    return [path.reduce((sum, { tdur }) => sum + tdur / 1000, 0)];
  });
}

const byTime = (one, other) => one.ts - other.ts;
