// Friends at a table of their own: each in a browser profile of their own, in a room whose rules a test chooses.
import { visit } from "./browser.mjs";
import { at, press } from "./player.mjs";

/** Makes a guest of who visits, as the page itself does; gives their token. */
function signUp(page, name) {
  return page.evaluate(async (displayName) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch("/api/guest", { method: "POST", headers, body: JSON.stringify({ displayName }) });
    const { account, refreshSecret, token } = await answer.json();
    const { accountId } = account;
    localStorage.setItem("banakil.account", JSON.stringify({ accountId, displayName, refreshSecret }));
    return token.jwt;
  }, name);
}

/** A room of one's own, with these rules; gives its code. */
function newRoom(page, jwt, options) {
  return page.evaluate(
    async ([token, chosen]) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const body = JSON.stringify({ commandId: crypto.randomUUID(), options: chosen });
      const { room } = await (await fetch("/api/rooms", { method: "POST", headers, body })).json();
      return room.code;
    },
    [jwt, options],
  );
}

const NAMES = ["Saad", "Huda", "Maha", "Fahad"];

/** Pages of friends who sit at one table, the host first, the first guest as the host's partner; bots have the other seats. */
export async function company(browser, address, devices, options) {
  const pages = await Promise.all(devices.map((device) => visit(browser, address, device)));
  const tokens = await Promise.all(pages.map((page, at) => signUp(page, NAMES[at])));
  const code = await newRoom(pages[0], tokens[0], options);
  for (const page of pages) {
    await page.goto(new URL(`/?${code}#/join/${code}`, address).href);
    await page.waitForSelector(".room .around, main.table");
  }
  // Four need no bots: play begins with the last of them.
  if (pages.length < NAMES.length) await press(pages[0].locator(".about .last button >> nth=1"));
  // Whose room it is cuts, where the rules have it.
  await pages[0].waitForSelector(`${at.card}, ${at.cut}`, { timeout: 60_000 });
  if (await pages[0].locator(at.cut).count()) await press(pages[0].locator(at.cut));
  await Promise.all(pages.map((page) => page.waitForSelector(at.card, { timeout: 60_000 })));
  return pages;
}

export const tableOf = (page) => page.evaluate(() => location.hash.slice("#/table/".length));

/** Opens the menu and presses the way there that has this icon's place: the last one is the way out. */
export async function fromMenu(page, which) {
  await press(page.locator("main.table .side button").first());
  await page.waitForSelector(at.dialog);
  await press(page.locator(`${at.dialog} .out button`).nth(which));
}
