// A Chromium that has nothing of anybody's: a profile of its own, no talk with the outside.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(new URL("../../../../services/gateway/web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

export const PHONE = { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2, hasTouch: true, locale: "ar" };
export const DESK = { viewport: { width: 1280, height: 720 }, locale: "en-US" };

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Opens a browser for as long as `use` takes. */
export async function withBrowser(use) {
  const profile = mkdtempSync(join(tmpdir(), "banakil-browser-"));
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS });
  try {
    return await use(context.browser());
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
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
