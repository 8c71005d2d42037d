// UX 7, 39: portrait asks to turn and keeps the game; no serious fault by axe on any screen that one comes to in a game.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { visit } from "./browser.mjs";
import {
  DUEL,
  at,
  begin,
  choose,
  comesTo,
  handKeys,
  lay,
  meldCards,
  myDraw,
  openField,
  press,
  stage,
  throwCard,
} from "./player.mjs";
import { rig } from "./rig.mjs";

const MINE = "5H 6H 7H 2S 9S 2D JS TS 4C 5C 6C QD KD AD 8D 9D TD JD KC";

export default async function access({ browser, address, device, name, pictures, more: [what] }) {
  const page = await visit(browser, address, device);
  if (what === "7") return portrait(page, join(pictures, `${name}-portrait.png`));
  rig({ hands: [MINE], stock: "4H 9C" });
  const look = async (where) => {
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(pictures, `${name}-axe-${where}.png`) });
    await check(page, where);
  };
  await look("home");
  await press(page.locator(".tools button").first());
  await page.waitForSelector(at.dialog);
  await look("menu");
  await page.keyboard.press("Escape");
  await begin(page, { preset: "PRESET_BANAKIL202", ...DUEL });
  await turn(page, look);
  await lastTurn(page, look);
  await page.waitForSelector(at.result);
  await look("result");
}

/** Hints, groups that are legal and not, melds, where a card may go, and what is opened over the table. */
async function turn(page, look) {
  await press(page.locator("main.table .side button").nth(2));
  await comesTo(() => page.locator("[data-hints]").count(), 1);
  await look("hints");
  await stage(page, ["5H.0", "6H.0", "7H.0", "2S.0"], ["KC.0", "QD.0", "TD.0"]);
  await look("tray");
  await press(page.locator(".pocket.illegal"));
  await lay(page, ["9S.0", "2D.0", "JS.0"]);
  await choose(page, ["TS.0"]);
  await look("melds");
  await press(page.locator("[data-meld='2'] button.hit"));
  await look("place");
  await press(page.locator("[role=dialog] .way button").first());
  await comesTo(() => meldCards(page, 2), ["2D", "9S", "TS", "JS"]);
  await openField(page, "us");
  await look("field");
  await page.keyboard.press("Escape");
  await press(page.locator("main.table .side button").nth(1));
  await page.waitForSelector(at.dialog);
  await look("log");
  await page.keyboard.press("Escape");
  await throwCard(page, "KC.0");
}

async function lastTurn(page, look) {
  await myDraw(page);
  await press(page.locator(at.pile));
  await page.waitForSelector(at.dialog);
  await press(page.locator(".review .card-at").first());
  await look("pile");
  await page.keyboard.press("Escape");
  await press(page.locator(at.stock));
  await lay(page, ["4C.0", "5C.0", "6C.0"], ["QD.0", "KD.0", "AD.0"], ["8D.0", "9D.0", "TD.0", "JD.0"]);
  await throwCard(page, "9C.0");
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
