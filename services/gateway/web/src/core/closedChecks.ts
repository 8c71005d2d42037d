/** What a player checks of the closed set K before the own contribution goes out (docs/fair.md, "The ceremony"). */

import { BOT, CUT_AUTOMATIC, CUT_HOST, CUT_NONE, HUMAN, MOST_CUT, NO_HOST, SHUT_OUT } from "./fairValues";
import type { ClosedSet, Context } from "./fairValues";

/** What does not agree. `changed`: something was published twice, and differs. */
export type FairCheck =
  | "closed"
  | "changed"
  | "context"
  | "commitment"
  | "host"
  | "cut"
  | "own"
  | "promise"
  | "seats"
  | "signature"
  | "receipt"
  | "contribution"
  | "transcript";

/** For each seat the accounts that sat there since the deal's shuffle began; empty text: a bot. */
export type People = readonly ReadonlySet<string>[];

/** What this client saw before K; `people` is `null` where it was not there. */
export interface Seen {
  readonly ctx: Context;
  readonly commitment: string;
  /** The seat that may cut; 255 where no cut is due. */
  readonly host: number;
  /** The host's cut as the table tells it with K; 0: none, or automatic. */
  readonly cut: number;
  /** The host's cut as it was told before, or the own one that was taken in; 0: none was. */
  readonly cutBefore: number;
  readonly seat: number;
  readonly account: string;
  /** The own h, empty where this browser has none. */
  readonly promise: string;
  readonly people: People | null;
  /** Seats that failed in earlier attempts. */
  readonly failed: readonly number[];
}

/** The first thing in which K is not what was seen; `null` where all of it is. */
export function closedFault(closed: ClosedSet, seen: Seen): FairCheck | null {
  if (!sameContext(closed.ctx, seen.ctx) || closed.seats.length !== seen.ctx.seats) return "context";
  if (closed.commitment !== seen.commitment) return "commitment";
  if (closed.host !== seen.host) return "host";
  if (!cutIsRight(closed, seen)) return "cut";
  return ownFault(closed, seen) ?? othersFault(closed, seen) ?? selfFault(closed);
}

function sameContext(one: Context, other: Context): boolean {
  const names = ["series", "matchNo", "match", "dealNo", "attempt", "seats", "rules"] as const;
  return names.every((name) => one[name] === other[name]);
}

function cutIsRight({ host, cutKind, cut, seats }: ClosedSet, seen: Seen): boolean {
  if (cut !== seen.cut || (seen.cutBefore && cut !== seen.cutBefore)) return false;
  if (host === NO_HOST) return cutKind === CUT_NONE && cut === 0;
  if (cutKind === CUT_HOST) return cut >= 1 && cut <= MOST_CUT && seats[host]?.kind === HUMAN;
  return cutKind === CUT_AUTOMATIC && cut === 0;
}

/** The own seat: human with the own account and h; or absent, where the h came too late or was lost on its way. */
function ownFault({ seats }: ClosedSet, seen: Seen): FairCheck | null {
  const own = seats[seen.seat];
  const shut = seen.failed.includes(seen.seat);
  // A bot has kept the seat warm meanwhile.
  if (own?.kind === BOT && seen.people?.[seen.seat]?.has("")) return null;
  if (!own || own.account !== seen.account) return "own";
  if (own.kind === BOT || (own.kind === SHUT_OUT) !== shut) return "own";
  return own.kind === HUMAN && seen.promise && own.h !== seen.promise ? "promise" : null;
}

function othersFault({ seats }: ClosedSet, seen: Seen): FairCheck | null {
  const right = seats.every(({ kind, account }, seat) => {
    if ((kind === SHUT_OUT) !== seen.failed.includes(seat)) return false;
    return seat === seen.seat || !seen.people || seen.people[seat]?.has(kind === BOT ? "" : account);
  });
  return right ? null : "seats";
}

/** In what K contradicts itself, or holds what nobody announced. */
function selfFault({ ctx, beacon, seats }: ClosedSet): FairCheck | null {
  const shutOut = seats.filter(({ kind }) => kind === SHUT_OUT).length;
  const right =
    beacon === "" &&
    ctx.attempt <= shutOut &&
    seats.every(
      ({ kind, account, h }) =>
        kind <= SHUT_OUT && (kind === BOT) === (account === "") && h.length === (kind === HUMAN ? 128 : 0),
    );
  return right ? null : "closed";
}
