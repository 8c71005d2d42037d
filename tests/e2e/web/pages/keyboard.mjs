// UX 40: a whole deal by the keyboard alone, and each turn, draw, meld and discard is said once for who listens.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { DUEL, at, begin, comesTo, meldCards } from "./player.mjs";
import { rig } from "./rig.mjs";

const DEAL = {
  hands: ["5H JK 7H 9S TS JS 4C 5C 6C 7C 6H QD KD 3C 3D QS 9D JC KS", "3S 4D 5D"],
  stock: "TC 8H JD KH 9C",
  bots: { 2: ["discard 4D"], 4: ["discard 3S"], 6: ["discard 5D"] },
};
const SAID = `Your turn. You start, no draw
You laid 5♥ JK 7♥
You laid 9♠ 10♠ J♠
You laid 4♣ 5♣ 6♣ 7♣
You threw 9♦
Bot's turn
Bot drew from the stock
Bot threw 4♦
Your turn. Draw a card
You drew 8♥
You laid off 8♥
You took the joker back with 6♥
You took the turn back
You took the joker back with 6♥
You laid Q♦ K♦ JK
You threw J♣
Bot's turn
Bot drew from the stock
Bot threw 3♠
Your turn. Draw a card
You took 3♠
You laid 3♠ 3♣ 3♦
You threw K♠
Bot's turn
Bot drew from the stock
Bot threw 5♦
Your turn. Draw a card
You drew 9♣
You laid off Q♠
You threw 9♣
You went out`;
const MOST_STOPS = 60;

export default async function keyboard({ browser, address, device }) {
  rig(DEAL);
  const page = await visit(browser, address, device);
  await begin(page, DUEL);
  const bot = (await page.locator(".seat.top").getAttribute("aria-label")).split(",")[0].replace(/[\u2066-\u2069]/g, "");
  await page.evaluate((log) => {
    globalThis.said = [...document.querySelector(log).children].map(({ textContent }) => textContent);
    const read = new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const node of addedNodes) globalThis.said.push(node.textContent);
    });
    read.observe(document.querySelector(log), { childList: true });
  }, "[role=log]");

  await stage(page, "5H.0", "JK.0", "7H.0");
  await stage(page, "9S.0", "TS.0", "JS.0");
  await stage(page, "4C.0", "5C.0", "6C.0", "7C.0");
  await page.keyboard.press("m");
  await comesTo(() => page.locator(at.meld).count(), 3);
  await throwByKeys(page, "9D.0");

  // A card drawn and laid off; a joker taken back, thought better of, taken back again, and laid.
  await drawByKeys(page);
  await chooseByKeys(page, "8H.0");
  await onto(page, 1);
  await comesTo(() => meldCards(page, 1), ["5H", "JK", "7H", "8H"]);
  for (const again of [false, true]) {
    await chooseByKeys(page, "6H.0");
    await onto(page, 1);
    await comesTo(() => meldCards(page, 1), ["5H", "6H", "7H", "8H"]);
    if (again) break;
    await page.keyboard.press("u");
    await comesTo(() => meldCards(page, 1), ["5H", "JK", "7H", "8H"]);
  }
  await stage(page, "QD.0", "KD.0", "JK.0");
  await page.keyboard.press("m");
  await comesTo(() => page.locator(at.meld).count(), 4);
  await throwByKeys(page, "JC.0");

  // The pile's top card, seen in the review and taken there.
  await page.waitForSelector(`${at.stock}[aria-disabled=false]`);
  await page.keyboard.press("p");
  await page.waitForSelector(".review");
  await reach(page, ".bar .take button");
  await page.keyboard.press("Enter");
  await comesTo(() => page.locator(`${at.card}[data-key="3S.0"]`).count(), 1);
  await stage(page, "3S.0", "3C.0", "3D.0");
  await page.keyboard.press("m");
  await comesTo(() => page.locator(at.meld).count(), 5);
  await throwByKeys(page, "KS.0");

  await drawByKeys(page);
  await chooseByKeys(page, "QS.0");
  await onto(page, 2);
  await comesTo(() => meldCards(page, 2), ["9S", "TS", "JS", "QS"]);
  await throwByKeys(page, "9C.0");
  await page.waitForSelector(at.result);

  const said = (await page.evaluate(() => globalThis.said)).join("\n").replace(/[\u2066-\u2069]/g, "");
  assert.equal(said.replaceAll(bot, "Bot").replace(/^The draw .*\nDeal 1\n/, ""), SAID);
}

/** Tab, until the focus is on what is wanted. */
async function reach(page, selector) {
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${selector} cannot be reached`);
}

/** Tab to the hand, arrows along it, Space to choose. */
async function chooseByKeys(page, key) {
  await reach(page, at.card);
  await page.keyboard.press("Home");
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await page.evaluate((wanted) => document.activeElement?.dataset.key === wanted, key)) break;
    await page.keyboard.press("ArrowRight");
  }
  await page.keyboard.press("Space");
  await comesTo(() => page.locator(`${at.chosen}[data-key="${key}"]`).count(), 1, `${key} is chosen`);
}

async function stage(page, ...keys) {
  const before = await page.locator(".pocket").count();
  for (const key of keys) await chooseByKeys(page, key);
  await page.keyboard.press("n");
  await comesTo(() => page.locator(".pocket.legal").count(), before + 1);
}

async function onto(page, id) {
  await reach(page, `[data-meld="${id}"] button.hit`);
  await page.keyboard.press("Enter");
}

async function drawByKeys(page) {
  await page.waitForSelector(`${at.stock}[aria-disabled=false]`);
  await page.keyboard.press("d");
  await page.waitForSelector(`${at.stock}[aria-disabled=true]`);
}

async function throwByKeys(page, key) {
  await chooseByKeys(page, key);
  await page.keyboard.press("x");
  await comesTo(() => page.locator(`${at.card}[data-key="${key}"]`).count(), 0, `${key} is thrown`);
}
