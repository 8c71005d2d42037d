/** What a player checks of the closed set K before the own contribution goes out (docs/fair.md, "The ceremony"). */

import { hex, same } from "../verify/bytes";
import { BOT, HASH_BYTES, HUMAN, SHUT_OUT, type ClosedSet, type Context } from "../verify/deal";
import { closedFaults, contextBytes } from "../verify/values";

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
  if (!same(contextBytes(closed.ctx), contextBytes(seen.ctx))) return "context";
  if (hex(closed.commitment) !== seen.commitment) return "commitment";
  if (closed.host !== seen.host) return "host";
  if (closed.cut !== seen.cut || (seen.cutBefore && closed.cut !== seen.cutBefore)) return "cut";
  return ownFault(closed, seen) ?? othersFault(closed, seen) ?? selfFault(closed);
}

/** The own seat: human with the own account and h; or absent, where the h came too late or was lost on its way. */
function ownFault({ seats }: ClosedSet, seen: Seen): FairCheck | null {
  const own = seats[seen.seat];
  const shut = seen.failed.includes(seen.seat);
  // A bot has kept the seat warm meanwhile.
  if (own?.kind === BOT && seen.people?.[seen.seat]?.has("")) return null;
  if (!own || own.account !== seen.account) return "own";
  if (own.kind === BOT || (own.kind === SHUT_OUT) !== shut) return "own";
  return own.kind === HUMAN && seen.promise && hex(own.h) !== seen.promise ? "promise" : null;
}

function othersFault({ seats }: ClosedSet, seen: Seen): FairCheck | null {
  const right = seats.every(({ kind, account }, seat) => {
    if ((kind === SHUT_OUT) !== seen.failed.includes(seat)) return false;
    return seat === seen.seat || !seen.people || seen.people[seat]?.has(kind === BOT ? "" : account);
  });
  return right ? null : "seats";
}

/** In what K contradicts itself, or holds what nobody announced. */
function selfFault(closed: ClosedSet): FairCheck | null {
  const known = closed.seats.every(({ kind, h }) => kind <= SHUT_OUT && h.length === (kind === HUMAN ? HASH_BYTES : 0));
  return known && closed.beacon.length === 0 && closedFaults(closed).length === 0 ? null : "closed";
}
