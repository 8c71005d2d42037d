/** What a check says, and the checks of one attempt (docs/fair.md, "The checks"). */

import { FairError, joined, same, type Bytes } from "./bytes";
import { HUMAN, type Attempt } from "./deal";
import type { Primitives } from "./primitives";
import { clientCommitment, closedBytes, closedFaults, contextBytes, serverCommitment } from "./values";

/** `cannot_check`: what would show it is not in this file, which is not to say that it holds. */
export type Outcome = "holds" | "fails" | "cannot_check";

export interface Check {
  /** Stable: `commitment`, `void[0].failed`. */
  readonly name: string;
  readonly outcome: Outcome;
  /** Why, for who writes programs; empty where it holds. */
  readonly detail: string;
}

export function holds(name: string): Check {
  return { name, outcome: "holds", detail: "" };
}

export function fails(name: string, detail: string): Check {
  return { name, outcome: "fails", detail };
}

export function cannotCheck(name: string, detail: string): Check {
  return { name, outcome: "cannot_check", detail };
}

/** Holds where there is no fault. */
export function byFault(name: string, fault: string | null | undefined): Check {
  return fault ? fails(name, fault) : holds(name);
}

export function firstFailed(checks: readonly Check[]): Check | undefined {
  return checks.find(({ outcome }) => outcome === "fails");
}

/** Commitment, contributions (but those of `failed` seats) and closed set; names begin with `prefix`. */
export async function attemptChecks(
  by: Primitives,
  attempt: Attempt,
  failed: readonly number[],
  prefix: string,
): Promise<Check[]> {
  const { closed, secret } = attempt;
  const promised = same(await serverCommitment(by, closed.ctx, secret), closed.commitment);
  const wrong = (await unfit(by, attempt)).filter((seat) => !failed.includes(seat));
  return [
    byFault(`${prefix}commitment`, promised ? null : "the secret is not the one committed to"),
    byFault(`${prefix}client_commitments`, wrong.length ? `seat ${wrong[0]}: its c is not that of its h` : null),
    byFault(`${prefix}closed_set`, closedFaults(closed)[0]),
  ];
}

/** The seats whose c is not what their h promised, or that have one and are no human's. */
export async function unfit(by: Primitives, attempt: Attempt): Promise<number[]> {
  const { closed, contributions } = attempt;
  const seats: number[] = [];
  for (const [at, seat] of closed.seats.entries()) {
    const c = contributions[at]!;
    const fits =
      seat.kind === HUMAN
        ? c.length > 0 && same(await clientCommitment(by, closed.ctx, at, c), seat.h)
        : c.length === 0;
    if (!fits) seats.push(at);
  }
  return seats;
}

/** What each signature of an attempt is over, by its name. */
export function signedPayloads(attempt: Attempt, transcript: Bytes | null): Map<string, Bytes> {
  const ctx = contextBytes(attempt.closed.ctx);
  const payloads = new Map([
    ["commit", joined(ctx, attempt.closed.commitment)],
    ["closed", closedBytes(attempt.closed)],
    ["reveal", joined(ctx, attempt.secret)],
  ]);
  if (transcript) payloads.set("transcript", transcript);
  return payloads;
}

/** What is wrong, where the action throws `FairError`. */
export async function faultOf(action: () => Promise<string | null>): Promise<string | null> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof FairError) return error.message;
    throw error;
  }
}
