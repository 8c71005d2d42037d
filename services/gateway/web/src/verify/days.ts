/** A day's published root, and whether a reveal is in it (docs/fair.md, "The daily root"). */

import { same, type Bytes } from "./bytes";
import { byFault, cannotCheck, faultOf, type Check } from "./checks";
import { HASH_BYTES, ID_BYTES, SIGNATURE_BYTES, type Attempt, type Context } from "./deal";
import { asBytes, asList, asObject, asText, asWhole } from "./fields";
import type { Json, JsonObject } from "./json";
import { NOTHING, chainHash, leafBytes, rootFromProof, rootPayload, treeRoot } from "./merkle";
import type { Primitives } from "./primitives";
import type { SignatureJudge } from "./signatures";
import { contextBytes } from "./values";

const U32_MOST = 0xffff_ffff;
/** More steps than any tree of 2^32 leaves has. */
const LONGEST_PATH = 32;
const MOST_LEAVES = 1_000;

/** What is signed of a day. `date` is YYYYMMDD, UTC. */
export interface DayRoot {
  readonly date: string;
  readonly count: number;
  readonly root: Bytes;
  readonly chain: Bytes;
  readonly previousChain: Bytes;
  readonly key: string;
  readonly signature: Bytes;
}

/** The place of a reveal in its day, and the hashes from there to the root. */
export interface LeafProof {
  readonly ctx: Context;
  readonly commitment: Bytes;
  readonly index: number;
  readonly path: readonly Bytes[];
}

export interface DayProof {
  readonly day: DayRoot;
  readonly leaves: readonly LeafProof[];
}

/** Reads a day's proof. Throws `FairError`, naming the field. */
export function readDayProof(value: Json): DayProof {
  const fields = asObject(value, "proof", ["day", "leaves"], []);
  const names = ["date", "count", "root", "chain", "previous_chain", "key", "signature"];
  const day = asObject(fields.get("day"), "day", names, []);
  const hash = (name: string) => asBytes(day.get(name), name, HASH_BYTES);
  return {
    day: {
      date: asText(day.get("date"), "date"),
      count: asWhole(day.get("count"), "count", 0, U32_MOST),
      root: hash("root"),
      chain: hash("chain"),
      previousChain: hash("previous_chain"),
      key: asText(day.get("key"), "key"),
      signature: asBytes(day.get("signature"), "signature", SIGNATURE_BYTES),
    },
    leaves: asList(fields.get("leaves"), "leaves", MOST_LEAVES).map((leaf, at) => readLeaf(leaf, `leaves[${at}]`)),
  };
}

function readLeaf(value: Json, where: string): LeafProof {
  const names = ["series", "match_no", "match", "deal_no", "attempt", "seats", "rules", "commitment", "index", "path"];
  const fields = asObject(value, where, names, []);
  return {
    ctx: readContext(fields, where),
    commitment: asBytes(fields.get("commitment"), `${where}.commitment`, HASH_BYTES),
    index: asWhole(fields.get("index"), `${where}.index`, 0, U32_MOST),
    path: asList(fields.get("path"), `${where}.path`, LONGEST_PATH).map((step) =>
      asBytes(step, `${where}.path`, HASH_BYTES),
    ),
  };
}

function readContext(fields: JsonObject, where: string): Context {
  return {
    series: asBytes(fields.get("series"), `${where}.series`, ID_BYTES),
    matchNo: asWhole(fields.get("match_no"), `${where}.match_no`, 1, 3),
    match: asBytes(fields.get("match"), `${where}.match`, ID_BYTES),
    dealNo: asWhole(fields.get("deal_no"), `${where}.deal_no`, 1, U32_MOST),
    attempt: asWhole(fields.get("attempt"), `${where}.attempt`, 0, U32_MOST),
    seats: asWhole(fields.get("seats"), `${where}.seats`, 2, 4),
    rules: asText(fields.get("rules"), `${where}.rules`),
  };
}

/** Whether a day's root holds the attempt (a void one has no transcript), and who signed the root. */
export async function rootChecks(
  by: Primitives,
  attempt: Attempt,
  transcript: Bytes | null,
  days: readonly DayProof[],
  signatures: SignatureJudge,
  prefix: string,
): Promise<Check[]> {
  const name = `${prefix}root`;
  const ctx = contextBytes(attempt.closed.ctx);
  const found = days.flatMap(({ day, leaves }) =>
    leaves.filter((leaf) => same(contextBytes(leaf.ctx), ctx)).map((leaf) => ({ day, leaf })),
  );
  const [first, ...more] = found;
  if (!first) return [cannotCheck(name, "the day's proof is not in this file")];
  if (more.length) return [byFault(name, "it was revealed in two places, and has one")];
  const { day, leaf } = first;
  const fault = await faultOf(() => leafFault(by, attempt, transcript ?? NOTHING, day, leaf));
  const payload = rootPayload(day.date, day.count, day.root, day.chain);
  return [
    byFault(name, fault),
    await signatures.check(`${prefix}signature.root`, day.key, "root", payload, day.signature),
  ];
}

async function leafFault(
  by: Primitives,
  attempt: Attempt,
  transcript: Bytes,
  day: DayRoot,
  leaf: LeafProof,
): Promise<string | null> {
  if (!same(leaf.commitment, attempt.closed.commitment)) return "the day lists another commitment";
  const root = await rootFromProof(by, leafBytes(attempt, transcript), leaf.index, day.count, leaf.path);
  if (!same(root, day.root)) return "the path does not lead to the day's root";
  return dayFault(by, day);
}

/** In what a day contradicts itself. */
export async function dayFault(by: Primitives, day: DayRoot): Promise<string | null> {
  if (day.count === 0 && !same(day.root, await treeRoot(by, []))) return "a day without reveals has another root";
  const chain = await chainHash(by, day.previousChain, day.date, day.root);
  return same(chain, day.chain) ? null : "the day's chain does not follow from the day before";
}
