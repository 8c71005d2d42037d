/**
 * The audit export of a match (docs/record.md, "banakil verify"): every attempt at a shuffle that was begun, revealed or
 * not, with neither options nor play.
 */

import { FairError, hex, joined, same, u32, u8, type Bytes } from "./bytes";
import { byFault, cannotCheck, fails, type Check } from "./checks";
import {
  CONTRIBUTION_BYTES,
  HASH_BYTES,
  NO_HOST,
  SECRET_BYTES,
  contextOf,
  type Attempt,
  type ClosedSet,
  type FairDeal,
  type Signatures,
} from "./deal";
import { asList, asObject } from "./fields";
import type { Json } from "./json";
import { readKept } from "./kept";
import type { Primitives } from "./primitives";
import { NOTHING, knownKeys, type DealReport, type Known } from "./record";
import { SignatureJudge, type KeyRing } from "./signatures";
import { closedBytes, contextBytes } from "./values";
import { verdictOf, verifyDeal } from "./verifyDeal";
import { readKeys, wireBytes, wireContext, wireList, wireObject, wireText, wireWhole } from "./wire";

const MOST_ATTEMPTS = 1_000;
const MOST_BEACON = 0xffff;
const KINDS = ["SEAT_KIND_ABSENT", "SEAT_KIND_HUMAN", "SEAT_KIND_BOT", "SEAT_KIND_SHUT_OUT"];
const CUTS = ["CUT_KIND_NONE", "CUT_KIND_HOST", "CUT_KIND_AUTOMATIC"];

/** What is public of one attempt; what is not out yet is `null`. */
interface PublicAttempt extends Omit<Attempt, "secret"> {
  readonly secret: Bytes | null;
  /** K as it was published. */
  readonly closedBytes: Bytes;
  readonly transcript: Bytes | null;
  readonly failed: readonly number[];
  readonly isClosed: boolean;
}

export interface AuditFile {
  readonly attempts: readonly PublicAttempt[];
  readonly withheld: number;
  readonly end: { dealNo: number; attempt: number; key: string; signature: Bytes } | null;
  /** How often accounts made an attempt void, in any match. */
  readonly voidsOf: ReadonlyMap<string, number>;
  /** The keys that the export names: whether they are published, it cannot show. */
  readonly keys: KeyRing;
}

/** Whether a file is meant as an audit export, and not as a record. */
export function isAudit(file: Json): boolean {
  return file instanceof Map && !file.has("format") && file.has("deals") && file.has("keys");
}

/** Throws `FairError`, naming the field. */
export function readAudit(file: Json): AuditFile {
  const fields = asObject(file, "the file", ["deals", "keys"], null);
  const end = fields.has("matchEnd") ? wireObject(fields.get("matchEnd"), "matchEnd") : null;
  return {
    attempts: asList(fields.get("deals"), "deals", MOST_ATTEMPTS).map((deal, at) => readAttempt(deal, `deals[${at}]`)),
    withheld: wireWhole(fields.get("withheldCount"), "withheldCount"),
    end: end && {
      dealNo: wireWhole(end.get("lastDealNo"), "matchEnd.lastDealNo"),
      attempt: wireWhole(end.get("lastAttempt"), "matchEnd.lastAttempt"),
      key: wireText(end.get("keyId"), "matchEnd.keyId"),
      signature: wireBytes(end.get("signature"), "matchEnd.signature"),
    },
    voidsOf: new Map(
      wireList(fields.get("accountVoids"), "accountVoids", MOST_ATTEMPTS).map((item, at) => {
        const one = wireObject(item, `accountVoids[${at}]`);
        const count = wireWhole(one.get("voidCount"), `accountVoids[${at}].voidCount`);
        return [wireText(one.get("accountId"), `accountVoids[${at}].accountId`), count] as const;
      }),
    ),
    keys: readKeys(file),
  };
}

