// What a person does with an account and coins.
import { at, press } from "./player.mjs";

export const purse = ".purse";
export const field = (page, n) => page.locator(`${at.dialog} form .field input`).nth(n);
export const goOn = (page) => page.locator(`${at.dialog} .go button`);
/** The lit button of a panel about a stake. */
export const sit = (page) => page.locator(`${at.dialog} .buttons button`).last();

export async function writeAccount(page, username, password) {
  await field(page, 0).fill(username);
  await field(page, 1).fill(password);
}

/** From the account's panel to an account that there is. */
export async function signIn(page, username, password) {
  await press(page.locator(`${at.dialog} [data-value=old]`));
  await writeAccount(page, username, password);
  await press(goOn(page));
}

/** What the chip beside the name says. */
export const coinsOf = async (page) => plain(await page.locator(purse).innerText()).trim();
/** Without what isolates numbers. */
export const plain = (text) => text.replace(/[\u2066-\u2069]/g, "");
