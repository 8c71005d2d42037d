// A second browser joins by link as partner; a newer tab takes over; closing the tab leaves a way back.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { at, press } from "./player.mjs";

export default async function friends({ browser, address, device, name, pictures }) {
  const host = await visit(browser, address, device);
  await press(host.locator(".friends button").first());
  await host.waitForSelector(".code .letters");
  const link = `${address}#/join/${(await host.locator(".code .letters").innerText()).trim()}`;
  const guest = await visit(browser, link, device);
  const field = guest.locator("[role=dialog] input").last();
  await field.fill("Huda");
  await guest.waitForTimeout(200);
  await guest.screenshot({ path: join(pictures, `${name}-join.png`) });
  await press(guest.locator("[role=dialog] .go button"));
  await guest.waitForSelector(".room .around");
  await host.waitForFunction(() => document.body.textContent.includes("Huda"));
  assert.equal(await host.locator(".around .seat .tag").count(), 2);
  await host.screenshot({ path: join(pictures, `${name}-room.png`) });
  await press(host.locator(".about .level"));
  await host.waitForSelector(at.dialog);
  await host.waitForTimeout(400);
  await host.screenshot({ path: join(pictures, `${name}-levels.png`) });
  await press(host.locator(`${at.dialog} .way button`).nth(4));
  await press(host.locator(".about .last button >> nth=1"));
  for (const page of [host, guest]) await page.waitForSelector(at.card, { timeout: 60_000 });
  const partner = await host.locator(".seat.top").getAttribute("aria-label");
  assert.match(partner, /Huda/, "the friend is the partner");
  const levels = await host.locator(".seat .state.level b").allInnerTexts();
  assert.match(levels.join(" "), /^[5٥] [5٥]$/, "the bots play at the level that the host has chosen");
  await host.screenshot({ path: join(pictures, `${name}-level-seen.png`) });
  await tabs(guest, address);
  assert.deepEqual([...host.faults, ...guest.faults], []);
}

async function tabs(page, address) {
  const newer = await page.context().newPage();
  await newer.goto(page.url());
  await newer.waitForSelector(at.card);
  await page.waitForSelector(".banner button");
  await page.close();
  await newer.close();
  // Later, from the first page: the game goes on.
  const later = await newer.context().newPage();
  await later.goto(address);
  await press(later.locator(".offer .button button").nth(1));
  await later.waitForSelector(at.card, { timeout: 30_000 });
}
