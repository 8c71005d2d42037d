import assert from "node:assert/strict";
// A person at the table, who sees the page and touches it, and nothing else.

const PRESS_MS = 5_000;

/** Presses as the device does: a tap on a touch screen, a click elsewhere. */
export async function press(locator) {
  const touch = await locator.page().evaluate(() => navigator.maxTouchPoints > 0);
  if (touch) await locator.tap({ timeout: PRESS_MS });
  else await locator.click({ timeout: PRESS_MS });
}

const at = {
  stock: ".medallion .stock",
  pile: ".medallion .pile",
  result: ".result",
  waiting: ".waiting",
  stageHints: "[data-hints] button",
  slot: ".meld .slot",
  meld: "[data-meld]",
  card: ".hand button[data-key]",
  chosen: ".hand button[data-key][aria-pressed=true]",
  dialog: "[role=dialog]",
  cut: ".cut .go button",
  /** The second of a question's two buttons. */
  yes: "[role=dialog] .buttons button:nth-of-type(2)",
};
export { at };

export const buttonNamed = (page, icon) => page.locator(`main.table [aria-label="${icon}"]`);

/** The two large buttons, by where they stand: Discard is always left, Meld All always right. */
export async function sides(page) {
  return { discard: page.locator(".step-label:not(.large) button"), meld: page.locator(".step-label.large button") };
}

const enabled = async (locator) => (await locator.getAttribute("aria-disabled", { timeout: PRESS_MS })) !== "true";

/** A duel against a house bot is over sooner. */
export const DUEL = { mode: "MODE_DUEL" };

/** Begins a game against house bots with these rules, from the home page. */
export async function begin(page, { preset = "PRESET_SAHRAT", mode = "MODE_PARTNERS" } = {}) {
  await press(page.locator(`[data-value=${preset}]`));
  await press(page.locator(`[data-value=${mode}]`));
  await press(page.locator(".offer .button button").first());
  await page.waitForSelector(`${at.card}, ${at.cut}`, { timeout: 30_000 });
  // Whoever asked for the game is its host, and cuts where the rules have it.
  if (await page.locator(at.cut).count()) await press(page.locator(at.cut));
  await page.waitForSelector(at.card, { timeout: 30_000 });
}

/** One thing that a person would do now; says what it was, or nothing. */
export async function step(page, { take = false } = {}) {
  if (await page.locator(at.result).count()) return "result";
  if (await page.locator(at.dialog).count()) {
    await press(page.locator(at.yes));
    return "sure";
  }
  const stock = page.locator(at.stock);
  if ((await stock.count()) && (await enabled(stock))) {
    if (take && (await takeFromPile(page, take))) return "took";
    await press(stock);
    return "drew";
  }
  const { discard, meld } = await sides(page);
  const hint = page.locator("main.table [aria-pressed]:not([data-key])").first();
  if ((await hint.getAttribute("aria-pressed")) !== "true") await press(hint);
  if (await page.locator(at.stageHints).count()) {
    await press(page.locator(at.stageHints).first());
    return "staged";
  }
  if (await enabled(meld)) {
    await press(meld);
    return "laid";
  }
  if (await page.locator(at.slot).count()) {
    await press(page.locator(at.slot).first());
    return "laid off";
  }
  if (await enabled(discard)) {
    await press(discard);
    return "threw";
  }
  if ((await page.locator(at.chosen).count()) === 0) await press(page.locator(at.card).first());
  return "";
}

async function takeFromPile(page, count) {
  await press(page.locator(at.pile));
  const cards = page.locator(".review .card-at");
  const most = await cards.count();
  if (most < count) {
    await page.keyboard.press("Escape");
    return false;
  }
  await press(cards.nth(most - count));
  await press(page.locator(".bar .take button"));
  return true;
}

/** Plays until the deal's result is shown. `seen` is told each thing done. */
export async function finishDeal(page, seen = async () => undefined, patienceMs = 240_000) {
  const end = Date.now() + patienceMs;
  while (Date.now() < end) {
    try {
      const done = await step(page);
      if (done) await seen(done);
      if (done === "result") return;
    } catch (error) {
      // The table moved on between a look and a touch: look again.
      if (!/Timeout|detached|intercepts/.test(String(error))) throw error;
    }
    await page.waitForTimeout(60);
  }
  throw new Error("the deal did not end");
}

