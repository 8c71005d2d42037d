import { describe, expect, it } from "vitest";
import { builtFile } from "../../core/testing/built";
import { matches } from "../../verify/testing/python";
import { Verifying } from "./verifying.svelte";

const record = matches.find(({ record }) => record.deals.length > 1)!.record as unknown as {
  readonly deals: readonly { readonly fair: { readonly match: string; readonly transcript: string } }[];
};
const id = record.deals[0]!.fair.match;
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const file = (content: Uint8Array<ArrayBuffer>) => ({ size: content.length, arrayBuffer: async () => content.buffer });
const answering = (response: Response | null) =>
  new Verifying(
    () => null,
    async (path) => {
      if (!response) throw new TypeError("offline");
      return path.startsWith("/api/records/") ? response : Response.json({}, { status: 404 });
    },
  );

describe("the Verify page", () => {
  it("checks the record of a match, and shows the last deal", async () => {
    const verifying = answering(Response.json(record, { headers: { "banakil-complete": "false" } }));
    await verifying.match(id);
    expect(verifying.phase).toBe("done");
    expect(verifying.reports.map(({ verdict }) => verdict)).toEqual(record.deals.map(() => "holds"));
    expect(verifying.chosen).toBe(record.deals.length - 1);
    expect(verifying.goesOn).toBe(true);
  });

  it("asks for the published keys and the days' proofs, and goes without where they are not to be had", async () => {
    const [, one] =
      builtFile<{ record: typeof record; keys: object; proofs: object; audit: object }[]>("fair_public.json");
    const { match } = one!.record.deals[0]!.fair;
    const outcome = async (answers: Readonly<Record<string, object>>) => {
      const asked: string[] = [];
      const verifying = new Verifying(
        () => null,
        async (path) => {
          asked.push(path);
          const answer = answers[path.split("?")[0]!];
          return answer ? Response.json(answer) : new Response("", { status: 503 });
        },
      );
      await verifying.match(match);
      expect(verifying.phase).toBe("done");
      const named = (name: string) => verifying.report!.checks.find((check) => check.name === name)?.outcome;
      return { asked, said: [named("signature.closed"), named("root")] };
    };
    const record_ = { [`/api/records/${match}`]: one!.record };
    const all = { ...record_, "/api/keys": one!.keys, [`/api/proofs/${match}`]: one!.proofs };
    const told = await outcome(all);
    expect(told.said).toEqual(["holds", "holds"]);
    expect(told.asked.sort()).toEqual(["/api/keys", `/api/proofs/${match}?fromDealNo=1`, `/api/records/${match}`]);
    expect((await outcome(record_)).said).toEqual(["cannot_check", "cannot_check"]);
    expect((await outcome({ ...all, "/api/keys": { keys: 1 } })).said).toEqual(["cannot_check", "cannot_check"]);
    const verifying = answering(null);
    await verifying.file(file(bytes(one!.audit)));
    expect(verifying.reports.map(({ verdict }) => verdict)).toEqual(one!.record.deals.map(() => "cannot_check"));
  });

  it("checks a file without asking anybody, and shows the deal that fails first", async () => {
    const [first, ...rest] = record.deals;
    const forged = { ...first, fair: { ...first!.fair, transcript: "00".repeat(64) } };
    const verifying = answering(null);
    await verifying.file(file(bytes({ ...record, deals: [forged, ...rest] })));
    expect(verifying.phase).toBe("done");
    expect(verifying.chosen).toBe(0);
    expect(verifying.report!.verdict).toBe("fails");
  });

  it("looks at what this browser kept, and is not troubled by what cannot be read", async () => {
    for (const text of ["{", "[]", '{"witness": 1}', JSON.stringify({ attempt: 9, witness: { seat: 0 } })]) {
      const verifying = new Verifying(() => text);
      await verifying.file(file(bytes(record)));
      expect(verifying.phase).toBe("done");
      expect(verifying.report!.verdict).toBe(text.includes("9") ? "fails" : "holds");
    }
  });

  it.each([
    [bytes(record).slice(0, -1), "NOT_JSON"],
    [new Uint8Array([0xff]), "NOT_JSON"],
    [bytes({}), "NOT_RECORD"],
    [bytes([]), "NOT_RECORD"],
    [bytes({ ...record, deals: [] }), "NO_DEALS"],
    [new Uint8Array(8 * 1024 * 1024 + 1), "TOO_LARGE"],
  ])("says what is wrong with a file (%#): %s", async (content, trouble) => {
    const verifying = answering(null);
    await verifying.file(file(content));
    expect([verifying.phase, verifying.trouble]).toEqual(["trouble", trouble]);
    expect(verifying.reports).toEqual([]);
  });

  it.each([
    ["xyz", Response.json(record), "NO_SUCH_MATCH"],
    [id, Response.json({}, { status: 404 }), "NO_SUCH_MATCH"],
    [id, Response.json({}, { status: 429 }), "RATE_LIMITED"],
    [id, Response.json({}, { status: 503 }), "AWAY"],
    [id, null, "OFFLINE"],
  ])("says why a record could not be fetched: %s", async (match, response, trouble) => {
    const verifying = answering(response);
    await verifying.match(match);
    expect([verifying.phase, verifying.trouble]).toEqual(["trouble", trouble]);
  });

  it("fails a record of another match than was asked for", async () => {
    const verifying = answering(Response.json(record));
    await verifying.match("0".repeat(32));
    expect(verifying.report!.verdict).toBe("fails");
    expect(verifying.report!.checks.find(({ outcome }) => outcome === "fails")!.name).toBe("asked");
  });

  it("is whole with the file that was chosen last", async () => {
    const verifying = answering(null);
    const one = verifying.file(file(bytes(record)));
    const other = verifying.file(file(bytes({ ...record, deals: record.deals.slice(0, 1) })));
    await Promise.all([one, other]);
    expect(verifying.reports.length).toBe(1);
    expect(verifying.phase).toBe("done");
  });
});
