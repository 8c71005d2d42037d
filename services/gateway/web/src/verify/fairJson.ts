/**
 * Reads the `fair` object of a record (docs/fair.md, "In a record"), strictly, since it is evidence. It refuses what has
 * no meaning; whether the values agree with each other is for the checks.
 */

import { FairError, LONGEST, utf8 } from "./bytes";
import {
  CONTRIBUTION_BYTES,
  HASH_BYTES,
  ID_BYTES,
  SECRET_BYTES,
  SIGNATURE_BYTES,
  type Attempt,
  type Context,
  type FairDeal,
  type Receipt,
  type Signatures,
  type VoidAttempt,
  type Witness,
} from "./deal";
import { asBytes, asCards, asList, asObject, asText, asWhole } from "./fields";
import type { Json, JsonObject } from "./json";
import { isRulesId } from "./rulesId";

const U32_MOST = 0xffff_ffff;
const U64_MOST = 0xffff_ffff_ffff_ffffn;
const MOST_SEATS = 4;
const MOST_SIGNATURES = 16;
const MOST_HAND = 106;

const ATTEMPT = ["secret", "commitment", "host", "cut_kind", "cut", "beacon", "seats"];
const FAIR = ["series", "match_no", "match", "deal_no", "attempt", "rules", ...ATTEMPT, "transcript"];

/** Throws `FairError`, naming the field. */
export function readFair(value: Json | undefined): FairDeal {
  const fields = asObject(value, "fair", FAIR, ["signatures", "void", "witness"]);
  const ctx: Context = {
    series: asBytes(fields.get("series"), "series", ID_BYTES),
    matchNo: asWhole(fields.get("match_no"), "match_no", 1, 3),
    match: asBytes(fields.get("match"), "match", ID_BYTES),
    dealNo: asWhole(fields.get("deal_no"), "deal_no", 1, U32_MOST),
    attempt: asWhole(fields.get("attempt"), "attempt", 0, U32_MOST),
    seats: asList(fields.get("seats"), "seats", MOST_SEATS).length,
    rules: asText(fields.get("rules"), "rules"),
  };
  if (ctx.seats !== 2 && ctx.seats !== 4) throw new FairError("seats", `are ${ctx.seats}, not 2 or 4`);
  if (!isRulesId(ctx.rules)) throw new FairError("rules", "is not the id of a rule set");
  return {
    played: readAttempt(fields, ctx, "", ["kind", "account", "h", "c"]),
    transcript: asBytes(fields.get("transcript"), "transcript", HASH_BYTES),
    voids: fields.has("void") ? readVoids(fields.get("void"), ctx) : [],
    witness: fields.has("witness") ? readWitness(fields.get("witness"), ctx) : null,
  };
}

function readAttempt(fields: JsonObject, ctx: Context, where: string, ofSeat: readonly string[]): Attempt {
  const seats = asList(fields.get("seats"), `${where}seats`, ctx.seats).map((value, at) => {
    const name = `${where}seats[${at}]`;
    const seat = asObject(value, name, ofSeat, ["c"]);
    const account = asText(seat.get("account"), `${name}.account`);
    if (utf8(account, `${name}.account`).length > LONGEST) throw new FairError(`${name}.account`, "is too long");
    return {
      kind: asWhole(seat.get("kind"), `${name}.kind`, 0, 3),
      account,
      h: asBytes(seat.get("h"), `${name}.h`, 0, HASH_BYTES),
      c: seat.has("c") ? asBytes(seat.get("c"), `${name}.c`, 0, CONTRIBUTION_BYTES) : new Uint8Array(),
    };
  });
  if (seats.length !== ctx.seats) throw new FairError(`${where}seats`, `${seats.length}, but ${ctx.seats} play`);
  return {
    closed: {
      ctx,
      commitment: asBytes(fields.get("commitment"), `${where}commitment`, HASH_BYTES),
      host: asWhole(fields.get("host"), `${where}host`, 0, 255),
      cutKind: asWhole(fields.get("cut_kind"), `${where}cut_kind`, 0, 2),
      cut: asWhole(fields.get("cut"), `${where}cut`, 0, 255),
      beacon: asBytes(fields.get("beacon"), `${where}beacon`),
      seats: seats.map(({ kind, account, h }) => ({ kind, account, h })),
    },
    secret: asBytes(fields.get("secret"), `${where}secret`, SECRET_BYTES),
    contributions: seats.map(({ c }) => c),
    signatures: fields.has("signatures") ? readSignatures(fields.get("signatures"), where) : null,
  };
}

