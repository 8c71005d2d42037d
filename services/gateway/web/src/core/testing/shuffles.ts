/** A table's shuffles as a server publishes them, honest or not, with real keys and hashes. */

import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import { hex, joined, lp, tag, u8, u64, utf8, type Bytes } from "../../verify/bytes";
import { NO_HOST, type ClosedSeat, type ClosedSet, type Context } from "../../verify/deal";
import type { Primitives } from "../../verify/primitives";
import { clientCommitment, closedBytes, contextBytes, transcriptOf } from "../../verify/values";
import { bytesOf, readClosed } from "../closedSet";
import { presetOptions, type Preset } from "../options";
import { readDeal, readFair, readMatch, readSeat, type FairInfo, type FairStep, type View } from "../views";

export const MATCH = "ab".repeat(16);
export const ME = 1;
const ACCOUNTS = ["ada", "me", "cem", ""];

const sha512 = async (data: Bytes) => new Uint8Array(createHash("sha512").update(data).digest());
const NONE = new Uint8Array();

/** The server's end of one deal's shuffle; a test changes what it is going to publish. */
export class FakeShuffle {
  readonly keys = generateKeyPairSync("ed25519");
  readonly keyId = hex(new Uint8Array(this.keys.publicKey.export({ type: "spki", format: "der" }).subarray(-32)));
  ctx: Context;
  step: FairStep = "FAIR_STEP_PROMISING";
  commitment = hex(new Uint8Array(randomBytes(64)));
  host = NO_HOST;
  cut = 0;
  automaticCut = 0;
  /** What each seat promised and gave; others than the own seat from the beginning. */
  promises: (string | undefined)[] = [];
  contributions: string[] = [];
  shutOut: number[] = [];
  voids: { attempt: number; failedSeats: number[] }[] = [];
  /** What is done to the honest values. */
  tamperClosed: (closed: ClosedSet) => ClosedSet = (closed) => closed;
  tamperFair: (fair: FairInfo) => FairInfo = (fair) => fair;
  closed = "";
  transcript = "";

  private constructor(readonly preset: Preset) {
    const rules = preset === "PRESET_SAHRAT" ? "sahrat" : "banakil202";
    this.ctx = { series: bytesOf(MATCH), matchNo: 1, match: bytesOf(MATCH), dealNo: 1, attempt: 0, seats: 4, rules };
  }

  /** Seat 1 is one's own, 0 and 2 are people's, 3 is a bot's. */
  static async begin(preset: Preset = "PRESET_SAHRAT"): Promise<FakeShuffle> {
    const shuffle = new FakeShuffle(preset);
    if (preset === "PRESET_BANAKIL202") shuffle.host = ME;
    await shuffle.others();
    return shuffle;
  }

  /** What the other people promise in this attempt. */
  async others(): Promise<void> {
    this.contributions = ["", "", "", ""];
    this.promises = [];
    for (const seat of [0, 2].filter((seat) => !this.shutOut.includes(seat))) {
      this.contributions[seat] = hex(new Uint8Array(randomBytes(32)));
      this.promises[seat] = await this.promise(seat, this.contributions[seat]!);
    }
  }

  async promise(seat: number, c: string): Promise<string> {
    return hex(await clientCommitment(promptPrimitives, this.ctx, seat, bytesOf(c)));
  }

  close(): void {
    const seats: ClosedSeat[] = ACCOUNTS.map((account, seat) => {
      const h = bytesOf(this.promises[seat] ?? "");
      if (account === "") return { kind: 2, account, h: NONE };
      if (this.shutOut.includes(seat)) return { kind: 3, account, h: NONE };
      return { kind: h.length ? 1 : 0, account, h };
    });
    const { ctx, host, cut } = this;
    const commitment = bytesOf(this.commitment);
    const cutKind = host === NO_HOST ? 0 : cut ? 1 : 2;
    this.closed = hex(closedBytes(this.tamperClosed({ ctx, commitment, host, cutKind, cut, beacon: NONE, seats })));
    this.step = "FAIR_STEP_OPENING";
  }

  async settle(): Promise<void> {
    const closed = readClosed(this.closed)!;
    this.transcript = hex(await transcriptOf(promptPrimitives, closed, this.contributions.map(bytesOf)));
    if (this.host !== NO_HOST && !this.cut) this.automaticCut = 17;
    this.step = "FAIR_STEP_SETTLED";
  }

