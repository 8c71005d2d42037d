// Four people who play as a script has it: who lays what hints find, who lays a card off, and what each of them throws.
import { join } from "node:path";
import { DESK, PHONE } from "./browser.mjs";
import { at, comesTo, plain, press, sides } from "./player.mjs";

/** Both sizes in both languages. The second of them is the host's partner. */
export const DEVICES = [PHONE, DESK, { ...DESK, locale: "ar" }, { ...PHONE, locale: "en-US" }];
const NAMES = ["phone-ar", "desk-en", "desk-ar", "phone-en"];
/** Milliseconds: on a busy machine everything takes its time. */
const PATIENCE = 60_000;
/** Cards of who starts; nobody else holds so many at the end of a turn. */
const STARTERS = 19;

const RANKS = [..."3456789TJQKA"];
const ranks = (suit, from, to) => RANKS.slice(RANKS.indexOf(from), RANKS.indexOf(to) + 1).map((rank) => rank + suit);
/** All cards of a suit from this rank up to the ace: a run. */
export const high = (suit, from = "6") => ranks(suit, from, "A").join(" ");
/** Six cards of a suit, three points: a run too. */
export const low = (suit) => ranks(suit, "3", "8").join(" ");

export const everybody = (pages, action) => Promise.all(pages.map(action));
export const eventually = (read, wanted, what) => comesTo(read, wanted, what, PATIENCE);

/** Pictures of a moment that all see, in both sizes and languages, where any are wanted. */
export async function picture(pages, pictures, name) {
  if (!process.env.PICTURES) return;
  await everybody(pages, (page, number) => page.screenshot({ path: join(pictures, `${name}-${NAMES[number]}.png`) }));
}

/** Waits until all see these points, and so many matches won, of the host's team and of the other one: "53, 1". */
export function comesToScore(pages, wanted, what) {
  return everybody(pages, (page, number) => {
    const sides = number < 2 ? ["us", "them"] : ["them", "us"];
    return eventually(() => Promise.all(sides.map((side) => scoreOf(page, side))), wanted, what);
  });
}

async function scoreOf(page, side) {
  const score = page.locator(`.score.${side}`);
  const points = plain(await score.locator(".points").innerText()).replace("\u2212", "-");
  const wins = await score.locator(".wins").count();
  return wins ? `${points}, ${await score.locator(".wins path[fill=currentColor]").count()}` : points;
}

/**
 * Plays a deal, turn by turn: the page, whether it `lays` what hints find, puts the card `off` onto the meld that begins with
 * `onto`, and what it `throws`.
 */
export async function playDeal(turns) {
  for (const [number, { page, lays, off, onto, throws }] of turns.entries()) {
    if (number) await draw(page);
    else await eventually(() => count(page, at.card), STARTERS, "the next deal is dealt");
    if (lays) await layReady(page);
    if (off) await layOff(page, off, onto);
    if (throws) await discard(page, throws);
  }
}

/** Acts until it has been of use: what is pressed may move meanwhile, or not be there yet. */
async function until(use, act) {
  for (const ends = Date.now() + PATIENCE; !(await use()); ) {
    await act().catch((error) => {
      if (!/Timeout|detached|intercepts/.test(String(error)) || Date.now() > ends) throw error;
    });
    for (let look = 0; look < 25 && !(await use()); look++) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const count = (page, selector) => page.locator(selector).count();
const held = (card) => `${at.card}[data-key="${card}.0"]`;

async function draw(page) {
  await page.waitForSelector(`${at.stock}[aria-disabled=false]`, { timeout: PATIENCE });
  const before = await count(page, at.card);
  await until(
    async () => (await count(page, at.card)) > before,
    () => press(page.locator(at.stock)),
  );
}

async function layReady(page) {
  const hint = page.locator("main.table [aria-pressed]:not([data-key])").first();
  if ((await hint.getAttribute("aria-pressed")) !== "true") await press(hint);
  await until(
    async () => (await count(page, ".pocket.legal")) > 0,
    () => press(page.locator(at.stageHints)),
  );
  const { meld } = await sides(page);
  await until(
    async () => (await count(page, ".pocket")) === 0,
    () => press(meld),
  );
}

async function choose(page, key) {
  await until(
    async () => (await count(page, `${held(key)}[aria-pressed=true]`)) > 0,
    () => press(page.locator(held(key))),
  );
}

async function layOff(page, key, first) {
  await choose(page, key);
  await until(
    async () => (await count(page, held(key))) === 0,
    () => press(page.locator(`[data-meld][data-cards^="${first}"] button.hit`)),
  );
}

async function discard(page, key) {
  await choose(page, key);
  const { discard: button } = await sides(page);
  await until(
    async () => (await count(page, held(key))) === 0,
    () => press(button),
  );
}