function readVoids(value: Json | undefined, ctx: Context): VoidAttempt[] {
  const items = asList(value, "void", MOST_SEATS);
  if (items.length === 0 && ctx.attempt) throw new FairError("void", `lists nothing before attempt ${ctx.attempt}`);
  return items.map((item, at) => {
    const where = `void[${at}]`;
    const fields = asObject(item, where, ["attempt", ...ATTEMPT, "failed"], ["signatures"]);
    const attempt = asWhole(fields.get("attempt"), `${where}.attempt`, 0, U32_MOST);
    const failed = asList(fields.get("failed"), `${where}.failed`, ctx.seats);
    return {
      ...readAttempt(fields, { ...ctx, attempt }, `${where}.`, ["kind", "account", "h"]),
      failed: failed.map((seat) => asWhole(seat, `${where}.failed`, 0, ctx.seats - 1)),
    };
  });
}

function readSignatures(value: Json | undefined, where: string): Signatures {
  const fields = asObject(value, `${where}signatures`, ["key"], null);
  if (fields.size > MOST_SIGNATURES) throw new FairError(`${where}signatures`, "are too many");
  const of = [...fields].filter(([name]) => name !== "key");
  return {
    key: asText(fields.get("key"), `${where}signatures.key`),
    of: new Map(of.map(([name, value]) => [name, asBytes(value, `${where}signatures.${name}`, SIGNATURE_BYTES)])),
  };
}

/** A player's witness, as `fair` has it. Throws `FairError`. */
export function readWitness(value: Json | undefined, ctx: Context): Witness {
  const parts = ["attempt", "c", "closed", "transcript", "hand", "receipts"];
  const fields = asObject(value, "witness", ["seat"], parts);
  const part = <T>(name: string, read: (value: Json | undefined, what: string) => T): T | null =>
    fields.has(name) ? read(fields.get(name), `witness.${name}`) : null;
  const receipts = part("receipts", (value, what) => asObject(value, what, [], ["h", "c"]));
  const receipt = (name: string) =>
    receipts?.has(name) ? readReceipt(receipts.get(name), `witness.receipts.${name}`) : null;
  return {
    seat: asWhole(fields.get("seat"), "witness.seat", 0, ctx.seats - 1),
    attempt: part("attempt", (value, what) => asWhole(value, what, 0, ctx.attempt)) ?? ctx.attempt,
    c: part("c", (value, what) => asBytes(value, what, CONTRIBUTION_BYTES)),
    closed: part("closed", (value, what) => asBytes(value, what)),
    transcript: part("transcript", (value, what) => asBytes(value, what, HASH_BYTES)),
    hand: part("hand", (value, what) => asCards(value, what, MOST_HAND)),
    receiptH: receipt("h"),
    receiptC: receipt("c"),
  };
}

function readReceipt(value: Json | undefined, where: string): Receipt {
  const fields = asObject(value, where, ["unix_ms", "signature"], []);
  const at = fields.get("unix_ms");
  const unixMs = typeof at === "number" || typeof at === "bigint" ? BigInt(at) : -1n;
  if (unixMs < 0n || unixMs > U64_MOST) throw new FairError(`${where}.unix_ms`, "is not a whole number of 8 bytes");
  return { unixMs, signature: asBytes(fields.get("signature"), `${where}.signature`, SIGNATURE_BYTES) };
}
