// Who visits, and at what.
export { withBrowser } from "../../../../services/gateway/web/scripts/browser.mjs";

export const PHONE = { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2, hasTouch: true, locale: "ar" };
export const DESK = { viewport: { width: 1280, height: 720 }, locale: "en-US" };

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
