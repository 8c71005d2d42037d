// UX 35: a person finishes a deal of a preset through the page alone, and the result says all that it should.
import assert from "node:assert/strict";
import { join } from "node:path";
import { visit } from "./browser.mjs";
import { at, begin, finishDeal, frames } from "./player.mjs";
import { rig } from "./rig.mjs";

/** As the sheet shows them, from left to right: theirs, ours. */
const SEATS = [1, 3, 0, 2];

export default async function deal({ browser, address, pictures, device, name, seed, more: [preset] }) {
  rig({ greedy: true, seed });
  const page = await visit(browser, address, device);
  const frame = frames(page);
  const path = (what) => join(pictures, `${name}-${preset.slice(7).toLowerCase()}-${what}.png`);
  // Cards lie where they are going: the README's pictures are taken from here.
  const shoot = (what) => page.screenshot({ path: path(what), animations: "disabled" });
  await shoot("home");
  await begin(page, { preset });
  const seen = new Map();
  await finishDeal(page, async (what) => {
    const times = (seen.get(what) ?? 0) + 1;
    seen.set(what, times);
    if (["staged", "laid", "drew"].includes(what) && times === 2) await shoot(what);
    if (what === "threw" && times % 5 === 0) await shoot(`turn-${times}`);
  });
  // A deal may be over before a second turn: who starts draws nothing in the first.
  assert.ok(seen.get("threw") >= 1, `it was played: ${[...seen]}`);
  await page.waitForTimeout(300);
  await shoot("result");
  const ended = frame.got.flatMap(({ delta }) => delta?.events ?? []).findLast(({ dealEnded }) => dealEnded);
  await tells(page, ended.dealEnded.result);
  // The next deal begins by itself.
  await page.waitForSelector(at.result, { state: "detached", timeout: 30_000 });
  await page.waitForSelector(at.card, { timeout: 30_000 });
  assert.deepEqual(page.faults, []);
}

/** Each hand left and its value, what each player laid, each one's result where there is one, the teams' deals and totals. */
async function tells(page, { hands, laidHalfPoints, handHalfPoints, seatHalfPoints = [], teamHalfPoints, totalHalfPoints }) {
  const sheet = page.locator(at.result);
  const numbers = async (part) => (await part.innerText()).replaceAll("−", "-").match(/-?\d+(\.\d+)?/g).map(Number);
  for (const [line, seat] of SEATS.entries()) {
    const player = sheet.locator(".player").nth(line);
    assert.equal(await player.locator(".hand .card-at").count(), hands[seat].cards?.length ?? 0);
    const said = await numbers(player.locator(".line"));
    const wanted = [laidHalfPoints[seat], handHalfPoints[seat], ...(seatHalfPoints.length ? [seatHalfPoints[seat]] : [])];
    assert.deepEqual([said[0], Math.abs(said[1]), ...(seatHalfPoints.length ? [said.at(-1)] : [])], wanted.map((half) => half / 2));
  }
  for (const [column, team] of [1, 0].entries()) {
    const said = await numbers(sheet.locator(".foot").nth(column));
    assert.deepEqual(said.slice(0, 3), [teamHalfPoints[team], 0, totalHalfPoints[team]].map((half) => half / 2));
  }
}
