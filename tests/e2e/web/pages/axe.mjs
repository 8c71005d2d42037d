// No serious fault by axe (UX 39).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const AXE = readFileSync(new URL("../../../../services/gateway/web/node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

export async function check(page, where) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const bad = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const said = bad.map(({ id, nodes }) => `${where}: ${id}\n  ${nodes.slice(0, 4).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).join("\n  ")}`);
  assert.deepEqual(said, []);
}
