/** A table's shuffles as a server publishes them, honest or not, with real keys and hashes. */

import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import type { Digests } from "../digests";
import { NO_HOST, contextBytes, hex, receiptBytes, signedBytes, transcriptOf, unhex } from "../fairValues";
import type { Bytes, ClosedSeat, ClosedSet, Context } from "../fairValues";
import { presetOptions, type Preset } from "../options";
import { readDeal, readFair, readMatch, readSeat, type FairInfo, type FairStep, type View } from "../views";

export const MATCH = "ab".repeat(16);
export const ME = 1;
const ACCOUNTS = ["ada", "me", "cem", ""];

const bytesOf = (value: number, length: number) =>
  Uint8Array.from({ length }, (_, at) => Math.floor(value / 256 ** (length - 1 - at)) % 256);
const lp = (bytes: Uint8Array) => [...bytesOf(bytes.length, 2), ...bytes];
const utf8 = (text: string) => new TextEncoder().encode(text);

/** The bytes of K, as hex. */
export function closedOf({ ctx, commitment, host, cutKind, cut, beacon, seats }: ClosedSet): string {
  const ofSeats = seats.flatMap(({ kind, account, h }, seat) => [seat, kind, ...lp(utf8(account)), ...lp(unhex(h))]);
  const head = [...contextBytes(ctx), ...unhex(commitment), host, cutKind, cut, ...lp(unhex(beacon))];
  return hex(Uint8Array.from([...head, ...ofSeats]));
}

export const sha512 = async (data: Bytes) => new Uint8Array(createHash("sha512").update(data).digest());

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
    this.ctx = { series: MATCH, matchNo: 1, match: MATCH, dealNo: 1, attempt: 0, seats: 4, rules };
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
    const tag = [...lp(utf8("banakil/fair/v1/client-commit"))];
    return hex(await sha512(Uint8Array.from([...tag, ...contextBytes(this.ctx), seat, ...unhex(c)])));
  }

  close(): void {
    const seats: ClosedSeat[] = ACCOUNTS.map((account, seat) => {
      const h = this.promises[seat] ?? "";
      if (account === "") return { kind: 2, account, h: "" };
      if (this.shutOut.includes(seat)) return { kind: 3, account, h: "" };
      return { kind: h ? 1 : 0, account, h };
    });
    const { ctx, commitment, host, cut } = this;
    const cutKind = host === NO_HOST ? 0 : cut ? 1 : 2;
    this.closed = closedOf(this.tamperClosed({ ctx, commitment, host, cutKind, cut, beacon: "", seats }));
    this.step = "FAIR_STEP_OPENING";
  }

  async settle(): Promise<void> {
    this.transcript = await transcriptOf(sha512, this.closed, this.contributions);
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
    return hex(new Uint8Array(sign(null, signedBytes(what, ...payload), this.keys.privateKey)));
  }

  get fair(): FairInfo {
    const ctx = contextBytes(this.ctx);
    const { series, matchNo, match, dealNo, attempt, rules } = this.ctx;
    const receipt = (seat: number, value: string, what: string, unixMs: number) =>
      this.signed(what, receiptBytes(this.ctx, seat, value, unixMs));
    const receipts = [0, 1, 2].filter((seat) => this.closed && this.promises[seat] && !this.shutOut.includes(seat));
    return this.tamperFair(
      readFair({
        dealNo,
        attempt,
        rulesId: rules,
        seriesId: series,
        matchNo,
        matchId: match,
        step: this.step,
        commitmentHex: this.commitment,
        keyId: this.keyId,
        commitSignatureHex: this.signed("commit", ctx, unhex(this.commitment)),
        closedHex: this.closed,
        closedSignatureHex: this.closed && this.signed("closed", unhex(this.closed)),
        transcriptHex: this.transcript,
        transcriptSignatureHex: this.transcript && this.signed("transcript", unhex(this.transcript)),
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

/** Digests that take no time. */
export const promptDigests: Digests = {
  sha512,
  async signedBy(key, signature, data) {
    const x = Buffer.from(key).toString("base64url");
    const isKey = key.length === 32 && signature.length === 64;
    return (
      isKey && verify(null, data, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature)
    );
  },
};
