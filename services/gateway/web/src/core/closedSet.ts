/** What the bytes of a closed set K say (docs/fair.md): whoever plays is given K, and has to know what is in it. */

import { same, unhex, type Bytes } from "../verify/bytes";
import { HASH_BYTES, ID_BYTES, type ClosedSet } from "../verify/deal";
import { closedBytes } from "../verify/values";

/** The closed set of this hex; `null` where it is none to the last byte. */
export function readClosed(text: string): ClosedSet | null {
  const bytes = unhex(text);
  if (!bytes) return null;
  try {
    const closed = read(bytes);
    return same(closedBytes(closed), bytes) ? closed : null;
  } catch {
    return null;
  }
}

/** The bytes of hex; none where it is not hex. */
export function bytesOf(text: string): Bytes {
  return unhex(text) ?? new Uint8Array();
}

export function isHexOf(text: string, bytes: number): boolean {
  return unhex(text)?.length === bytes;
}

function read(bytes: Bytes): ClosedSet {
  let at = 0;
  const take = (length: number): Bytes => {
    if (at + length > bytes.length) throw new RangeError("too short");
    return bytes.slice(at, (at += length));
  };
  const number = (length: number) => take(length).reduce((value, byte) => value * 256 + byte, 0);
  const text = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(take(number(2)));
  const [series, matchNo, match] = [take(ID_BYTES), number(1), take(ID_BYTES)];
  const [dealNo, attempt, seats, rules] = [number(4), number(4), number(1), text()];
  const ctx = { series, matchNo, match, dealNo, attempt, seats, rules };
  const [commitment, host, cutKind, cut, beacon] = [take(HASH_BYTES), number(1), number(1), number(1), take(number(2))];
  const list = Array.from({ length: seats }, () => {
    number(1);
    return { kind: number(1), account: text(), h: take(number(2)) };
  });
  return { ctx, commitment, host, cutKind, cut, beacon, seats: list };
}
