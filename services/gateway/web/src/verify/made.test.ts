/** Ceremonies that this code makes: they hold here, and Python verifies the file of them that this test writes. */

import { mkdirSync, writeFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { primitives } from "./primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord } from "./record";
import { Chance, made, randomPlan } from "./testing/making";
import { asJson } from "./testing/python";

vi.setConfig({ testTimeout: 120_000 });
const FOLDER = new URL("../../../../../build/web/", import.meta.url);
const COUNT = 300;

it(`${COUNT} ceremonies made here hold here, and are written down for Python to verify`, async () => {
  const by = await primitives();
  const chance = new Chance("made by the page");
  const cases: object[] = [];
  for (let number = 0; number < COUNT; number++) {
    const { options, fair, deck, starter, drawn, draws } = await made(by, chance, randomPlan(chance));
    const pile = deck.slice(0, 1 + chance.below(105));
    const n = 1 + chance.below(3);
    cases.push({
      options,
      fair,
      deck: deck.join(" "),
      starter: drawn,
      autocut: await draws.automaticCut(),
      reshuffle: { n, pile: pile.join(" "), stock: (await draws.reshuffled(pile, n)).join(" ") },
    });
    const actions = [`${starter} discard ${deck[0]}`];
    const file = { format: "banakil-record", version: 1, options, deals: [{ starter, fair, actions }] };
    const [report] = await verifyRecord(by, readRecord(asJson(file)), NOTHING_KNOWN);
    expect(report!.verdict, JSON.stringify(report!.checks)).toBe("holds");
  }
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(new URL("fair_by_page.json", FOLDER), JSON.stringify(cases));
});
