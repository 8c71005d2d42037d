// UX 32: the host cuts, by touch or by keys, in time; the own number goes into the shuffle though the socket is cut meanwhile,
// the mark at the table says so, and the browser keeps what it saw.
import assert from "node:assert/strict";
import { join } from "node:path";
import { at, comesTo, frames, press } from "./player.mjs";
import { rig } from "./rig.mjs";

/** The first time that contributions are asked for, the socket is cut before the page hears of it. */
const CUT_ONCE = () => {
  const Real = WebSocket;
  let cuts = 0;
  globalThis.WebSocket = class extends Real {
    set onmessage(hear) {
      super.onmessage = (message) => {
        if (cuts === 0 && String(message.data).includes("FAIR_STEP_OPENING")) {
          cuts++;
          this.close();
        } else hear(message);
      };
    }
  };
};

export default async function fair({ browser, address, device, name, pictures }) {
  rig({ honest: true, botsPace: 1 });
  const context = await browser.newContext(device);
  const page = await context.newPage();
  await page.addInitScript(CUT_ONCE);
  const seen = frames(page);
  await page.goto(address);
  await press(page.locator("[data-value=PRESET_BANAKIL202]"));
  await press(page.locator(".offer .button button").first());
  await page.waitForSelector(".cut");
  await page.waitForTimeout(250);
  await page.screenshot({ path: join(pictures, `${name}-cut.png`) });
  const cut = await choose(page, device);
  await press(page.locator(".cut .go button"));
  await page.waitForSelector(at.card, { timeout: 30_000 });
  await page.waitForSelector(".toast");
  assert.match(await page.locator(".toast").innerText(), new RegExp(`${cut}`), "the cut is told");
  await page.screenshot({ path: join(pictures, `${name}-cut-told.png`) });
  await page.waitForSelector("button.fair.in");
  await press(page.locator("button.fair"));
  await page.waitForSelector(at.dialog);
  await page.waitForTimeout(250);
  await page.screenshot({ path: join(pictures, `${name}-fair.png`) });
  const sent = seen.sent.filter(({ t }) => t === "contribute");
  const one = (field) => [...new Set(sent.flatMap((frame) => frame[field] ?? []))];
  assert.deepEqual([one("cut"), one("hHex").length, one("cHex").length], [[cut], 1, 1]);
  const { matchId, dealNo } = sent[0];
  const kept = () => page.evaluate((key) => JSON.parse(localStorage.getItem(key)), `banakil.witness.${matchId}.${dealNo}`);
  await comesTo(async () => (await kept()).witness.hand?.length >= 18, true, "the hand is kept");
  const { witness } = await kept();
  assert.deepEqual(Object.keys(witness).sort(), ["c", "closed", "hand", "receipts", "seat", "transcript"]);
  assert.equal(witness.c, one("cHex")[0]);
  assert.deepEqual(Object.keys(witness.receipts).sort(), ["c", "h"]);
}

/** Moves the knife and says where it lies. */
async function choose(page, { hasTouch }) {
  const deck = page.locator(".cut input");
  assert.deepEqual([await deck.getAttribute("min"), await deck.getAttribute("max")], ["1", "105"]);
  if (hasTouch) {
    const { x, y, width, height } = await deck.boundingBox();
    await page.touchscreen.tap(x + width / 4, y + height / 2);
    await press(page.locator(".cut .small button").last());
  } else {
    const { x, y, width, height } = await deck.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.8, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
  }
  const chosen = Number(await deck.inputValue());
  assert.ok(hasTouch ? chosen > 15 && chosen < 45 : chosen > 70 && chosen < 100, `${chosen}`);
  assert.match(await page.locator(".cut .go").innerText(), new RegExp(`${chosen}`));
  return chosen;
}