  /** The attempt is void; the next one begins without the seats that failed. */
  async fail(...seats: number[]): Promise<void> {
    this.voids.push({ attempt: this.ctx.attempt, failedSeats: seats });
    this.shutOut.push(...seats);
    this.ctx = { ...this.ctx, attempt: this.ctx.attempt + 1 };
    this.commitment = hex(new Uint8Array(randomBytes(64)));
    [this.closed, this.transcript] = ["", ""];
    this.step = "FAIR_STEP_PROMISING";
    await this.others();
  }

  signed(what: string, ...payload: Bytes[]): string {
    const signed = joined(tag("signed"), lp(utf8(what)), ...payload);
    return hex(new Uint8Array(sign(null, signed, this.keys.privateKey)));
  }

  get fair(): FairInfo {
    const ctx = contextBytes(this.ctx);
    const { series, matchNo, match, dealNo, attempt, rules } = this.ctx;
    const receipt = (seat: number, value: string, what: string, unixMs: number) =>
      this.signed(what, ctx, u8(seat), bytesOf(value), u64(BigInt(unixMs)));
    const receipts = [0, 1, 2].filter((seat) => this.closed && this.promises[seat] && !this.shutOut.includes(seat));
    return this.tamperFair(
      readFair({
        dealNo,
        attempt,
        rulesId: rules,
        seriesId: hex(series),
        matchNo,
        matchId: hex(match),
        step: this.step,
        commitmentHex: this.commitment,
        keyId: this.keyId,
        commitSignatureHex: this.signed("commit", ctx, bytesOf(this.commitment)),
        closedHex: this.closed,
        closedSignatureHex: this.closed && this.signed("closed", bytesOf(this.closed)),
        transcriptHex: this.transcript,
        transcriptSignatureHex: this.transcript && this.signed("transcript", bytesOf(this.transcript)),
        ...(this.host === NO_HOST ? {} : { hostSeat: this.host }),
        cut: this.step === "FAIR_STEP_PROMISING" || this.step === "FAIR_STEP_CUTTING" ? 0 : this.cut,
        automaticCut: this.automaticCut,
        receipts: receipts.map((seat) => ({
          seat,
          hUnixMs: "1700000000123",
          hSignatureHex: receipt(seat, this.promises[seat]!, "receipt-h", 1_700_000_000_123),
          ...(this.transcript && {
            cUnixMs: "1700000003123",
            cSignatureHex: receipt(seat, this.contributions[seat]!, "receipt-c", 1_700_000_003_123),
          }),
        })),
        contributionsHex: this.transcript ? this.contributions : [],
        voidAttempts: this.voids,
      }),
    );
  }

  /** The own view now. */
  view(change: Partial<View> = {}): View {
    return {
      tableId: "table",
      frozen: false,
      aborted: false,
      revision: 1,
      stage: "STAGE_CEREMONY",
      options: presetOptions(this.preset),
      viewerSeat: ME,
      seats: ACCOUNTS.map((accountId, seat) =>
        readSeat({ seat, accountId, occupant: accountId ? "OCCUPANT_PERSON" : "OCCUPANT_HOUSE_BOT" }),
      ),
      hostSeat: ME,
      match: readMatch({ seriesId: MATCH, matchId: MATCH, matchNo: 1 }),
      nextFair: this.fair,
      ...change,
    };
  }

  /** The view once the deal is dealt, with this hand. */
  dealt(hand: readonly string[], starter = 0): View {
    const { nextFair: fair, ...view } = this.view({ stage: "STAGE_DEAL" });
    const deal = readDeal({ dealNo: this.ctx.dealNo, starter, turnNo: 1, turnSeat: starter, hand, putDown: [] });
    return { ...view, deal, ...(fair ? { fair } : {}) };
  }
}

const unused = () => Promise.reject(new Error("who plays needs none of it"));

/** Primitives that take no time. */
export const promptPrimitives: Primitives = {
  sha256: unused,
  hmac: unused,
  sha512,
  async signedBy(key, signature, data) {
    const x = Buffer.from(key).toString("base64url");
    const isKey = key.length === 32 && signature.length === 64;
    return (
      isKey && verify(null, data, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature)
    );
  },
};
