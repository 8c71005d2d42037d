/** How the scheme writes values as bytes (docs/fair.md, "Bytes"). Nothing of this folder is shared with the server. */

export type Bytes = Uint8Array<ArrayBuffer>;

/** A value that cannot be part of a fair deal. `what` names the field: `seats[2].h`. */
export class FairError extends Error {
  constructor(
    readonly what: string,
    readonly detail: string,
  ) {
    super(`${what}: ${detail}`);
  }
}

/** What a length prefix can say. */
export const LONGEST = 0xffff;

function bigEndian(value: number | bigint, length: number): Bytes {
  const bytes = new Uint8Array(length);
  let left = BigInt(value);
  for (let at = length - 1; at >= 0; at--) {
    bytes[at] = Number(left & 0xffn);
    left >>= 8n;
  }
  if (left !== 0n) throw new RangeError(`${value} has no ${length} bytes`);
  return bytes;
}

export const u8 = (value: number): Bytes => bigEndian(value, 1);
export const u16 = (value: number): Bytes => bigEndian(value, 2);
export const u32 = (value: number): Bytes => bigEndian(value, 4);
export const u64 = (value: bigint): Bytes => bigEndian(value, 8);

export function joined(...parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The bytes after their length. Throws `FairError` beyond 65,535. */
export function lp(bytes: Bytes): Bytes {
  if (bytes.length > LONGEST) throw new FairError("length", "more bytes than a length prefix can say");
  return joined(u16(bytes.length), bytes);
}

/** Text in UTF-8. Throws `FairError` where it holds half a surrogate pair. */
export function utf8(text: string, what = "text"): Bytes {
  if (/[\ud800-\udfff]/u.test(text)) throw new FairError(what, "is not text that UTF-8 can hold");
  return new TextEncoder().encode(text);
}

/** What each hashed or signed message begins with. */
export function tag(name: string): Bytes {
  return lp(utf8(`banakil/fair/v1/${name}`));
}

export function hex(bytes: Bytes): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of lower-case hex; `null` for any other spelling. */
export function unhex(text: string): Bytes | null {
  if (text.length % 2 || !/^[0-9a-f]*$/.test(text)) return null;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

export function same(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
