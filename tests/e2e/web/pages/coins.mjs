// Must-show: a table for coins. The host on a phone in Arabic, the friend at a desk in English; others play their hands.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check } from "./axe.mjs";
import { DESK, PHONE, visit } from "./browser.mjs";
import { at, press } from "./player.mjs";
import { coinsOf, field, goOn, plain, purse, signIn, sit, writeAccount } from "./purse.mjs";

export default async function coins({ browser, address, pictures, more: [hostName, friendName, password] }) {
  const shot = async (page, name) => {
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(pictures, `coins-${name}.png`) });
    await check(page, name);
  };
  const host = await visit(browser, address, PHONE);
  await press(host.locator("[data-value=MODE_DUEL]"));
  await shot(host, "ar-home-guest");
  await newcomer(host, shot);
  await comesBack(host, hostName, password, shot);

  const code = await opensRoom(host, shot);
  const friend = await visit(browser, `${address}#/join/${code}`, DESK);
  await slowFunding(friend);
  await agrees(friend, friendName, password, shot);
  // A table may be funded before the page has seen it.
  const collecting = friend.waitForSelector('.waiting:has-text("Collecting the stakes")', { timeout: 20_000 });
  const seen = collecting.then(() => friend.screenshot({ path: join(pictures, "coins-en-funding.png") })).catch(() => null);
  await press(sit(friend));
  for (const page of [host, friend]) await page.waitForSelector("main.table", { timeout: 30_000 });
  await seen;
  assert.deepEqual([...host.faults, ...friend.faults].filter((fault) => !/40[019]/.test(fault)), []);
}

/** One who has no account takes a name, has a welcome and a bonus, and is told what is wanting for a table. */
async function newcomer(page, shot) {
  await press(page.locator(purse));
  await page.waitForSelector(`${at.dialog} form`);
  await shot(page, "ar-account-new");
  await writeAccount(page, "x", "short");
  await press(goOn(page));
  await page.waitForSelector(`${at.dialog} .note.error`);
  await shot(page, "ar-account-refused");
  await writeAccount(page, `newcomer ${Date.now().toString(36)}`, "a long enough one");
  await press(goOn(page));
  await page.waitForSelector(".wallet .daily button");
  await page.waitForSelector(".lines .line");
  await shot(page, "ar-wallet-new");
  await press(page.locator(".wallet .daily button"));
  await page.waitForFunction(() => document.querySelectorAll(".lines .line").length === 2);
  assert.equal(await page.locator(".wallet .daily button").getAttribute("aria-disabled"), "true", "once a day");
  await shot(page, "ar-wallet-daily");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".purse")?.textContent.includes("1,100"));
  await shot(page, "ar-home-named");
  await press(page.locator("button.offer"));
  await page.waitForSelector(".stakes .hindered");
  await shot(page, "ar-quick-hindered");
  await press(sit(page));
  await page.waitForSelector(".ways button");
  await press(page.locator(".ways button").nth(1));
  await page.waitForSelector(`${at.dialog} form`);
  await shot(page, "ar-password");
  await page.keyboard.press("Escape");
  await press(page.locator(purse));
  await page.waitForSelector(".ways button");
  await press(page.locator(".ways button").last());
  await page.waitForSelector(at.dialog, { state: "detached" });
}

async function comesBack(page, username, password, shot) {
  await press(page.locator(purse));
  await page.waitForSelector(`${at.dialog} form`);
  await signIn(page, username, "not the password");
  await page.waitForSelector(`${at.dialog} .note.error`);
  await shot(page, "ar-signin-wrong");
  await field(page, 1).fill(password);
  await press(goOn(page));
  await page.waitForSelector(".wallet .condition.ready");
  await shot(page, "ar-wallet-ready");
  await page.keyboard.press("Escape");
  await page.waitForSelector(at.dialog, { state: "detached" });
  assert.match(await coinsOf(page), /^1,\d\d\d$/);
  await press(page.locator("button.offer"));
  await page.waitForSelector(".stakes dl");
  await shot(page, "ar-quick");
  await page.keyboard.press("Escape");
}

/** Chooses a stake of its own, sees what it is about, and opens the room; its match is a short one, which no page asks for. */
async function opensRoom(page, shot) {
  await page.route("**/api/rooms", async (route) => {
    const body = route.request().postDataJSON();
    const postData = JSON.stringify({ ...body, options: { ...body.options, target: 50 } });
    await route.continue({ postData });
  });
  await press(page.locator(".friends button").first());
  await page.waitForSelector(".stakes");
  await press(page.locator("[data-value=other]"));
  await page.locator(`${at.dialog} input`).fill("101");
  await page.waitForSelector(".stakes .hindered");
  await shot(page, "ar-room-other");
  await press(page.locator("[data-value='100']"));
  assert.match(plain(await page.locator(".stakes dl").innerText()), /100[^]*200[^]*20[^]*180/);
  await shot(page, "ar-room");
  await press(sit(page));
  await page.waitForSelector(".code .letters");
  await shot(page, "ar-room-waits");
  return (await page.locator(".code .letters").innerText()).trim();
}

/** Comes by the link as a guest: sees the stake, is told why it may not, signs in, and is asked again. */
async function agrees(page, username, password, shot) {
  await page.locator(`${at.dialog} input`).last().fill("Huda");
  await press(page.locator(`${at.dialog} .go button`));
  await page.waitForSelector(".stakes.joins dl");
  assert.match(plain(await page.locator(".stakes dl").innerText()), /100[^]*200[^]*20[^]*180/);
  await shot(page, "en-join-guest");
  await press(sit(page));
  await page.waitForSelector(`${at.dialog} form`);
  await shot(page, "en-account");
  await signIn(page, username, password);
  await page.waitForSelector(".stakes.joins dl");
  await page.waitForFunction(() => /Sit down for/.test(document.querySelector("[role=dialog] .buttons")?.textContent));
  await shot(page, "en-join");
}

/** The stakes are held within a moment: here the page hears a second later of what follows. */
async function slowFunding(page) {
  await page.evaluate(() => {
    const { get, set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
    let until = 0;
    const slow = (listener) => (event) => {
      const wait = until - performance.now();
      if (!until && String(event.data).includes("STAGE_FUNDING")) until = performance.now() + 1_200;
      if (wait > 0) setTimeout(() => listener(event), wait);
      else listener(event);
    };
    Object.defineProperty(WebSocket.prototype, "onmessage", {
      configurable: true,
      get,
      set(listener) {
        set.call(this, listener && slow(listener));
      },
    });
  });
}
