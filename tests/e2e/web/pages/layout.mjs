// UX 6, 8, 10: no page scroll, nothing clipped, strips and glyphs wide enough, controls large and apart.
import assert from "node:assert/strict";
import { visit } from "./browser.mjs";
import { begin, myPlay } from "./player.mjs";
import { rig } from "./rig.mjs";

export default async function layout({ browser, address, device, more: [what] }) {
  // A joker has a star where others have their rank.
  rig({ starter: 3, hands: ["JK 2H TC"] });
  const page = await visit(browser, address, device);
  if (what === "6") await fits(page);
  await begin(page);
  if (what === "6") await fits(page);
  await myPlay(page);
  await page.waitForTimeout(300);
  const told = await page.evaluate(() => {
    const box = (one) => {
      const { x, y, width, height, right, bottom } = one.getBoundingClientRect();
      return { x, y, w: width, h: height, right, bottom };
    };
    const cards = [...document.querySelectorAll(".hand button[data-key]")].map(box);
    const xs = cards.map(({ x }) => x).sort((one, other) => one - other);
    return {
      width: innerWidth,
      height: innerHeight,
      cards: cards.length,
      strips: xs.slice(1).map((x, at) => x - xs[at]),
      glyphs: [...document.querySelectorAll(".hand button[data-key] use:is([href^='#rank']:not(.joker), [href='#star'])")].map((use) => box(use).h),
      buttons: [...document.querySelectorAll("main.table button:not(.hit, .cloth)")].map((one) => ({
        ...box(one),
        name: one.getAttribute("aria-label") ?? one.textContent,
        kind: one.dataset.key ? "card" : "control",
      })),
      discard: box(document.querySelector(".step-label:not(.large) button")),
    };
  });
  if (what === "8") {
    assert.equal(told.cards, 19);
    assert.equal(told.glyphs.length, 19);
    assert.ok(Math.min(...told.strips) >= 24, `strips of ${told.strips}`);
    assert.ok(Math.min(...told.glyphs) >= 14, `glyphs of ${told.glyphs}`);
  }
  const controls = told.buttons.filter(({ kind }) => kind === "control");
  for (const one of controls) {
    if (what === "6") {
      assert.ok(one.x >= 0 && one.y >= 0 && one.right <= told.width && one.bottom <= told.height, JSON.stringify(one));
    }
    if (what === "10") {
      assert.ok(one.w >= 44 && one.h >= 44, JSON.stringify(one));
      const { discard } = told;
      const dx = Math.max(one.x - discard.right, discard.x - one.right);
      const dy = Math.max(one.y - discard.bottom, discard.y - one.bottom);
      if (one.x !== discard.x || one.y !== discard.y) assert.ok(Math.max(dx, dy) >= 16, `${one.name} beside Discard`);
    }
  }
}

async function fits(page) {
  const said = await page.evaluate(() => {
    const root = document.scrollingElement;
    return [root.scrollWidth <= innerWidth, root.scrollHeight <= innerHeight, getComputedStyle(root).overflow];
  });
  assert.deepEqual(said, [true, true, "hidden"]);
}
