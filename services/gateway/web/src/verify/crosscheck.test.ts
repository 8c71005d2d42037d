/** What Python makes, this code finds as it was made, to the byte; what was spoilt, it finds where Python does. */

import { describe, expect, it, vi } from "vitest";
import { sortedCards } from "../core/cards";
import { FairError, hex } from "./bytes";
import { clientCommitment, closedBytes, serverCommitment, transcriptOf } from "./values";
import { HUMAN, type FairDeal } from "./deal";
import { Draws } from "./draws";
import { readFair } from "./fairJson";
import { primitives } from "./primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord } from "./record";
import { readOptions, type TableOptions } from "./rulesId";
import { SignatureJudge } from "./signatures";
import { asJson, fair, keys, matches, textJson, type Said } from "./testing/python";
import { verifyDeal } from "./verifyDeal";

const by = await primitives();
const signatures = new SignatureJudge(by, keys);
vi.setConfig({ testTimeout: 60_000 });

async function said(deal: FairDeal, options: TableOptions): Promise<Said> {
  const around = {
    options,
    before: [],
    apart: 1,
    starter: null,
    followsOn: null,
    follow: null,
    listed: { deck: null, reshuffles: null },
  };
  const { checks } = await verifyDeal(by, deal, { ...around, keys: null, witnesses: [], days: [] });
  return answered(checks.map(({ name, outcome }) => [name, outcome]));
}

/** Which questions a file leaves open is told in as much detail as each side likes. */
function answered(checks: Said): Said {
  return checks.filter(([, outcome]) => outcome !== "cannot_check");
}

describe(`${fair.ceremonies.length} ceremonies that Python made`, () => {
  it("have the values that this code works out, to the byte", async () => {
    expect(fair.ceremonies.length).toBeGreaterThanOrEqual(1_000);
    for (const one of fair.ceremonies) {
      const deal = readFair(asJson(one.fair));
      const attempts = [...deal.voids, deal.played];
      const played = await signatures.ofAttempt(deal.played, deal.transcript, "");
      const signed = deal.played.signatures ? "holds" : "cannot_check";
      expect(played.every(({ outcome }) => outcome === signed)).toBe(true);
      expect(attempts.map(({ closed }) => hex(closedBytes(closed)))).toEqual(one.closed);
      for (const { closed, secret, contributions } of attempts) {
        expect(hex(await serverCommitment(by, closed.ctx, secret))).toBe(hex(closed.commitment));
        for (const [at, seat] of closed.seats.entries()) {
          const fits = seat.kind === HUMAN && !deal.voids.some((void_) => void_.closed === closed);
          if (fits) expect(hex(await clientCommitment(by, closed.ctx, at, contributions[at]!))).toBe(hex(seat.h));
        }
      }
      const { closed, contributions, secret } = deal.played;
      expect(hex(await transcriptOf(by, closed, contributions))).toBe(hex(deal.transcript));
      const draws = new Draws(by, secret, deal.transcript);
      expect(await draws.deckIds()).toEqual(one.deck);
      expect(await draws.reshuffled(one.reshuffle.pile, one.reshuffle.n)).toEqual(one.reshuffle.stock);
      expect(await draws.automaticCut()).toBe(one.autocut);
      expect(await draws.starter(closed, readOptions(asJson(one.options)).starter)).toBe(one.starter);
    }
  });

  it("pass the same checks", async () => {
    for (const one of fair.ceremonies) {
      expect(await said(readFair(asJson(one.fair)), readOptions(asJson(one.options)))).toEqual(answered(one.checks));
    }
  });
});

it(`${fair.spoilt.length} spoilt ones are refused, or fail, by the same name`, async () => {
  let wrong = 0;
  for (const one of fair.spoilt) {
    let found: { unreadable: string } | { checks: Said };
    try {
      found = { checks: await said(readFair(textJson(one.text)), readOptions(asJson(one.options))) };
    } catch (error) {
      if (!(error instanceof FairError)) throw error;
      found = { unreadable: error.what };
    }
    const { unreadable, checks } = one;
    expect(found, one.text).toEqual(checks ? { checks: answered(checks) } : { unreadable });
    if (unreadable !== undefined || checks?.some(([, outcome]) => outcome === "fails")) wrong++;
  }
  expect(wrong).toBeGreaterThan(fair.spoilt.length / 2);
});

describe(`${matches.length} matches that Python played`, () => {
  it("hold, leave every hand the cards that the rules leave it, and score what they score", async () => {
    const seen = { deals: 0, reshuffles: 0, timeouts: 0, dead: 0 };
    for (const { record, deals } of matches) {
      const reports = await verifyRecord(by, readRecord(asJson(record)), NOTHING_KNOWN);
      for (const [at, report] of reports.entries()) {
        const { hands, end, reshuffles, teams } = deals[at]!;
        expect(report.verdict, JSON.stringify(report.checks)).toBe("holds");
        expect(report.played!.hands.map(sortedCards)).toEqual(hands);
        expect(report.played).toMatchObject({ reshuffles, ended: true, fault: null, teams });
        expect(report.played!.steps.at(-1)!.what).toBe(end);
        seen.deals++;
        seen.reshuffles += reshuffles;
        seen.dead += end === "dead" ? 1 : 0;
        seen.timeouts += record.deals[at]!.actions.filter((action) => action === "- timeout").length;
      }
    }
    expect(seen.deals).toBeGreaterThan(250);
    expect(seen.reshuffles).toBeGreaterThan(100);
    expect(seen.timeouts).toBeGreaterThan(1_000);
    expect(seen.dead).toBeGreaterThan(20);
  });
});
