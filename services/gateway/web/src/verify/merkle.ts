/** The daily root (docs/fair.md): a tree shaped as in RFC 6962, with SHA-512, chained from day to day. */

import { FairError, joined, tag, u32, utf8, type Bytes } from "./bytes";
import { HASH_BYTES, type Attempt } from "./deal";
import type { Primitives } from "./primitives";
import { contextBytes } from "./values";

/** What stands for the chain of the day before the first, and for the transcript of a void attempt. */
export const NOTHING: Bytes = new Uint8Array(HASH_BYTES);

/** A reveal as a leaf; without a transcript, that of a void attempt. */
export function leafBytes(attempt: Attempt, transcript: Bytes = NOTHING): Bytes {
  return joined(contextBytes(attempt.closed.ctx), attempt.closed.commitment, attempt.secret, transcript);
}

export function leafHash(by: Primitives, leaf: Bytes): Promise<Bytes> {
  return by.sha512(joined(Uint8Array.of(0), leaf));
}

function nodeHash(by: Primitives, left: Bytes, right: Bytes): Promise<Bytes> {
  return by.sha512(joined(Uint8Array.of(1), left, right));
}

/** The root over leaves' hashes; of none, the hash of nothing. */
export async function treeRoot(by: Primitives, hashes: readonly Bytes[]): Promise<Bytes> {
  const [only] = hashes;
  if (!only) return by.sha512(new Uint8Array());
  if (hashes.length === 1) return only;
  let half = 1;
  while (half * 2 < hashes.length) half *= 2;
  return nodeHash(by, await treeRoot(by, hashes.slice(0, half)), await treeRoot(by, hashes.slice(half)));
}

/** The root that a path leads to. Throws `FairError` for one that no tree of `count` leaves has for `index`. */
export async function rootFromProof(
  by: Primitives,
  leaf: Bytes,
  index: number,
  count: number,
  path: readonly Bytes[],
): Promise<Bytes> {
  if (!(index >= 0 && index < count)) throw new FairError("index", `${index} is not one of ${count} leaves`);
  let hash = await leafHash(by, leaf);
  let used = 0;
  const next = () => {
    const neighbour = path[used++];
    if (!neighbour) throw new FairError("path", "is too short");
    return neighbour;
  };
  let place = index;
  for (let last = count - 1; last > 0; last = Math.floor(last / 2)) {
    if (place % 2) hash = await nodeHash(by, next(), hash);
    else if (place < last) hash = await nodeHash(by, hash, next());
    place = Math.floor(place / 2);
  }
  if (used !== path.length) throw new FairError("path", "is too long");
  return hash;
}

/** A day's link. Throws `FairError` for a date that is not eight digits. */
export async function chainHash(by: Primitives, previous: Bytes, date: string, root: Bytes): Promise<Bytes> {
  if (!/^[0-9]{8}$/.test(date)) throw new FairError("date", "is not eight digits");
  return by.sha512(joined(tag("chain"), previous, utf8(date), root));
}

/** What the `root` signature is over. */
export function rootPayload(date: string, count: number, root: Bytes, chain: Bytes): Bytes {
  return joined(utf8(date), u32(count), root, chain);
}
