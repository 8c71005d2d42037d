/** What the Verify page is doing: fetching or reading a file, and what came of each of its deals. */

import { FairError, unhex } from "../../verify/bytes";
import { readJson, JsonError, type Json } from "../../verify/json";
import { primitives, type Primitives } from "../../verify/primitives";
import { isAudit, readAudit, verifyAudit } from "../../verify/audit";
import type { DayProof } from "../../verify/days";
import { NOTHING_KNOWN, readRecord, verifyRecord, type DealReport, type Known } from "../../verify/record";
import { readKeys, readProofs } from "../../verify/wire";

export const MOST_MIB = 8;
const MOST_BYTES = MOST_MIB * 1024 * 1024;
/** A page of proofs has 250 leaves at the least: the longest match there is. */
const MOST_PAGES = 5;

export type Trouble =
  "NOT_JSON" | "NOT_RECORD" | "NO_DEALS" | "TOO_LARGE" | "NO_SUCH_MATCH" | "RATE_LIMITED" | "OFFLINE" | "AWAY";
export type Phase = "empty" | "fetching" | "checking" | "done" | "trouble";

class TroubleError extends Error {
  constructor(
    readonly trouble: Trouble,
    readonly detail = "",
  ) {
    super(trouble);
  }
}

/** What this browser kept of a deal, as text. */
export type KeptText = (match: string, dealNo: number) => string | null;

export class Verifying {
  phase: Phase = $state("empty");
  trouble: Trouble | null = $state(null);
  /** Where a file cannot be read, for who writes programs. */
  detail = $state("");
  /** One name per seat, as the file calls them; empty where it does not. */
  players: readonly string[] = $state.raw([]);
  /** How many deals the file has. */
  deals = $state(0);
  reports: readonly DealReport[] = $state.raw([]);
  chosen = $state(0);
  /** Deals will follow: the match goes on. */
  goesOn = $state(false);
  private readonly by: Promise<Primitives>;
  private run = 0;
  private hasChosen = false;

  constructor(
    private readonly keptText: KeptText,
    private readonly fetcher: (path: string) => Promise<Response> = (path) => fetch(path),
    by: () => Promise<Primitives> = primitives,
  ) {
    // At once, so that nothing has to be loaded later on, without a connection.
    this.by = by();
    this.by.catch(() => undefined);
  }

  get report(): DealReport | undefined {
    return this.reports[this.chosen];
  }

  /** Shows a deal, by its place in the file from 0. */
  choose(at: number): void {
    this.chosen = at;
    this.hasChosen = true;
  }

  /** Fetches a match's record and checks it. */
  async match(id: string): Promise<void> {
    await this.attempt(async (run) => {
      this.phase = "fetching";
      const match = unhex(id);
      if (match?.length !== 16) throw new TroubleError("NO_SUCH_MATCH");
      const [record, published] = await Promise.all([this.answered(`/api/records/${id}`), this.published(id)]);
      if (run !== this.run) return;
      this.goesOn = record.headers.get("banakil-complete") === "false";
      await this.check(record.bytes, { ...published, match: id }, run);
    });
  }

  /** Checks a file that was dropped or chosen. */
  async file(file: Pick<File, "size" | "arrayBuffer">): Promise<void> {
    await this.attempt(async (run) => {
      this.phase = "checking";
      if (file.size > MOST_BYTES) throw new TroubleError("TOO_LARGE");
      await this.check(new Uint8Array(await file.arrayBuffer()), {}, run);
    });
  }

  private async attempt(action: (run: number) => Promise<void>): Promise<void> {
    const run = ++this.run;
    this.trouble = null;
    this.detail = "";
    this.players = [];
    this.deals = 0;
    this.reports = [];
    this.chosen = 0;
    this.hasChosen = false;
    this.goesOn = false;
    try {
      await action(run);
      if (run === this.run) this.phase = "done";
    } catch (error) {
      if (run !== this.run) return;
      if (!(error instanceof TroubleError)) throw error;
      this.trouble = error.trouble;
      this.detail = error.detail;
      this.phase = "trouble";
    }
  }

