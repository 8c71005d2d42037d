/** Makes ceremonies as an honest service and honest browsers would, of all kinds, the same from the same seed. */

import { ed25519 } from "@noble/curves/ed25519.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { hex, joined, u32, u64, u8, utf8, type Bytes } from "../bytes";
import { signedPayloads } from "../checks";
import {
  ABSENT,
  BOT,
  CUT_AUTOMATIC,
  CUT_HOST,
  CUT_NONE,
  HUMAN,
  NO_HOST,
  SHUT_OUT,
  type Attempt,
  type ClosedSet,
  type Context,
} from "../deal";
import { Draws } from "../draws";
import type { Primitives } from "../primitives";
import { rulesId } from "../rulesId";
import { signedBytes } from "../signatures";
import { clientCommitment, closedBytes, contextBytes, serverCommitment, transcriptOf } from "../values";
import { dealtHand } from "../witness";

const RECEIVED_UNIX_MS = 1_750_000_000_123n;

/** Numbers that look random. */
export class Chance {
  private drawn = 0;

  constructor(private readonly seed: string) {}

  bytes(count: number): Bytes {
    const blocks = Array.from({ length: Math.ceil(count / 64) }, () => {
      return new Uint8Array(hmac(sha512, utf8(this.seed), u32(this.drawn++)));
    });
    return joined(...blocks).slice(0, count);
  }

