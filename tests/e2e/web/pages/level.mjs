// A match of sahrat to 222 by four people: both teams come to 222 with the same deal, so that play goes on until one leads.
import assert from "node:assert/strict";
import { company } from "./company.mjs";
import { plain } from "./player.mjs";
import { rig } from "./rig.mjs";
import { DEVICES, comesToScore, everybody, high, low, picture, playDeal } from "./scripted.mjs";

/** Out in the first turn, before anybody else has laid a card: 102, and 17 laid. */
const OUT = `${high("D")} ${high("C")} 3D`;
/** What is left in the partner's hand then: 18, 9, 19 and 13.5 points. */
const HANDS = [
  "7S 7S 7H 7H 8S 8S 8H 8H 9S 9S 9H 9H TS TS TH TH JS JS",
  "3S 3S 3H 3H 4S 4S 4H 4H 5S 5S 5H 5H 6S 6S 6H 6H 4D 5D",
  "2S 7S 7H 7H 8S 8S 8H 8H 9S 9S 9H 9H TS TS TH TH JS JS",
  "3S 3S 3H 3H 4S 4S 4H 4H 5S 7S 7S 7H 7H 8S 8S 8H 8H 9S",
];
/** In the fifth deal the first seat lays three cards, the next one two runs; then the first seat's partner goes out. */
const LOOSE = "7D 8D TD TD JD JD KD KD 7C 8C TC TC JC JC KC KC";
const LEVEL = [
  `QS KS AS ${LOOSE}`,
  `${high("H")} ${high("H", "7")} 3S`,
  `${low("S")} ${low("D")} ${low("C")}`,
  "3H 3H 4H 4H 5H 5H 6H 3D 4D 5D 6D 3C 4C 5C 6C 5S 6S 9S",
];
const inTurn = (seat, own, partners) => ({ hands: [0, 1, 2, 3].map((one) => (one === seat ? own : one === (seat + 2) % 4 ? partners : "")) });
const DEALS = [
  ...HANDS.map((hand, seat) => inTurn(seat, OUT, hand)),
  { hands: LEVEL, stock: "4S JS" },
  inTurn(1, OUT, ""),
];

export default async function level({ browser, address, pictures }) {
  rig({ resultSeconds: 1, matches: [{ starter: 0, deals: DEALS }] });
  const pages = await company(browser, address, DEVICES, { preset: "PRESET_SAHRAT" });
  const [host, guest, third, fourth] = pages;
  const seats = [host, third, guest, fourth];
  const out = (seat) => playDeal([{ page: seats[seat], lays: true, throws: "3D" }]);
  for (const seat of [0, 1, 2, 3]) await out(seat);
  await comesToScore(pages, ["201", "215.5"], "neither team is there");
  rig({ resultSeconds: 5, matches: [{ starter: 0, deals: DEALS }] });
  await playDeal([
    { page: seats[0], lays: true, throws: "KC" },
    { page: seats[1], lays: true, throws: "3S" },
    { page: seats[2], lays: true, off: "JS", onto: "QS" },
  ]);
  await guest.waitForSelector(".result header:has-text('Level: one more deal')", { timeout: 60_000 });
  await comesToScore(pages, ["222", "222"], "both are there at once");
  await picture(pages, pictures, "level");
  await out(1);
  await everybody(pages, (page) => page.locator(".result .next button").click({ timeout: 60_000 }));
  await everybody(pages, (page) => page.waitForSelector(".match"));
  await picture(pages, pictures, "level-won");
  const total = async (side) => plain(await third.locator(`.match .${side} .total`).innerText());
  assert.deepEqual([Number(await total("us")) > 222, await total("them")], [true, "222"]);
  assert.deepEqual(pages.flatMap(({ faults }) => faults), []);
}
