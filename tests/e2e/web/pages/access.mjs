// UX 7, 39: portrait asks to turn and keeps the game; no serious fault by axe on home, table, pile, menu and result.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { at, begin, finishDeal, handKeys, press } from "./player.mjs";
import { rig } from "./rig.mjs";

const AXE = readFileSync(new URL("../../../../services/gateway/web/node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

export default async function access({ browser, address, device, name, pictures, more: [what] }) {
  const page = await visit(browser, address, device);
  if (what === "7") return portrait(page, join(pictures, `${name}-portrait.png`));
  await check(page, "home");
  await press(page.locator(".tools button").first());
  await page.waitForSelector(at.dialog);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-menu.png`) });
  await check(page, "menu");
  await page.keyboard.press("Escape");
  await begin(page);
  await check(page, "table");
  await press(page.locator("main.table .side button").nth(1));
  await page.waitForSelector("[role=dialog]");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}-log.png`) });
  await check(page, "log");
  await page.keyboard.press("Escape");
  await finishDeal(page);
  await page.waitForTimeout(300);
  if (await page.locator(at.result).count()) await check(page, "result");
}

async function check(page, where) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const bad = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const said = bad.map(({ id, nodes }) => `${where}: ${id}\n  ${nodes.slice(0, 4).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).join("\n  ")}`);
  assert.deepEqual(said, []);
}

async function portrait(page, picture) {
  rig({});
  await begin(page);
  const before = await handKeys(page);
  await page.setViewportSize({ width: 360, height: 640 });
  await page.waitForTimeout(200);
  assert.ok(await page.locator(".rotate").isVisible());
  await page.screenshot({ path: picture });
  await page.setViewportSize({ width: 640, height: 360 });
  await page.waitForTimeout(200);
  assert.ok(!(await page.locator(".rotate").isVisible()));
  assert.deepEqual(await handKeys(page), before);
}
