/** A shuffle as it is published, against what this client kept of it. Each gives what does not agree, or `null`. */

import { hex, joined, lp, tag, u8, u64, utf8, type Bytes } from "../verify/bytes";
import { CONTRIBUTION_BYTES, HUMAN, NO_HOST, type Context } from "../verify/deal";
import type { Primitives } from "../verify/primitives";
import { clientCommitment, contextBytes, transcriptOf } from "../verify/values";
import { closedFault, type FairCheck, type People } from "./closedChecks";
import { bytesOf, isHexOf, readClosed } from "./closedSet";
import { presetOptions, type RuleOptions } from "./options";
import type { FairInfo, View } from "./views";
import type { DealOf, KeptDeal, Receipt, Witness } from "./witness";

/** The own h for a c, both hex. */
export async function promiseOf(by: Primitives, ctx: Context, seat: number, c: string): Promise<string> {
  return hex(await clientCommitment(by, ctx, seat, bytesOf(c)));
}

/** What the published attempt says of itself is what it said before. */
export function publishedFault(of: DealOf, deal: KeptDeal, fair: FairInfo): FairCheck | null {
  const names = ["account", "series", "match_no", "rules", "seats"] as const;
  const same = deal.commitment === fair.commitmentHex && deal.key === fair.keyId;
  return same && names.every((name) => deal[name] === of[name]) ? null : "changed";
}

/** All of K, against what was seen before it. */
export async function closedCheck(
  by: Primitives,
  view: View,
  fair: FairInfo,
  deal: KeptDeal,
  people: People | null,
): Promise<FairCheck | null> {
  if (deal.witness.closed !== fair.closedHex) return "changed";
  const closed = readClosed(fair.closedHex);
  if (!closed) return "closed";
  const ctx = contextOf(deal);
  // Each attempt before this one is void, and told.
  if (!tableSays(view, ctx) || fair.voidAttempts.length !== fair.attempt) return "context";
  const host = hostOf(view, fair);
  if (host !== (fair.hostSeat ?? NO_HOST)) return "host";
  const { seat, c } = deal.witness;
  return closedFault(closed, {
    ctx,
    commitment: deal.commitment,
    host,
    cut: fair.cut,
    cutBefore: deal.cut,
    seat,
    account: deal.account,
    promise: c ? await promiseOf(by, ctx, seat, c) : "",
    people,
    failed: failedSeats(fair),
  });
}

/** T follows from K and all contributions, the own one among them, and each contribution was promised. */
export async function transcriptCheck(by: Primitives, fair: FairInfo, deal: KeptDeal): Promise<FairCheck | null> {
  const { witness } = deal;
  const closed = readClosed(fair.closedHex);
  if (!closed || witness.closed !== fair.closedHex) return "changed";
  if (witness.transcript !== fair.transcriptHex) return "changed";
  for (const [seat, { kind, h }] of closed.seats.entries()) {
    const c = fair.contributionsHex[seat] ?? "";
    const right =
      kind === HUMAN
        ? isHexOf(c, CONTRIBUTION_BYTES) && (await promiseOf(by, closed.ctx, seat, c)) === hex(h)
        : c === "";
    if (!right) return "contribution";
  }
  const own = closed.seats[witness.seat]?.kind === HUMAN ? (witness.c ?? "") : "";
  if (own && fair.contributionsHex[witness.seat] !== own) return "contribution";
  const contributions = closed.seats.map((_, seat) => bytesOf(fair.contributionsHex[seat] ?? ""));
  return hex(await transcriptOf(by, closed, contributions)) === fair.transcriptHex ? null : "transcript";
}

