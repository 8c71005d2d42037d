import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hex, unhex, type Bytes } from "./bytes";
import { bundled } from "./bundled";
import { contextOf, type FairDeal } from "./deal";
import { Draws, cardOfId } from "./draws";
import { readFair } from "./fairJson";
import { rootChecks } from "./days";
import { NOTHING, chainHash, leafBytes, leafHash, rootPayload, treeRoot } from "./merkle";
import { primitives, type Primitives } from "./primitives";
import { rulesId } from "./rulesId";
import { SignatureJudge } from "./signatures";
import { asJson } from "./testing/python";
import { closedBytes, transcriptOf } from "./values";
import { verifyDeal } from "./verifyDeal";

interface Golden {
  signing_key: { id: string; public: string };
  rules_ids: { preset: string; changed: Record<string, never>; id: string }[];
  deals: {
    name: string;
    starter_rule: "dealer_draw" | "host_cut";
    fair: unknown;
    deck: string;
    reshuffles: { n: number; pile: string; stock: string }[];
    automatic_cut: number;
    starter: number | null;
  }[];
  days: { date: string; count: number; root: string; chain: string; proofs: Record<string, string[]> }[];
}

const golden = JSON.parse(
  readFileSync(new URL("../../../../../tests/golden/fair.json", import.meta.url), "utf8"),
) as Golden;
const keys = new Map([[golden.signing_key.id, unhex(golden.signing_key.public)!]]);

const own = await primitives();
const ways: [string, Primitives][] = [
  ["the browser's primitives", own],
  ["the library's", bundled],
];

describe.each(ways)("the golden vectors by %s", (_, by) => {
  it.each(golden.deals)("$name", async (vector) => {
    const deal = readFair(asJson(vector.fair));
    const { closed, contributions, secret } = deal.played;
    expect(hex(await transcriptOf(by, closed, contributions))).toBe(hex(deal.transcript));
    const draws = new Draws(by, secret, deal.transcript);
    expect((await draws.deck()).join(" ")).toBe(vector.deck);
    for (const { n, pile, stock } of vector.reshuffles) {
      expect((await draws.reshuffled(pile.split(" "), n)).join(" ")).toBe(stock);
    }
    expect(await draws.automaticCut()).toBe(vector.automatic_cut);
    expect(await draws.starter(closed, vector.starter_rule)).toBe(vector.starter);
    const { checks } = await verifyDeal(by, deal, {
      options: null,
      before: [],
      apart: 1,
      starter: vector.starter,
      followsOn: null,
      listed: { deck: vector.deck.split(" "), reshuffles: null },
      follow: null,
      keys,
      witnesses: [],
      days: [],
    });
    expect(checks.filter(({ outcome }) => outcome === "fails")).toEqual([]);
    expect(checks).toContainEqual({ name: "deck", outcome: "holds", detail: "" });
    const signed = checks.filter(({ name }) => name.includes("signature."));
    const given = [deal.played, ...deal.voids].reduce((sum, { signatures }) => sum + (signatures?.of.size ?? 0), 0);
    expect(signed.filter(({ outcome }) => outcome === "holds").length).toBe(given);
  });

  it.each(golden.rules_ids)("the rules id $id", async ({ preset, changed, id }) => {
    expect(await rulesId(by, preset, changed)).toBe(id);
  });

  it("the days", async () => {
    const all = golden.deals.flatMap(({ fair }) => {
      const deal = readFair(asJson(fair));
      const voids = deal.voids.map((attempt) => ({ attempt, transcript: null }));
      return [...voids, { attempt: deal.played, transcript: deal.transcript }];
    });
    const leaves = all.map(({ attempt, transcript }) => leafBytes(attempt, transcript ?? NOTHING));
    const judge = new SignatureJudge(by, null);
    let previousChain = NOTHING;
    for (const { date, count, root: rootHex, chain: chainHex, proofs } of golden.days) {
      const root = await treeRoot(by, await Promise.all(leaves.slice(0, count).map((leaf) => leafHash(by, leaf))));
      const chain = await chainHash(by, previousChain, date, root);
      expect([hex(root), hex(chain)]).toEqual([rootHex, chainHex]);
      expect(rootPayload(date, count, root, chain).length).toBe(8 + 4 + 64 + 64);
      for (const [index, path] of Object.entries(proofs)) {
        const { attempt, transcript } = all[Number(index)]!;
        const leaf = { ...attempt.closed, index: Number(index), path: path.map((step) => unhex(step)!) };
        const day = { date, count, root, chain, previousChain, key: "shuffle-1", signature: new Uint8Array(64) };
        const checked = async (changed: object, ofDay: object = {}, twice = 1) => {
          const proof = { day: { ...day, ...ofDay }, leaves: Array(twice).fill({ ...leaf, ...changed }) };
          const [check] = await rootChecks(by, attempt, transcript, [proof], judge, "");
          return check!;
        };
        expect(await checked({})).toMatchObject({ name: "root", outcome: "holds" });
        expect((await checked({ index: (leaf.index + 1) % count })).outcome).toBe(count > 1 ? "fails" : "holds");
        expect((await checked({ index: count })).outcome).toBe("fails");
        expect((await checked({ path: [...leaf.path, root] })).detail).toMatch(/too long/);
        expect((await checked({ commitment: root })).outcome).toBe("fails");
        expect((await checked({}, { chain: previousChain })).detail).toMatch(/chain/);
        expect((await checked({}, { date: "2026120" })).outcome).toBe("fails");
        expect((await checked({}, {}, 2)).outcome).toBe("fails");
        const [none] = await rootChecks(by, attempt, transcript, [], judge, "");
        expect(none).toMatchObject({ outcome: "cannot_check" });
      }
      previousChain = chain;
    }
  });
});

describe("signatures", () => {
  const deal = golden.deals
    .map(({ fair }) => readFair(asJson(fair)))
    .find(({ played }) => played.signatures) as FairDeal;
  const signature = deal.played.signatures!.of.get("closed")!;
  const key = unhex(golden.signing_key.public)!;

  it.each(ways)("by %s: right, wrong, of a key that only the file names, of one not at hand", async (_, by) => {
    const payload = closedBytes(deal.played.closed);
    const judge = (keyId: string, ring: ReadonlyMap<string, Bytes> | null, given = payload, by_ = by) =>
      new SignatureJudge(by_, ring).judge(keyId, "closed", given, signature);
    expect(await judge("shuffle-1", keys)).toBe("right");
    expect(await judge("shuffle-1", keys, payload.slice(1))).toBe("wrong");
    expect(await judge("shuffle-2", keys)).toBe("wrong");
    expect(await judge("shuffle-1", null)).toBe("unknown");
    expect(await judge(hex(key), null)).toBe("named");
    expect(await judge(hex(key), new Map([[hex(key), key]]))).toBe("right");
    expect(await judge(hex(key).replace(/^../, "00"), null)).toBe("wrong");
  });
});

it("ids of cards run through copies, suits and ranks, the jokers last", () => {
  expect([0, 1, 12, 13, 51, 52, 103, 104, 105].map(cardOfId).join(" ")).toBe("AS 2S KS AH KC AS KC JK JK");
  expect(contextOf(readFair(asJson(golden.deals[0]!.fair))).dealNo).toBe(1);
});
