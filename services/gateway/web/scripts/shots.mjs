// Takes pictures of the gallery's scenes: `node scripts/shots.mjs <folder> [scene...]`. Phone pictures at 640×360 @2x, desk ones
// at 1280×720.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "vite";
import { withBrowser } from "./browser.mjs";

const PHONE = { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2, hasTouch: true };
const DESK = { viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1 };
const SMALL = { viewport: { width: 568, height: 320 }, deviceScaleFactor: 2, hasTouch: true };
const UPRIGHT = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, hasTouch: true };

const SCENES = {
    "01-table-ar-640": ["table/ar", PHONE],
    "02-table-last5-ar-640": ["last5/ar", PHONE],
    "03-table-32cards-ar-640": ["table32/ar", PHONE],
    "04-table-ar-1280": ["table/ar", DESK],
    "05-table-en-1280": ["table/en", DESK],
    "06-table-12melds-ar-640": ["melds12/ar", PHONE],
    "07-pile-ar-640": ["pile/ar", PHONE],
    "08-pile-ar-1280": ["pile/ar", DESK],
    "09-result-ar-640": ["result/ar", PHONE],
    "10-result-ar-1280": ["result/ar", DESK],
    "11-home-ar-640": ["home/ar", PHONE],
    "12-home-ar-1280": ["home/ar", DESK],
    "14-cards-1280": ["cards/en", DESK],
    "15-card-states-1280": ["states/en", DESK],
    "16-cut-ar-640": ["cut/ar", PHONE],
    "20-table-ar-568": ["table/ar", SMALL],
    "21-table32-en-1280": ["table32/en", DESK],
    "22-table32-ar-568": ["table32/ar", SMALL],
    "23-home-now-ar-640": ["home-now/ar", PHONE],
    "24-home-resume-en-640": ["home-resume/en", PHONE],
    "25-home-resume-en-1280": ["home-resume/en", DESK],
    "26-table-en-640": ["table/en", PHONE],
    "27-table-en-568": ["table/en", SMALL],
    "28-last5-en-1280": ["last5/en", DESK],
    "30-field-ar-640": ["over-field/ar", PHONE],
    "31-log-ar-640": ["over-log/ar", PHONE],
    "32-menu-ar-640": ["over-menu/ar", PHONE],
    "33-menu-en-1280": ["over-menu/en", DESK],
    "34-confirm-ar-640": ["over-confirm/ar", PHONE],
    "35-sort-ar-640": ["over-sort/ar", PHONE],
    "36-pick-ar-640": ["over-pick/ar", PHONE],
    "37-join-ar-640": ["over-join/ar", PHONE],
    "38-net-ar-640": ["over-net/ar", PHONE],
    "39-rotate-ar": ["over-rotate/ar", UPRIGHT],
    "40-match-ar-640": ["over-match/ar", PHONE],
    "41-match-en-1280": ["over-match/en", DESK],
    "42-room-ar-640": ["over-room/ar", PHONE],
    "43-room-en-1280": ["over-room/en", DESK],
    "44-wait-ar-640": ["over-wait/ar", PHONE],
    "45-badges-ar-640": ["over-badges/ar", PHONE],
    "46-badges-en-1280": ["over-badges/en", DESK],
    "47-pile-en-640": ["pile/en", PHONE],
    "48-pile-en-1280": ["pile/en", DESK],
    "49-result-en-640": ["result/en", PHONE],
    "50-result-en-1280": ["result/en", DESK],
    "51-cut-en-640": ["cut/en", PHONE],
    "52-cut-ar-1280": ["cut/ar", DESK],
    "53-field-en-1280": ["over-field/en", DESK],
    "54-log-en-1280": ["over-log/en", DESK],
    "55-net-en-1280": ["over-net/en", DESK],
    "56-room-en-640": ["over-room/en", PHONE],
    "57-badges-en-640": ["over-badges/en", PHONE],
    "58-wait-en-1280": ["over-wait/en", DESK],
    "59-confirm-en-1280": ["over-confirm/en", DESK],
    "60-match-en-640": ["over-match/en", PHONE],
    "61-pile-ar-568": ["pile/ar", SMALL],
    "62-result-ar-568": ["result/ar", SMALL],
    "63-home-ar-568": ["home-now/ar", SMALL],
    "64-home-en-568": ["home-now/en", SMALL],
    "65-net-en-568": ["over-net/en", SMALL],
    "66-join-en-640": ["over-join/en", PHONE],
    "67-fair-ar-640": ["fair/ar", PHONE],
    "68-fair-bad-en-640": ["fair-bad/en", PHONE],
    "69-fair-bad-ar-1280": ["fair-bad/ar", DESK],
    "70-fair-wait-ar-640": ["fair-wait/ar", PHONE],
    "71-result-whole-ar-640": ["result-whole/ar", PHONE],
    "72-result-whole-en-1280": ["result-whole/en", DESK],
    "73-result-whole-en-640": ["result-whole/en", PHONE],
    "74-pick-en-1280": ["over-pick/en", DESK],
    "75-swap-ar-640": ["evening-swap/ar", PHONE],
    "76-swap-en-1280": ["evening-swap/en", DESK],
    "77-swap-en-640": ["evening-swap/en", PHONE],
    "78-swap-ar-1280": ["evening-swap/ar", DESK],
    "79-swap-ask-ar-640": ["evening-swap-ask/ar", PHONE],
    "80-swap-ask-en-1280": ["evening-swap-ask/en", DESK],
    "81-swap-ask-en-640": ["evening-swap-ask/en", PHONE],
    "82-swap-ask-ar-1280": ["evening-swap-ask/ar", DESK],
    "83-pause-ar-640": ["evening-pause/ar", PHONE],
    "84-pause-en-1280": ["evening-pause/en", DESK],
    "85-pause-en-640": ["evening-pause/en", PHONE],
    "86-pause-ar-1280": ["evening-pause/ar", DESK],
    "87-pause-on-ar-640": ["evening-pause-on/ar", PHONE],
    "88-pause-on-en-1280": ["evening-pause-on/en", DESK],
    "89-pause-on-en-640": ["evening-pause-on/en", PHONE],
    "90-pause-on-ar-1280": ["evening-pause-on/ar", DESK],
    "91-say-ar-640": ["evening-say/ar", PHONE],
    "92-say-en-1280": ["evening-say/en", DESK],
    "93-say-en-640": ["evening-say/en", PHONE],
    "94-say-ar-1280": ["evening-say/ar", DESK],
    "95-said-ar-640": ["evening-said/ar", PHONE],
    "96-said-en-1280": ["evening-said/en", DESK],
    "97-said-en-640": ["evening-said/en", PHONE],
    "98-said-ar-1280": ["evening-said/ar", DESK],
    "99-watch-ar-640": ["evening-watch/ar", PHONE],
    "100-watch-en-1280": ["evening-watch/en", DESK],
    "101-watch-en-640": ["evening-watch/en", PHONE],
    "102-watch-ar-1280": ["evening-watch/ar", DESK],
    "103-left-ar-640": ["evening-left/ar", PHONE],
    "104-left-en-1280": ["evening-left/en", DESK],
    "105-left-en-640": ["evening-left/en", PHONE],
    "106-left-ar-1280": ["evening-left/ar", DESK],
    "107-invited-ar-640": ["evening-invited/ar", PHONE],
    "108-invited-en-1280": ["evening-invited/en", DESK],
    "109-invited-en-640": ["evening-invited/en", PHONE],
    "110-invited-ar-1280": ["evening-invited/ar", DESK],
    "111-say-ar-568": ["evening-say/ar", SMALL],
    "112-swap-ar-568": ["evening-swap/ar", SMALL],
    "113-pause-en-568": ["evening-pause/en", SMALL],
    "114-watch-ar-568": ["evening-watch/ar", SMALL],
};

const [folder = "shots", ...wanted] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const vite = await createServer({ logLevel: "error", server: { port: 0, host: "127.0.0.1" } });
await vite.listen();
const address = `http://127.0.0.1:${vite.httpServer.address().port}/src/gallery/gallery.html`;
await withBrowser(async (browser) => {
    for (const [name, [hash, size]] of Object.entries(SCENES)) {
        if (wanted.length && !wanted.some((part) => name.includes(part))) continue;
        const context = await browser.newContext(size);
        const page = await context.newPage();
        page.on("pageerror", (error) => console.error(name, error.message));
        page.on("console", (message) => message.type() === "error" && console.error(name, message.text()));
        await page.goto(`${address}#${hash}`);
        await page.waitForSelector(".stage > *");
        await page.evaluate(() => document.fonts.ready);
        await page.evaluate(() => document.activeElement?.blur());
        await page.waitForTimeout(400);
        await page.screenshot({ path: join(folder, `${name}.png`) });
        await context.close();
    }
});
await vite.close();