function readAttempt(value: Json, where: string): PublicAttempt {
  const fields = wireObject(value, where);
  const at = (name: string) => `${where}.${name}`;
  const bytes = (name: string, ...lengths: number[]) => wireBytes(fields.get(name), at(name), ...lengths);
  const ctx = wireContext(fields.get("context"), at("context"));
  const seats = wireList(fields.get("seats"), at("seats"), ctx.seats).map((item, seat) => {
    const given = wireObject(item, at(`seats[${seat}]`));
    const of = (name: string) => at(`seats[${seat}].${name}`);
    return {
      kind: choice(KINDS, wireText(given.get("kind"), of("kind")), of("kind")),
      account: wireText(given.get("accountId"), of("accountId")),
      h: wireBytes(given.get("h"), of("h"), 0, HASH_BYTES),
      c: wireBytes(given.get("c"), of("c"), 0, CONTRIBUTION_BYTES),
    };
  });
  const isClosed = seats.length > 0;
  if (isClosed && seats.length !== ctx.seats) throw new FairError(at("seats"), `${seats.length}, of ${ctx.seats}`);
  const beacon = bytes("beacon");
  if (beacon.length > MOST_BEACON) throw new FairError(at("beacon"), "is too long");
  const closed: ClosedSet = {
    ctx,
    commitment: bytes("commitment", HASH_BYTES),
    host: fields.has("hostSeat") ? wireWhole(fields.get("hostSeat"), at("hostSeat"), NO_HOST) : NO_HOST,
    cutKind: isClosed ? choice(CUTS, wireText(fields.get("cutKind"), at("cutKind")), at("cutKind")) : 0,
    cut: wireWhole(fields.get("cut"), at("cut"), NO_HOST),
    beacon,
    seats: seats.map(({ kind, account, h }) => ({ kind, account, h })),
  };
  const secret = bytes("secret", 0, SECRET_BYTES);
  const transcript = bytes("transcript", 0, HASH_BYTES);
  return {
    closed,
    secret: secret.length ? secret : null,
    contributions: seats.map(({ c }) => c),
    signatures: readSignatures(fields.get("signatures"), at("signatures")),
    closedBytes: bytes("closed"),
    transcript: transcript.length ? transcript : null,
    failed: wireList(fields.get("failedSeats"), at("failedSeats"), ctx.seats).map((seat) =>
      wireWhole(seat, at("failedSeats"), ctx.seats - 1),
    ),
    isClosed,
  };
}

function choice(names: readonly string[], name: string, what: string): number {
  const at = names.indexOf(name);
  if (at < 0) throw new FairError(what, "is not known");
  return at;
}

function readSignatures(value: Json | undefined, where: string): Signatures {
  const fields = wireObject(value, where);
  const of = ["commit", "closed", "transcript", "reveal"].flatMap((name) => {
    const signature = wireBytes(fields.get(name), `${where}.${name}`);
    return signature.length ? [[name, signature] as const] : [];
  });
  return { key: wireText(fields.get("keyId"), `${where}.keyId`), of: new Map(of) };
}

/** Checks the deals of an export one after the other; the checks of the whole match stand with the last. */
export async function verifyAudit(
  by: Primitives,
  audit: AuditFile,
  known: Known,
  told: (report: DealReport) => void | Promise<void> = () => undefined,
): Promise<DealReport[]> {
  const numbers = [...new Set(audit.attempts.map(({ closed }) => closed.ctx.dealNo))];
  const before: FairDeal[] = [];
  const reports: DealReport[] = [];
  for (const [at, dealNo] of numbers.entries()) {
    const attempts = audit.attempts.filter(({ closed }) => closed.ctx.dealNo === dealNo);
    const { deal, ...found } = await dealReport(by, attempts, before, known);
    if (deal) before.push(deal);
    const ofMatch = at === numbers.length - 1 ? await matchChecks(by, audit, known) : [];
    const checks = [...found.checks, ...ofMatch];
    const report = { ...found, no: at + 1, deal, checks, verdict: verdictOf(checks) };
    reports.push(report);
    await told(report);
  }
  return reports;
}

