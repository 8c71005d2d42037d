// UX 36: the socket is cut at 50 random moments of a deal, and what the page holds is what a fresh snapshot says.
import assert from "node:assert/strict";
import { at, begin, step } from "./player.mjs";
import { rig } from "./rig.mjs";

const CUTTABLE = () => {
  const Real = WebSocket;
  globalThis.sockets = [];
  globalThis.WebSocket = class extends Real {
    constructor(...given) {
      super(...given);
      globalThis.sockets.push(this);
    }
  };
  // What was held at each revision that could be seen.
  globalThis.held = {};
  setInterval(async () => {
    const [revision, hash] = (await globalThis.banakilViewHash?.())?.split("/") ?? [];
    if (hash) globalThis.held[revision] = hash;
  }, 5);
};
const CUTS = 50;

export default async function cut({ browser, address, device, seed }) {
  // The others lay nothing, so that the deal goes on.
  rig({ seed });
  const context = await browser.newContext(device);
  const page = await context.newPage();
  await page.addInitScript(CUTTABLE);
  await page.goto(address);
  await page.waitForSelector(".offer button");
  await begin(page);
  let state = seed >>> 0;
  const random = () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32;
  let cuts = 0;
  let equal = 0;
  const end = Date.now() + 300_000;
  while (cuts < CUTS && Date.now() < end) {
    await page.waitForTimeout(random() * 250);
    await page.evaluate(() => globalThis.sockets.at(-1)?.close());
    cuts++;
    if (await page.locator(at.result).count()) await page.waitForSelector(at.card, { timeout: 60_000 });
    for (let move = 0; move < 2; move++) await step(page).catch(() => undefined);
    if (cuts % 10 === 0) equal += await compare(page, context, address);
  }
  assert.equal(cuts, CUTS);
  assert.ok(equal >= 2, `only ${equal} moments were still enough to be compared`);
}

/** A new page of the same player gets a snapshot: at its revision the page that was cut held the same. */
async function compare(page, context, address) {
  const id = await page.evaluate(() => location.hash.slice("#/table/".length));
  const other = await context.newPage();
  await other.goto(`${address}#/table/${id}`);
  await other.waitForSelector("main.table");
  const [revision, hash] = (await other.evaluate(() => globalThis.banakilViewHash())).split("/");
  await other.close();
  // A page that was still coming back when the other one came has taken the table over again by itself.
  await page.locator(".banner button").click({ timeout: 3_000 }).catch(() => undefined);
  await page.waitForFunction((wanted) => Math.max(...Object.keys(globalThis.held).map(Number)) >= wanted, Number(revision));
  const held = await page.evaluate((at) => globalThis.held[at], revision);
  if (held === undefined) return 0;
  assert.equal(held, hash, `at revision ${revision}`);
  return 1;
}