/** What is there must be signed by the key of the attempt. */
export async function signatureCheck(by: Primitives, deal: KeptDeal): Promise<FairCheck | null> {
  const { witness, signatures } = deal;
  const ctx = contextBytes(contextOf(deal));
  const signed: [string, string | undefined, readonly Bytes[]][] = [
    ["commit", signatures.commit, [ctx, bytesOf(deal.commitment)]],
    ...(witness.closed ? [["closed", signatures.closed, [bytesOf(witness.closed)]] as [string, string, Bytes[]]] : []),
    ...(witness.transcript
      ? [["transcript", signatures.transcript, [bytesOf(witness.transcript)]] as [string, string, Bytes[]]]
      : []),
  ];
  for (const [what, signature, payload] of signed) {
    if (!(await by.signedBy(bytesOf(deal.key), bytesOf(signature ?? ""), signedBytes(what, ...payload))))
      return "signature";
  }
  return null;
}

/** Who took part has both receipts, and they are signed. */
export async function receiptCheck(by: Primitives, deal: KeptDeal): Promise<FairCheck | null> {
  const { seat, c, closed, receipts } = deal.witness;
  const own = readClosed(closed ?? "")?.seats[seat];
  if (own?.kind !== HUMAN || !c) return null;
  const ctx = contextOf(deal);
  for (const [what, receipt, value] of [
    ["receipt-h", receipts?.h, own.h],
    ["receipt-c", receipts?.c, bytesOf(c)],
  ] as const) {
    const payload = [contextBytes(ctx), u8(seat), value, u64(BigInt(receipt?.unix_ms ?? 0))];
    const signed = signedBytes(what, ...payload);
    const right = await by.signedBy(bytesOf(deal.key), bytesOf(receipt?.signature ?? ""), signed);
    if (!receipt || !right) return "receipt";
  }
  return null;
}

/** The receipts of a seat, as far as they are out. */
export function receiptsOf(fair: FairInfo, seat: number): NonNullable<Witness["receipts"]> {
  const own = fair.receipts.find((receipts) => receipts.seat === seat);
  const receipt = (unixMs: string, signature: string): Receipt | null =>
    Number(unixMs) ? { unix_ms: Number(unixMs), signature } : null;
  const h = own && receipt(own.hUnixMs, own.hSignatureHex);
  const c = own && receipt(own.cUnixMs, own.cSignatureHex);
  return { ...(h ? { h } : {}), ...(c ? { c } : {}) };
}

export function contextOf({ series, match_no, match, deal_no, attempt, seats, rules }: KeptDeal): Context {
  return { series: bytesOf(series), matchNo: match_no, match: bytesOf(match), dealNo: deal_no, attempt, seats, rules };
}

function signedBytes(what: string, ...payload: readonly Bytes[]): Bytes {
  return joined(tag("signed"), lp(utf8(what)), ...payload);
}

/** The seats that failed in earlier attempts. */
export function failedSeats(fair: FairInfo): number[] {
  return fair.voidAttempts.flatMap(({ failedSeats }) => failedSeats);
}

/** The seat that may cut, by the rules of the table and not by what is published. */
function hostOf(view: View, { matchNo, dealNo }: FairInfo): number {
  const due = view.options.starter === "STARTER_RULE_HOST_CUT" && matchNo === 1 && dealNo === 1;
  return due ? view.hostSeat : NO_HOST;
}

/** Whether the table itself tells of this series, this match and these rules. */
function tableSays({ match, options }: View, ctx: Context): boolean {
  const sameMatch = match.matchId !== hex(ctx.match) || match.matchNo === ctx.matchNo;
  return match.seriesId === hex(ctx.series) && sameMatch && rulesFit(options, ctx.rules);
}

/** The rules id has the table's preset, and a hash behind it exactly where options differ. */
function rulesFit(options: RuleOptions, rules: string): boolean {
  const preset = options.preset === "PRESET_SAHRAT" ? "sahrat" : "banakil202";
  const base = presetOptions(options.preset, options.mode);
  const names = new Set([...Object.keys(base), ...Object.keys(options)]) as Set<keyof RuleOptions>;
  const plain = [...names].every((name) => options[name] === base[name]);
  return plain ? rules === preset : new RegExp(`^${preset}\\+[0-9a-f]{16}$`).test(rules);
}