async function dealReport(
  by: Primitives,
  attempts: readonly PublicAttempt[],
  before: readonly FairDeal[],
  known: Known,
): Promise<Omit<DealReport, "no" | "verdict">> {
  const last = attempts.at(-1)!;
  const voids = attempts.filter(({ failed }) => failed.length > 0);
  const nothing = { ...NOTHING, deal: null };
  if (last.failed.length || attempts.some(({ secret, isClosed }) => !secret || !isClosed) || !last.transcript) {
    return { ...nothing, checks: [cannotCheck("fair", "the secret is not out")] };
  }
  const deal: FairDeal = {
    played: { ...last, secret: last.secret! },
    transcript: last.transcript,
    voids: voids.map((attempt) => ({ ...attempt, secret: attempt.secret! })),
    witness: null,
  };
  const ctx = contextOf(deal);
  const kept = known.kept(hex(ctx.match), ctx.dealNo);
  const own = kept === undefined ? null : readKept(kept, ctx);
  try {
    const found = await verifyDeal(by, deal, {
      options: null,
      before,
      apart: ctx.dealNo - (before.length ? contextOf(before.at(-1)!).dealNo : ctx.dealNo - 1),
      starter: null,
      followsOn: null,
      listed: { deck: null, reshuffles: null },
      follow: null,
      keys: knownKeys(own?.keys ?? null, known.keys),
      witnesses: own?.witnesses ?? [],
      days: known.days,
    });
    const wrong = attempts.find((attempt) => !same(closedBytes(attempt.closed), attempt.closedBytes));
    const closed = byFault("closed", wrong ? "K is another one than its values give" : null);
    return { ...found, deal, checks: [...found.checks, ...(own?.checks ?? []), closed] };
  } catch (error) {
    if (!(error instanceof FairError)) throw error;
    return { ...nothing, checks: [fails("fair", error.message)] };
  }
}

/** The checks of the match as a whole: no attempt is left out, none is kept back, and its end is signed. */
async function matchChecks(by: Primitives, audit: AuditFile, known: Known): Promise<Check[]> {
  const { attempts, withheld, end } = audit;
  const hidden = attempts.filter(({ secret }) => !secret).length;
  const checks = [
    byFault("order", orderFault(attempts)),
    hidden && hidden >= withheld
      ? cannotCheck("withheld", `${hidden} secrets are not out, those of ${withheld} deals that are over among them`)
      : byFault("withheld", withheld ? "more are said to be withheld than there are" : null),
    byFault("account_voids", accountFault(audit)),
  ];
  const last = attempts.at(-1)?.closed.ctx;
  if (!end || !last) return [...checks, cannotCheck("match_end", "the signed end of the match is not in this file")];
  const right = end.dealNo === last.dealNo && end.attempt === last.attempt;
  checks.push(byFault("match_end", right ? null : `it ends with deal ${end.dealNo}, attempt ${end.attempt}`));
  const payload = joined(last.series, u8(last.matchNo), last.match, u32(end.dealNo), u32(end.attempt));
  const judge = new SignatureJudge(by, known.keys);
  return [...checks, await judge.check("signature.match-end", end.key, "match-end", payload, end.signature)];
}

/** Nobody is said to have made fewer attempts void, in all matches, than in this one. */
function accountFault({ attempts, voidsOf }: AuditFile): string | null {
  const here = new Map<string, number>();
  for (const { closed, failed } of attempts) {
    for (const seat of failed) {
      const account = closed.seats[seat]?.account ?? "";
      here.set(account, (here.get(account) ?? 0) + 1);
    }
  }
  const low = [...here].find(([account, count]) => (voidsOf.get(account) ?? 0) < count);
  return low ? `${low[0]} made ${low[1]} void here, and fewer are counted` : null;
}

function orderFault(attempts: readonly PublicAttempt[]): string | null {
  for (const [at, { closed, failed, transcript }] of attempts.entries()) {
    const { ctx } = closed;
    const previous = attempts[at - 1];
    const was = previous?.closed.ctx;
    const isNext = was && (previous.failed.length ? { dealNo: was.dealNo, attempt: was.attempt + 1 } : null);
    const due = isNext ?? { dealNo: (was?.dealNo ?? 0) + 1, attempt: 0 };
    if (ctx.dealNo !== due.dealNo || ctx.attempt !== due.attempt) {
      return `deal ${due.dealNo}, attempt ${due.attempt} is left out`;
    }
    if (failed.length && transcript) return "an attempt is void and has a transcript";
    const alike = [ctx, attempts[0]!.closed.ctx].map((one) => hex(contextBytes({ ...one, dealNo: 1, attempt: 0 })));
    if (alike[0] !== alike[1]) return "they are not all of one match";
  }
  return null;
}