  below(n: number): number {
    return new DataView(this.bytes(4).buffer).getUint32(0) % n;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

/** A ceremony to make. `voids`: the seats that fail in each attempt before the one that is played. */
export interface Plan {
  readonly options: { readonly preset: "sahrat" | "banakil202"; readonly [name: string]: boolean | number | string };
  readonly matchNo: number;
  readonly dealNo: number;
  readonly kinds: readonly number[];
  readonly voids: readonly (readonly number[])[];
  readonly host: number;
  readonly cut: number;
  readonly beacon: Bytes;
  readonly witnessOf: number | null;
  readonly signed: boolean;
}

export function randomPlan(chance: Chance): Plan {
  const preset = chance.of(["sahrat", "banakil202"] as const);
  const seats = chance.of([2, 4]);
  const series = chance.below(4) === 0;
  const changed = chance.below(3) === 0 ? { target: 300 } : {};
  const options = {
    preset,
    ...(seats === 2 ? { mode: "duel" } : {}),
    ...(series ? { format: "best_of_3" } : {}),
    ...changed,
  };
  const matchNo = series ? 1 + chance.below(3) : 1;
  const dealNo = chance.of([1, 1, 2, 17]);
  const kinds = Array.from({ length: seats }, () => chance.of([HUMAN, HUMAN, HUMAN, BOT, ABSENT]));
  const voids: number[][] = [];
  let left = [...kinds.keys()].filter((seat) => kinds[seat] === HUMAN);
  while (left.length && chance.below(4) === 0) {
    const failed = left.filter(() => chance.below(2) === 0);
    voids.push(failed.length ? failed : [left[0]!]);
    left = left.filter((seat) => !voids.at(-1)!.includes(seat));
  }
  const signed = chance.below(6) === 0;
  const due = preset === "banakil202" && matchNo === 1 && dealNo === 1;
  return {
    options,
    matchNo,
    dealNo,
    kinds,
    voids,
    host: due ? chance.below(seats) : NO_HOST,
    cut: chance.of([0, 1 + chance.below(105)]),
    beacon: chance.bytes(chance.of([0, 0, 32])),
    witnessOf: signed && left.length ? chance.of(left) : null,
    signed,
  };
}

/** A ceremony made: the `fair` object, and what is drawn. */
export async function made(by: Primitives, chance: Chance, plan: Plan) {
  const secretKey = chance.bytes(32);
  const key = plan.signed ? secretKey : null;
  const match = chance.bytes(16);
  const series = plan.matchNo === 1 ? match : chance.bytes(16);
  const { preset, mode, ...changed } = plan.options;
  const base = { match, series, matchNo: plan.matchNo, dealNo: plan.dealNo, seats: mode === "duel" ? 2 : 4 };
  const ctx = { ...base, rules: await rulesId(by, preset, changed) };
  const kinds = [...plan.kinds];
  const void_: object[] = [];
  for (const [attempt, failed] of plan.voids.entries()) {
    const one = await attemptOf(by, chance, plan, { ...ctx, attempt }, kinds);
    const contributions = one.contributions.map((c, seat) =>
      failed.includes(seat) ? (seat % 2 ? chance.bytes(32) : new Uint8Array()) : c,
    );
    void_.push({ attempt, ...attemptJson({ ...one, contributions }, null, key), failed });
    for (const seat of failed) kinds[seat] = SHUT_OUT;
  }
  const played = await attemptOf(by, chance, plan, { ...ctx, attempt: plan.voids.length }, kinds);
  const transcript = await transcriptOf(by, played.closed, played.contributions);
  const draws = new Draws(by, played.secret, transcript);
  const starter = await draws.starter(played.closed, preset === "sahrat" ? "dealer_draw" : "host_cut");
  const deck = await draws.deck();
  const fair = {
    series: hex(series),
    match_no: plan.matchNo,
    match: hex(match),
    deal_no: plan.dealNo,
    attempt: plan.voids.length,
    rules: ctx.rules,
    ...attemptJson(played, transcript, key),
    transcript: hex(transcript),
    ...(void_.length ? { void: void_ } : {}),
    ...(plan.witnessOf === null || !key
      ? {}
      : { witness: await witnessJson(by, played, transcript, plan.witnessOf, deck, starter ?? 0, key) }),
  };
  return { options: plan.options, fair, deck, starter: starter ?? 0, drawn: starter, draws };
}

async function attemptOf(
  by: Primitives,
  chance: Chance,
  plan: Plan,
  ctx: Context,
  kinds: readonly number[],
): Promise<Attempt> {
  const secret = chance.bytes(128);
  const contributions = kinds.map((kind) => (kind === HUMAN ? chance.bytes(32) : new Uint8Array()));
  const seats = await Promise.all(
    kinds.map(async (kind, seat) => ({
      kind,
      account: kind === BOT ? "" : `لاعب-${seat}`,
      h: kind === HUMAN ? await clientCommitment(by, ctx, seat, contributions[seat]!) : new Uint8Array(),
    })),
  );
  const byHost = plan.host !== NO_HOST && plan.cut > 0 && kinds[plan.host] === HUMAN;
  const closed: ClosedSet = {
    ctx,
    commitment: await serverCommitment(by, ctx, secret),
    host: plan.host,
    cutKind: plan.host === NO_HOST ? CUT_NONE : byHost ? CUT_HOST : CUT_AUTOMATIC,
    cut: byHost ? plan.cut : 0,
    beacon: plan.beacon,
    seats,
  };
  return { closed, secret, contributions, signatures: null };
}

function attemptJson(attempt: Attempt, transcript: Bytes | null, key: Bytes | null) {
  const { closed, secret, contributions } = attempt;
  return {
    secret: hex(secret),
    commitment: hex(closed.commitment),
    host: closed.host,
    cut_kind: closed.cutKind,
    cut: closed.cut,
    beacon: hex(closed.beacon),
    seats: closed.seats.map(({ kind, account, h }, at) => ({ kind, account, h: hex(h), c: hex(contributions[at]!) })),
    ...(key ? { signatures: signaturesJson(attempt, transcript, key) } : {}),
  };
}

function signaturesJson(attempt: Attempt, transcript: Bytes | null, key: Bytes): Record<string, string> {
  const signed = [...signedPayloads(attempt, transcript)].map(([what, payload]) => [
    what,
    signature(key, what, payload),
  ]);
  return { key: publicHex(key), ...(Object.fromEntries(signed) as Record<string, string>) };
}

async function witnessJson(
  by: Primitives,
  played: Attempt,
  transcript: Bytes,
  seat: number,
  deck: readonly string[],
  starter: number,
  key: Bytes,
) {
  const { closed, contributions } = played;
  const c = contributions[seat]!;
  const receipt = (what: string, value: Bytes) => ({
    unix_ms: Number(RECEIVED_UNIX_MS),
    signature: signature(key, what, joined(contextBytes(closed.ctx), u8(seat), value, u64(RECEIVED_UNIX_MS))),
  });
  return {
    seat,
    attempt: closed.ctx.attempt,
    c: hex(c),
    closed: hex(closedBytes(closed)),
    transcript: hex(transcript),
    hand: dealtHand(deck, seat, starter, closed.ctx.seats),
    receipts: {
      h: receipt("receipt-h", await clientCommitment(by, closed.ctx, seat, c)),
      c: receipt("receipt-c", c),
    },
  };
}

/** The id of a key: its public half. */
function publicHex(key: Bytes): string {
  return hex(new Uint8Array(ed25519.getPublicKey(key)));
}

function signature(key: Bytes, what: string, payload: Bytes): string {
  return hex(new Uint8Array(ed25519.sign(signedBytes(what, payload), key)));
}
