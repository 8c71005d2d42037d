/**
 * What the API answers about shuffles (docs/api.md): protobuf's JSON mapping, bytes in base64, defaults left out. Fields
 * that a newer server may have are left aside.
 */

import { FairError, hex, type Bytes } from "./bytes";
import { HASH_BYTES, ID_BYTES, SIGNATURE_BYTES, type Context } from "./deal";
import type { DayProof, LeafProof } from "./days";
import { asList, asObject, asText, asWhole } from "./fields";
import type { Json, JsonObject } from "./json";
import { isRulesId } from "./rulesId";
import type { KeyRing } from "./signatures";

const U32_MOST = 0xffff_ffff;
const KEY_BYTES = 32;
const MOST_KEYS = 1_000;
const MOST_DAYS = 1_000;
const MOST_LEAVES = 1_000;
const LONGEST_PATH = 32;

export function wireObject(value: Json | undefined, what: string): JsonObject {
  return asObject(value ?? new Map<string, Json>(), what, [], null);
}

export function wireList(value: Json | undefined, what: string, most: number): readonly Json[] {
  return value === undefined ? [] : asList(value, what, most);
}

export function wireText(value: Json | undefined, what: string): string {
  return value === undefined ? "" : asText(value, what);
}

export function wireWhole(value: Json | undefined, what: string, most = U32_MOST): number {
  return value === undefined ? 0 : asWhole(value, what, 0, most);
}

/** Bytes in base64, spelt as it is written; empty where they are left out. */
export function wireBytes(value: Json | undefined, what: string, ...lengths: readonly number[]): Bytes {
  const text = wireText(value, what);
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new FairError(what, "is not base64");
  }
  if (btoa(binary) !== text) throw new FairError(what, "is not base64 as it is written");
  if (lengths.length && !lengths.includes(binary.length)) {
    throw new FairError(what, `has ${binary.length} bytes, not ${lengths.join(" or ")}`);
  }
  return Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
}

export function wireContext(value: Json | undefined, where: string): Context {
  const fields = wireObject(value, where);
  const at = (name: string) => `${where}.${name}`;
  const seats = wireWhole(fields.get("seats"), at("seats"));
  const rules = wireText(fields.get("rulesId"), at("rulesId"));
  if (seats !== 2 && seats !== 4) throw new FairError(at("seats"), `are ${seats}, not 2 or 4`);
  if (!isRulesId(rules)) throw new FairError(at("rulesId"), "is not the id of a rule set");
  return {
    series: wireBytes(fields.get("seriesId"), at("seriesId"), ID_BYTES),
    matchNo: asWhole(fields.get("matchNo"), at("matchNo"), 1, 3),
    match: wireBytes(fields.get("matchId"), at("matchId"), ID_BYTES),
    dealNo: asWhole(fields.get("dealNo"), at("dealNo"), 1, U32_MOST),
    attempt: wireWhole(fields.get("attempt"), at("attempt")),
    seats,
    rules,
  };
}

/** The keys of a `ListKeysResponse`, or of an audit. Throws `FairError`. */
export function readKeys(value: Json): KeyRing {
  const keys = wireList(wireObject(value, "keys").get("keys"), "keys", MOST_KEYS).map((item, at) => {
    const where = `keys[${at}]`;
    const fields = wireObject(item, where);
    const key = fields.has("key") ? wireObject(fields.get("key"), `${where}.key`) : fields;
    const id = wireText(key.get("keyId"), `${where}.keyId`);
    const bytes = wireBytes(key.get("publicKey"), `${where}.publicKey`, KEY_BYTES);
    if (hex(bytes) !== id) throw new FairError(`${where}.keyId`, "is not the key in hex");
    return [id, bytes] as const;
  });
  return new Map(keys);
}

export interface Proofs {
  readonly days: readonly DayProof[];
  /** The deal to go on from; 0 where this is all. */
  readonly nextDealNo: number;
}

/** A `GetProofResponse`. Throws `FairError`. */
export function readProofs(value: Json): Proofs {
  const fields = wireObject(value, "proofs");
  const days = wireList(fields.get("proofs"), "proofs", MOST_DAYS).map((item, at) => {
    const proof = wireObject(item, `proofs[${at}]`);
    const leaves = wireList(proof.get("leaves"), "leaves", MOST_LEAVES);
    return { day: readDay(proof.get("day")), leaves: leaves.map((leaf, no) => readLeaf(leaf, `leaves[${no}]`)) };
  });
  return { days, nextDealNo: wireWhole(fields.get("nextDealNo"), "nextDealNo") };
}

function readDay(value: Json | undefined): DayProof["day"] {
  const day = wireObject(value, "day");
  return {
    date: wireText(day.get("date"), "date"),
    count: wireWhole(day.get("revealCount"), "revealCount"),
    root: wireBytes(day.get("root"), "root", HASH_BYTES),
    chain: wireBytes(day.get("chain"), "chain", HASH_BYTES),
    previousChain: wireBytes(day.get("previousChain"), "previousChain", HASH_BYTES),
    key: wireText(day.get("keyId"), "keyId"),
    signature: wireBytes(day.get("signature"), "signature", SIGNATURE_BYTES),
  };
}

function readLeaf(value: Json, where: string): LeafProof {
  const fields = wireObject(value, where);
  const reveal = wireObject(fields.get("reveal"), `${where}.reveal`);
  return {
    ctx: wireContext(reveal.get("context"), `${where}.reveal.context`),
    commitment: wireBytes(reveal.get("commitment"), `${where}.reveal.commitment`, HASH_BYTES),
    index: wireWhole(fields.get("index"), `${where}.index`),
    path: wireList(fields.get("path"), `${where}.path`, LONGEST_PATH).map((step) =>
      wireBytes(step, `${where}.path`, HASH_BYTES),
    ),
  };
}
