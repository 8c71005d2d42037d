/** The values of one attempt (docs/fair.md): ctx, C, h, K, T, and what K may not say. */

import { FairError, joined, lp, tag, u8, u32, utf8, type Bytes } from "./bytes";
import {
  BOT,
  CONTRIBUTION_BYTES,
  CUT_HOST,
  CUT_NONE,
  HUMAN,
  MOST_CUT,
  NO_HOST,
  SHUT_OUT,
  seatsOfKind,
  type ClosedSeat,
  type ClosedSet,
  type Context,
} from "./deal";
import type { Primitives } from "./primitives";

export function contextBytes(ctx: Context): Bytes {
  const { series, matchNo, match, dealNo, attempt, seats, rules } = ctx;
  return joined(series, u8(matchNo), match, u32(dealNo), u32(attempt), u8(seats), lp(utf8(rules, "rules")));
}

/** `C`. */
export function serverCommitment(by: Primitives, ctx: Context, secret: Bytes): Promise<Bytes> {
  return by.sha512(joined(tag("server-commit"), contextBytes(ctx), secret));
}

/** `h` of a seat for its c. */
export function clientCommitment(by: Primitives, ctx: Context, seat: number, c: Bytes): Promise<Bytes> {
  return by.sha512(joined(tag("client-commit"), contextBytes(ctx), u8(seat), c));
}

/** `K`. */
export function closedBytes(closed: ClosedSet): Bytes {
  const { ctx, commitment, host, cutKind, cut, beacon, seats } = closed;
  const ofSeats = seats.flatMap((seat, at) => [
    u8(at),
    u8(seat.kind),
    lp(utf8(seat.account, `seats[${at}].account`)),
    lp(seat.h),
  ]);
  return joined(contextBytes(ctx), commitment, u8(host), u8(cutKind), u8(cut), lp(beacon), ...ofSeats);
}

/** `T`; one c per seat, empty but for a human. Throws `FairError` for any other lengths. */
export async function transcriptOf(by: Primitives, closed: ClosedSet, contributions: readonly Bytes[]): Promise<Bytes> {
  closed.seats.forEach((seat, at) => {
    const expected = seat.kind === HUMAN ? CONTRIBUTION_BYTES : 0;
    if (contributions[at]?.length !== expected) throw new FairError(`seats[${at}].c`, `has not ${expected} bytes`);
  });
  return by.sha512(joined(tag("transcript"), closedBytes(closed), ...contributions.map(lp)));
}

/** In what the closed set contradicts itself; empty where it may be signed. */
export function closedFaults(closed: ClosedSet): string[] {
  const faults = closed.seats.flatMap(seatFaults);
  const shutOut = seatsOfKind(closed, SHUT_OUT).length;
  const { attempt } = closed.ctx;
  if (attempt === 0 && shutOut) faults.push("a seat is shut out in the first attempt");
  if (attempt > shutOut) faults.push(`attempt ${attempt}, but ${shutOut} seats are shut out`);
  return [...faults, ...cutFaults(closed)];
}

function seatFaults(seat: ClosedSeat, at: number): string[] {
  const faults: string[] = [];
  if ((seat.kind === BOT) !== (seat.account === "")) {
    faults.push(`seat ${at}: ${seat.account ? "a bot with an account" : "no account"}`);
  }
  if ((seat.kind === HUMAN) !== seat.h.length > 0) {
    faults.push(`seat ${at}: ${seat.h.length ? "an h from a seat that sent none" : "no h"}`);
  }
  return faults;
}

function cutFaults(closed: ClosedSet): string[] {
  const { ctx, host, cutKind, cut, seats } = closed;
  if (host === NO_HOST) return cutKind === CUT_NONE && cut === 0 ? [] : ["a cut, but no host"];
  if (host >= ctx.seats) return [`the host is seat ${host}`];
  const faults: string[] = [];
  if (ctx.matchNo !== 1 || ctx.dealNo !== 1) faults.push("a cut is due in the first deal of a series only");
  if (cutKind === CUT_NONE) faults.push("a host, but no cut");
  if (cutKind === CUT_HOST && seats[host]?.kind !== HUMAN) faults.push("a cut by a host who took no part");
  if (cutKind === CUT_HOST ? cut < 1 || cut > MOST_CUT : cut !== 0) faults.push(`a cut of ${cut}`);
  return faults;
}