  /** An answer, to its last byte. */
  private async answered(path: string): Promise<{ bytes: Uint8Array; headers: Headers }> {
    let response: Response;
    let bytes: Uint8Array;
    try {
      response = await this.fetcher(path);
      bytes = new Uint8Array(await response.arrayBuffer());
    } catch {
      throw new TroubleError("OFFLINE");
    }
    const { ok, status, headers } = response;
    if (ok) return { bytes, headers };
    throw new TroubleError(status === 429 ? "RATE_LIMITED" : status >= 500 ? "AWAY" : "NO_SUCH_MATCH");
  }

  /** The keys that sign, and the days' proofs; without them what they would show stays open. */
  private async published(id: string): Promise<Partial<Known>> {
    const read = async <T>(path: string, reader: (value: Json) => T): Promise<T> =>
      reader(readJson((await this.answered(path)).bytes));
    try {
      const keys = await read("/api/keys", readKeys);
      const days: DayProof[] = [];
      for (let from = 1, page = 0; from && page < MOST_PAGES; page++) {
        const proofs = await read(`/api/proofs/${id}?fromDealNo=${from}`, readProofs);
        days.push(...proofs.days);
        from = proofs.nextDealNo;
      }
      return { keys, days };
    } catch (error) {
      if (error instanceof TroubleError || error instanceof JsonError || error instanceof FairError) return {};
      throw error;
    }
  }

  private async check(bytes: Uint8Array, given: Partial<Known>, run: number): Promise<void> {
    if (bytes.length > MOST_BYTES) throw new TroubleError("TOO_LARGE");
    const file = fileOf(bytes);
    const by = await this.by.catch(() => {
      throw new TroubleError("OFFLINE");
    });
    if (run !== this.run) return;
    this.players = file.players;
    this.deals = file.deals;
    if (file.deals === 0) throw new TroubleError("NO_DEALS");
    this.phase = "checking";
    const kept = (id: string, dealNo: number) => jsonOf(this.keptText(id, dealNo));
    await file.verify(by, { ...NOTHING_KNOWN, ...given, kept }, async (report) => {
      if (run !== this.run) throw new TroubleError("OFFLINE");
      this.reports = [...this.reports, report];
      // What one came to see is the first that fails, or else the last.
      if (!this.hasChosen && this.report?.verdict !== "fails") this.chosen = report.no - 1;
      // A long file leaves the page time to be touched.
      await new Promise((resolve) => setTimeout(resolve));
    });
  }
}

interface Evidence {
  readonly players: readonly string[];
  readonly deals: number;
  verify(by: Primitives, known: Known, told: (report: DealReport) => Promise<void>): Promise<unknown>;
}

/** A record, or an audit export. */
function fileOf(bytes: Uint8Array): Evidence {
  try {
    const json = readJson(bytes);
    if (isAudit(json)) {
      const audit = readAudit(json);
      const deals = new Set(audit.attempts.map(({ closed }) => closed.ctx.dealNo)).size;
      return { players: [], deals, verify: (by, known, told) => verifyAudit(by, audit, known, told) };
    }
    const record = readRecord(json);
    const { players, deals } = record;
    return { players, deals: deals.length, verify: (by, known, told) => verifyRecord(by, record, known, told) };
  } catch (error) {
    if (error instanceof JsonError) throw new TroubleError("NOT_JSON", error.message);
    if (error instanceof FairError) throw new TroubleError("NOT_RECORD", error.message);
    throw error;
  }
}

/** What was kept, if it can be read at all. */
function jsonOf(text: string | null): Json | undefined {
  if (text === null) return undefined;
  try {
    return readJson(new TextEncoder().encode(text));
  } catch {
    return undefined;
  }
}
