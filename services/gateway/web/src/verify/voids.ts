/** The attempts that came to nothing before the one that was played (docs/fair.md, "The ceremony"). */

import { attemptChecks, byFault, cannotCheck, unfit, type Check } from "./checks";
import { HUMAN, NO_HOST, SHUT_OUT, contextOf, seatsOfKind, type FairDeal, type VoidAttempt } from "./deal";
import type { Primitives } from "./primitives";
import type { SignatureJudge } from "./signatures";

export async function voidChecks(by: Primitives, deal: FairDeal, signatures: SignatureJudge): Promise<Check[]> {
  const { attempt } = contextOf(deal);
  if (deal.voids.length === 0) {
    return attempt ? [cannotCheck("void_attempts", `${attempt} void attempts are not in this file`)] : [];
  }
  const checks = [byFault("void_attempts", orderFault(deal))];
  for (const [at, void_] of deal.voids.entries()) {
    const prefix = `void[${at}].`;
    checks.push(...(await attemptChecks(by, void_, void_.failed, prefix)));
    checks.push(byFault(`${prefix}failed`, await failedFault(by, void_)));
    // An operator could list any wrong c, or none: that the seat sent this is shown by nobody but the seat.
    checks.push(cannotCheck(`${prefix}failed_sent`, "what a failed seat sent, only its own witness shows"));
    // Without a transcript nothing but the signature of K binds host, cut, beacon, accounts and an h without its c.
    checks.push(...(await signatures.ofAttempt(void_, null, prefix)));
  }
  return checks;
}

async function failedFault(by: Primitives, attempt: VoidAttempt): Promise<string | null> {
  const humans = seatsOfKind(attempt.closed, HUMAN);
  const wrong = (await unfit(by, attempt)).filter((seat) => humans.includes(seat));
  if (wrong.length === 0) return "no seat failed, so nothing made the attempt void";
  return wrong.join() === attempt.failed.join() ? null : `seats ${wrong.join()} failed, not ${attempt.failed.join()}`;
}

function orderFault(deal: FairDeal): string | null {
  const { attempt, seats } = contextOf(deal);
  const numbers = deal.voids.map(({ closed }) => closed.ctx.attempt);
  if (numbers.length !== attempt || numbers.some((number, at) => number !== at)) {
    return `they are not all the attempts before ${attempt}`;
  }
  const sets = [...deal.voids, deal.played].map(({ closed }) => closed);
  const shutOut = new Set<number>();
  for (const [number, closed] of sets.entries()) {
    for (const seat of deal.voids[number - 1]?.failed ?? []) shutOut.add(seat);
    const there = seatsOfKind(closed, SHUT_OUT);
    if (there.length !== shutOut.size || there.some((seat) => !shutOut.has(seat))) {
      return `attempt ${number} does not shut out those who failed before, and only them`;
    }
  }
  if (new Set(sets.map(({ host }) => host === NO_HOST)).size > 1) return "a cut was due in one attempt, not in another";
  for (let seat = 0; seat < seats; seat++) {
    const accounts = new Set(sets.map((closed) => closed.seats[seat]?.account).filter(Boolean));
    if (accounts.size > 1) return `seat ${seat} belongs to different accounts`;
  }
  return null;
}
