// One of two friends never gives the number that was promised: the shuffle is void and begins anew without it, both are told so,
// and both play.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DESK, PHONE, visit } from "./browser.mjs";
import { at, press } from "./player.mjs";
import { rig } from "./rig.mjs";

/** What this page gives is lost on its way. */
const GIVES_NOTHING = () => {
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    if (!String(text).includes('"cHex"')) send.call(this, text);
  };
};

export default async function voided({ browser, address, pictures }) {
  rig({ honest: true, botsPace: 1 });
  const host = await visit(browser, address, DESK);
  await press(host.locator(".friends button").first());
  await host.waitForSelector(".code .letters");
  const link = `${address}#/join/${(await host.locator(".code .letters").innerText()).trim()}`;
  const context = await browser.newContext(PHONE);
  await context.addInitScript(GIVES_NOTHING);
  const guest = await context.newPage();
  await guest.goto(link);
  await guest.locator("[role=dialog] input").last().fill("Huda");
  await press(guest.locator("[role=dialog] .go button"));
  await guest.waitForSelector(".room .around");
  await host.waitForFunction(() => document.body.textContent.includes("Huda"));
  await press(host.locator(".about .last button >> nth=1"));
  await Promise.all([
    told(host, "Huda", join(pictures, "void-told-en.png")),
    told(guest, "خارج خلط", join(pictures, "void-told-ar.png")),
  ]);
  for (const page of [host, guest]) await page.waitForSelector(at.card, { timeout: 60_000 });
  await host.waitForSelector("button.fair.in");
  assert.equal(await guest.locator("button.fair.in").count(), 0);
  await press(guest.locator("button.fair"));
  await guest.waitForSelector(at.dialog);
  assert.match(await guest.locator(at.dialog).innerText(), /خارج خلط/);
  await guest.waitForTimeout(250);
  await guest.screenshot({ path: join(pictures, "void-shut-ar.png") });
  assert.deepEqual(host.faults, []);
}

async function told(page, words, picture) {
  await page.waitForFunction((part) => document.querySelector(".toast")?.textContent.includes(part), words, {
    timeout: 30_000,
    polling: 50,
  });
  await page.screenshot({ path: picture });
}