/** Waits until it is one's own turn to draw. */
export async function myDraw(page) {
  await page.waitForSelector(`${at.stock}[aria-disabled=false]`, { timeout: 90_000 });
}

/** Waits for one's own turn and draws: from then on one may lay. */
export async function myPlay(page) {
  await myDraw(page);
  const before = await page.locator(at.card).count();
  await press(page.locator(at.stock));
  await page.waitForFunction(
    ([card, count]) => document.querySelectorAll(card).length > count,
    [at.card, before],
  );
}

/** The cards in hand, from left to right: their keys. */
export function handKeys(page) {
  return page.evaluate((card) => {
    const all = [...document.querySelectorAll(card)];
    const z = (one) => Number(getComputedStyle(one).zIndex);
    return all.sort((one, other) => z(one) - z(other)).map((one) => one.dataset.key);
  }, at.card);
}

/** Every frame that the page sends and gets from now on, read. Call before the page opens its socket. */
export function frames(page) {
  const seen = { sent: [], got: [] };
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => seen.sent.push(JSON.parse(String(payload))));
    socket.on("framereceived", ({ payload }) => seen.got.push(JSON.parse(String(payload))));
  });
  return seen;
}

export const acts = (seen) => seen.sent.filter(({ t }) => t === "act");

/** Chooses exactly these cards. */
export async function choose(page, keys) {
  for (const key of keys) await press(page.locator(`.hand button[data-key="${key}"]`));
}

/** Puts each of these groups in the tray. */
export async function stage(page, ...groups) {
  for (const keys of groups) {
    const before = await page.locator(".pocket").count();
    await choose(page, keys);
    await press(page.locator(".tray .new"));
    await comesTo(() => page.locator(".pocket").count(), before + 1, `${keys} are staged`);
  }
}

/** Stages each of these groups and lays all that is staged, which is legal. */
export async function lay(page, ...groups) {
  await stage(page, ...groups);
  await comesTo(() => page.locator(".pocket:not(.legal)").count(), 0, "all are legal");
  await press((await sides(page)).meld);
  await comesTo(() => page.locator(".pocket").count(), 0, "all are laid");
}

/** Undo, while a duty is unmet: it stands where Meld all does else. */
export const undo = (page) => page.locator(".step-label.large button.panel");

/** A meld's cards, in their order. */
export async function meldCards(page, id) {
  return (await page.locator(`main.table > * > .field [data-meld="${id}"]`).getAttribute("data-cards")).split(" ");
}

/** Opens a side's melds enlarged, by the bare cloth beside them. */
export async function openField(page, side) {
  const cloth = page.locator(".field .cloth").nth(side === "us" ? -1 : 0);
  await cloth.click({ position: { x: 6, y: 6 }, timeout: PRESS_MS });
  await page.waitForSelector(at.dialog);
}

/** Ids of the melds that a touch would do something to: in the field that is open, or else on the rug. */
export function targets(page) {
  return page.evaluate(() => {
    const within = document.querySelector("[role=dialog]") ?? document;
    return [...within.querySelectorAll("[data-meld]:has(button.hit)")].map(({ dataset }) => dataset.meld);
  });
}

/** Throws this card: it is chosen, and then thrown. */
export async function throwCard(page, key) {
  await choose(page, [key]);
  await press((await sides(page)).discard);
  await comesTo(() => page.locator(`${at.card}[data-key="${key}"]`).count(), 0, `${key} is thrown`);
}

/** Text without the marks that keep names and numbers in their order. */
export const plain = (text) => text.replace(/[\u2066-\u2069]/g, "");

/** Waits until what is read equals what is wanted: a busy machine takes its time. */
export async function comesTo(read, wanted, what = "", patienceMs = 5_000) {
  const ends = Date.now() + patienceMs;
  for (;;) {
    const now = await read();
    if (JSON.stringify(now) === JSON.stringify(wanted)) return;
    if (Date.now() > ends) assert.deepEqual(now, wanted, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
