// A Chromium that has nothing of anybody's: a profile of its own, no talk with the outside.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../../services/gateway/web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

export const PHONE = { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2, hasTouch: true, locale: "ar" };
export const DESK = { viewport: { width: 1280, height: 720 }, locale: "en-US" };

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const options = () => ({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** A browser that scenarios of other processes open their pages in. */
export const serveBrowser = () => chromium.launchServer(options());

/** The browser that BROWSER is the address of, or one for as long as `use` takes. */
export async function withBrowser(use) {
  const { BROWSER } = process.env;
  const browser = await (BROWSER ? chromium.connect(BROWSER) : chromium.launch(options()));
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** A page of a visitor of their own. Whatever goes wrong in it is kept in `faults`. */
export async function visit(browser, address, device) {
  const context = await browser.newContext(device);
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  await page.goto(address);
  await page.waitForSelector(".stage > *");
  await page.evaluate(() => document.fonts.ready);
  return page;
}
