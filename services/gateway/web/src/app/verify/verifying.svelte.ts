/** What the Verify page is doing: fetching or reading a file, and what came of each of its deals. */

import { FairError, unhex } from "../../verify/bytes";
import { readJson, JsonError, type Json } from "../../verify/json";
import { primitives, type Primitives } from "../../verify/primitives";
import { NOTHING_KNOWN, readRecord, verifyRecord, type DealReport, type RecordFile } from "../../verify/record";

export const MOST_MIB = 8;
const MOST_BYTES = MOST_MIB * 1024 * 1024;

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
  record: RecordFile | null = $state.raw(null);
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
      const response = await this.answered(`/api/records/${id}`);
      const file = new Uint8Array(await response.arrayBuffer());
      if (run !== this.run) return;
      this.goesOn = response.headers.get("banakil-complete") === "false";
      await this.check(file, id, run);
    });
  }

  /** Checks a file that was dropped or chosen. */
  async file(file: Pick<File, "size" | "arrayBuffer">): Promise<void> {
    await this.attempt(async (run) => {
      this.phase = "checking";
      if (file.size > MOST_BYTES) throw new TroubleError("TOO_LARGE");
      await this.check(new Uint8Array(await file.arrayBuffer()), null, run);
    });
  }

  private async attempt(action: (run: number) => Promise<void>): Promise<void> {
    const run = ++this.run;
    this.trouble = null;
    this.detail = "";
    this.record = null;
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

  private async answered(path: string): Promise<Response> {
    let response: Response;
    try {
      response = await this.fetcher(path);
    } catch {
      throw new TroubleError("OFFLINE");
    }
    if (response.ok) return response;
    const { status } = response;
    throw new TroubleError(status === 429 ? "RATE_LIMITED" : status >= 500 ? "AWAY" : "NO_SUCH_MATCH");
  }

  private async check(bytes: Uint8Array, match: string | null, run: number): Promise<void> {
    if (bytes.length > MOST_BYTES) throw new TroubleError("TOO_LARGE");
    const record = recordOf(bytes);
    if (record.deals.length === 0) throw new TroubleError("NO_DEALS");
    if (run !== this.run) return;
    this.record = record;
    this.phase = "checking";
    const kept = (id: string, dealNo: number) => jsonOf(this.keptText(id, dealNo));
    const by = await this.by.catch(() => {
      throw new TroubleError("OFFLINE");
    });
    await verifyRecord(by, record, { ...NOTHING_KNOWN, match, kept }, async (report) => {
      if (run !== this.run) throw new TroubleError("OFFLINE");
      this.reports = [...this.reports, report];
      // What one came to see is the first that fails, or else the last.
      if (!this.hasChosen && this.report?.verdict !== "fails") this.chosen = report.no - 1;
      // A long file leaves the page time to be touched.
      await new Promise((resolve) => setTimeout(resolve));
    });
  }
}

function recordOf(bytes: Uint8Array): RecordFile {
  try {
    return readRecord(readJson(bytes));
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
