/** The fair shuffle's values as bytes (docs/fair.md, "Bytes"), as far as who plays needs them. */

export type Bytes = Uint8Array<ArrayBuffer>;

export const ABSENT = 0;
export const HUMAN = 1;
export const BOT = 2;
export const SHUT_OUT = 3;
export const CUT_NONE = 0;
export const CUT_HOST = 1;
export const CUT_AUTOMATIC = 2;
export const NO_HOST = 255;
export const MOST_CUT = 105;
const HASH_BYTES = 64;
const ID_BYTES = 16;

/** `ctx`: which attempt at which deal. Ids are hex. */
export interface Context {
  readonly series: string;
  readonly matchNo: number;
  readonly match: string;
  readonly dealNo: number;
  readonly attempt: number;
  readonly seats: number;
  readonly rules: string;
}

export interface ClosedSeat {
  /** 0 absent, 1 human, 2 bot, 3 shut out. */
  readonly kind: number;
  readonly account: string;
  /** Hex, as all bytes here. */
  readonly h: string;
}

/** All that `K` says. */
export interface ClosedSet {
  readonly ctx: Context;
  readonly commitment: string;
  readonly host: number;
  /** 0 none due, 1 by the host, 2 automatic. */
  readonly cutKind: number;
  readonly cut: number;
  readonly beacon: string;
  readonly seats: readonly ClosedSeat[];
}

export type Sha512 = (data: Bytes) => Promise<Bytes>;

function bigEndian(value: number, length: number): Bytes {
  const bytes = new Uint8Array(length);
  for (let at = length - 1, left = value; at >= 0; at--, left = Math.floor(left / 256)) bytes[at] = left % 256;
  return bytes;
}

function joined(...parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
const lp = (bytes: Bytes): Bytes => joined(bigEndian(bytes.length, 2), bytes);
const tag = (name: string): Bytes => lp(utf8(`banakil/fair/v1/${name}`));

export function hex(bytes: Bytes): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of lower-case hex; none for any other spelling. */
export function unhex(text: string): Bytes {
  if (!isHex(text)) return new Uint8Array();
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

/** Lower-case hex, of so many bytes. */
export function isHex(text: string, bytes = text.length / 2): boolean {
  return text.length === 2 * bytes && /^([0-9a-f]{2})*$/.test(text);
}

export function contextBytes({ series, matchNo, match, dealNo, attempt, seats, rules }: Context): Bytes {
  const numbers = joined(bigEndian(dealNo, 4), bigEndian(attempt, 4), bigEndian(seats, 1));
  return joined(unhex(series), bigEndian(matchNo, 1), unhex(match), numbers, lp(utf8(rules)));
}

/** `h` of a seat for its c, both hex. */
export async function promiseOf(sha512: Sha512, ctx: Context, seat: number, c: string): Promise<string> {
  return hex(await sha512(joined(tag("client-commit"), contextBytes(ctx), bigEndian(seat, 1), unhex(c))));
}

/** `T`, of K and a c for each seat: all hex. */
export async function transcriptOf(sha512: Sha512, closed: string, contributions: readonly string[]): Promise<string> {
  return hex(await sha512(joined(tag("transcript"), unhex(closed), ...contributions.map((c) => lp(unhex(c))))));
}

/** What is signed as `what` over these payloads. */
export function signedBytes(what: string, ...payload: readonly Bytes[]): Bytes {
  return joined(tag("signed"), lp(utf8(what)), ...payload);
}

/** What a receipt is over, before `signedBytes`; the value and the time (Unix milliseconds) are the seat's. */
export function receiptBytes(ctx: Context, seat: number, value: string, unixMs: number): Bytes {
  return joined(contextBytes(ctx), bigEndian(seat, 1), unhex(value), bigEndian(unixMs, 8));
}

/** What `K` says; `null` where these bytes are no closed set to the last one. */
export function readClosed(closedHex: string): ClosedSet | null {
  if (!isHex(closedHex)) return null;
  const bytes = unhex(closedHex);
  let at = 0;
  const take = (length: number): Bytes => {
    if (at + length > bytes.length) throw new RangeError();
    return bytes.slice(at, (at += length));
  };
  const number = (length: number) => take(length).reduce((value, byte) => value * 256 + byte, 0);
  const text = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(take(number(2)));
  try {
    const [series, matchNo, match] = [hex(take(ID_BYTES)), number(1), hex(take(ID_BYTES))];
    const [dealNo, attempt, seats, rules] = [number(4), number(4), number(1), text()];
    const [commitment, host, cutKind, cut] = [hex(take(HASH_BYTES)), number(1), number(1), number(1)];
    const beacon = hex(take(number(2)));
    const list = Array.from({ length: seats }, (_, seat) => {
      if (number(1) !== seat) throw new RangeError();
      return { kind: number(1), account: text(), h: hex(take(number(2))) };
    });
    if (at !== bytes.length) return null;
    const ctx = { series, matchNo, match, dealNo, attempt, seats, rules };
    return { ctx, commitment, host, cutKind, cut, beacon, seats: list };
  } catch {
    return null;
  }
}
