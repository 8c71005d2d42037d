/** What only a player can check: that the published deal is the one in which the player took part. */

import { sortedCards, type Card } from "../core/cards";
import { joined, same, u64, u8, type Bytes } from "./bytes";
import { byFault, cannotCheck, type Check } from "./checks";
import { HUMAN, contextOf, type Attempt, type FairDeal, type Receipt, type Witness } from "./deal";
import type { Primitives } from "./primitives";
import { NO_KEY, type SignatureJudge } from "./signatures";
import { clientCommitment, closedBytes, contextBytes } from "./values";

const STARTER_CARDS = 19;
const OTHER_CARDS = 18;

/** One check for each part of a witness. `deck` and `starter` as far as they are known. */
export async function witnessChecks(
  by: Primitives,
  deal: FairDeal,
  witness: Witness,
  deck: readonly Card[],
  starter: number | null,
  signatures: SignatureJudge,
): Promise<Check[]> {
  const attempt = attemptOf(deal, witness.attempt);
  if (!attempt) return [cannotCheck("witness.attempt", `attempt ${witness.attempt} is not in this file`)];
  const h = witness.c && (await clientCommitment(by, attempt.closed.ctx, witness.seat, witness.c));
  const seat = attempt.closed.seats[witness.seat]!;
  const published = { h: seat.h, c: attempt.contributions[witness.seat]! };
  const checks = [
    contributionCheck(attempt, witness, h),
    seen("witness.closed", witness.closed, closedBytes(attempt.closed), "the closed set was another one"),
    await receiptCheck("h", attempt, witness, witness.receiptH, h, published.h, signatures),
    await receiptCheck("c", attempt, witness, witness.receiptC, witness.c, published.c, signatures),
  ];
  if (attempt === deal.played) {
    checks.push(seen("witness.transcript", witness.transcript, deal.transcript, "the transcript was another one"));
    checks.push(handCheck(deal, witness, deck, starter));
  }
  return checks;
}

/** The cards of a deck that a seat is dealt (R3.1): 19 to the starter, 18 to each next seat. */
export function dealtHand(deck: readonly Card[], seat: number, starter: number, seats: number): Card[] {
  const place = (seat - starter + seats) % seats;
  const end = STARTER_CARDS + OTHER_CARDS * place;
  return deck.slice(place === 0 ? 0 : end - OTHER_CARDS, end);
}

function attemptOf(deal: FairDeal, number: number): Attempt | undefined {
  if (number === contextOf(deal).attempt) return deal.played;
  return deal.voids.find(({ closed }) => closed.ctx.attempt === number);
}

function seen(name: string, own: Bytes | null, published: Bytes, fault: string): Check {
  if (!own) return cannotCheck(name, "the witness does not have it");
  return byFault(name, same(own, published) ? null : fault);
}

function contributionCheck(attempt: Attempt, { c, seat: at }: Witness, h: Bytes | null): Check {
  const name = "witness.contribution";
  if (!c || !h) return cannotCheck(name, "the witness has no c");
  const seat = attempt.closed.seats[at]!;
  if (seat.kind !== HUMAN) return byFault(name, "the player took part; the deal says that the seat sent nothing");
  if (!same(seat.h, h)) return byFault(name, "the deal has another h for the seat");
  return byFault(name, same(attempt.contributions[at]!, c) ? null : "the deal has another c for the seat, or none");
}

async function receiptCheck(
  of: "h" | "c",
  attempt: Attempt,
  witness: Witness,
  receipt: Receipt | null,
  own: Bytes | null,
  published: Bytes,
  signatures: SignatureJudge,
): Promise<Check> {
  const name = `witness.receipt-${of}`;
  if (!receipt || !own) return cannotCheck(name, "the witness does not have it");
  if (!attempt.signatures) return cannotCheck(name, NO_KEY);
  const payload = joined(contextBytes(attempt.closed.ctx), u8(witness.seat), own, u64(receipt.unixMs));
  const signed = await signatures.check(name, attempt.signatures.key, `receipt-${of}`, payload, receipt.signature);
  if (signed.outcome !== "holds") return signed;
  return byFault(name, same(own, published) ? null : "the service received it; the deal says otherwise");
}

function handCheck(deal: FairDeal, witness: Witness, deck: readonly Card[], starter: number | null): Check {
  const name = "witness.hand";
  if (!witness.hand) return cannotCheck(name, "the witness does not have it");
  if (starter === null) return cannotCheck(name, "who started is not in this file");
  const dealt = sortedCards(dealtHand(deck, witness.seat, starter, contextOf(deal).seats)).join(" ");
  return byFault(name, dealt === sortedCards(witness.hand).join(" ") ? null : `the deal gives the seat ${dealt}`);
}
