// UX 43: Verify works every deal out again in the browser, without a connection; one changed byte fails for all to see.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { visit } from "./browser.mjs";
import { comesTo, press } from "./player.mjs";

export default async function verify({ browser, address, device, name, pictures, more: [match] }) {
  const record = await (await fetch(new URL(`/api/records/${match}`, address))).json();
  const page = await visit(browser, new URL(`/verify/${match}`, address).href, device);
  const picture = (what) => page.screenshot({ path: join(pictures, `${name}-verify-${what}.png`) });
  await everyDeal(page, record);
  assert.equal(await page.locator("[data-step=signatures].holds").count(), 1, "by the published keys");
  await picture("holds");
  await check(page, "verify");
  await fits(page);

  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.context().setOffline(true);
  await give(page, record);
  await everyDeal(page, record);
  await cardByCard(page, record);
  await picture("cards");
  await check(page, "verify, card by card");

  const [deal] = record.deals;
  await give(page, { ...record, deals: [{ ...deal, fair: { ...deal.fair, transcript: changed(deal.fair.transcript) } }] });
  await fails(page, "transcript");
  await picture("fails");
  await check(page, "verify, failed");
  await give(page, { ...record, deals: [{ ...deal, fair: { ...deal.fair, secret: changed(deal.fair.secret) } }] });
  await fails(page, "commitment");
  const long = record.deals.find(({ actions }) => actions.filter((action) => action.includes("discard")).length > 2);
  const jokers = { ...long, actions: long.actions.map((action) => action.replace(/discard ../, "discard JK")) };
  await give(page, { ...record, deals: [jokers] });
  await fails(page, "draws");

  await give(page, "no record");
  await page.waitForSelector("[role=alert]");
  await picture("trouble");
  await check(page, "verify, a file that is none");
  const title = await page.locator("h1").innerText();
  await press(page.locator(".language"));
  await comesTo(async () => (await page.locator("h1").innerText()) !== title, true, "the other language needs no connection");
  assert.deepEqual(asked, [], "nothing is asked for");
  assert.deepEqual(page.faults, []);
}

/** A file is chosen: a record, or a text. */
async function give(page, what) {
  const text = typeof what === "string" ? what : JSON.stringify(what);
  await page.evaluate(() => document.querySelector(".verdict")?.setAttribute("data-old", ""));
  await page.setInputFiles("input[type=file]", { name: "match.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.waitForSelector(".verdict[data-old]", { state: "detached" });
}

async function everyDeal(page, record) {
  const { length } = record.deals;
  const knots = page.locator(".thread [role=radio]");
  await comesTo(() => knots.count(), length > 1 ? length : 0);
  for (let at = 0; at < length; at++) {
    if (length > 1) await press(knots.nth(at));
    await page.waitForSelector(".verdict.holds");
    assert.equal(await page.locator("[data-step].fails").count(), 0, `deal ${at + 1}`);
    assert.ok((await page.locator("[data-step].holds").count()) >= 8, `deal ${at + 1}`);
    assert.equal(await page.locator(".map g").count(), 106, "the deck's map");
  }
}

async function cardByCard(page, record) {
  await press(page.locator("[data-value=play]"));
  const last = record.deals.at(-1);
  const lines = page.locator(".list ol li");
  await comesTo(async () => (await lines.count()) > last.actions.length, true, "a line for each thing that was done");
  assert.equal(await lines.first().locator(".cards > *").count(), 19, "the starter's hand");
  assert.ok((await lines.allTextContents()).every((line) => line.trim()));
}

async function fails(page, step) {
  await page.waitForSelector(".verdict.fails");
  assert.equal(await page.locator(`[data-step=${step}].fails`).count(), 1, step);
  await page.waitForFunction((name) => {
    const { top, bottom } = document.querySelector(`[data-step=${name}]`).getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }, step);
}

/** Nothing scrolls but lists, nothing is cut off, and what is touched is large enough (UX 6, 10). */
async function fits(page) {
  const told = await page.evaluate(() => ({
    scrolls: document.scrollingElement.scrollHeight > innerHeight || document.scrollingElement.scrollWidth > innerWidth,
    controls: [...document.querySelectorAll("main :is(a, button):not([role=radio])")].map((one) => {
      const { x, y, width, height, right, bottom } = one.getBoundingClientRect();
      return { name: one.textContent, inside: x >= 0 && y >= 0 && right <= innerWidth && bottom <= innerHeight, width, height };
    }),
  }));
  assert.equal(told.scrolls, false);
  for (const one of told.controls) {
    assert.ok(one.inside && one.width >= 44 && one.height >= 44, JSON.stringify(one));
  }
}

/** One digit of it is another one. */
function changed(hex) {
  return (hex[0] === "0" ? "1" : "0") + hex.slice(1);
}
