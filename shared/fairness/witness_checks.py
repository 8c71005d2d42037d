"""What only the player can check: that the published deal is the one in which the player took part."""

from collections.abc import Iterator

from shared.fairness import signing
from shared.fairness.checks import NO_KEY, Check, Outcome, VerifySignature, by_fault, cannot_check, signature_check
from shared.fairness.closed import SeatKind
from shared.fairness.commitment import client_commitment
from shared.fairness.derive import CODES, dealt_hand
from shared.fairness.fair_deal import Attempt, FairDeal, Witness


def witness_checks(deal: FairDeal, starter: int | None, verify: VerifySignature | None) -> Iterator[Check]:
    """One check for each part of the deal's witness. `starter` where it is known."""
    witness = deal.witness
    if witness is None:
        yield cannot_check("witness", "what a player saw is not in this file")
        return
    attempt = _attempt_of(deal, witness.attempt)
    if attempt is None:
        yield cannot_check("witness.attempt", f"attempt {witness.attempt} is not in this file")
        return
    yield _contribution_check(attempt, witness)
    yield _same("witness.closed", witness.closed, attempt.closed.encode(), "the closed set was another one")
    yield from _receipt_checks(attempt, witness, verify)
    if attempt is deal.played:
        yield _same("witness.transcript", witness.transcript, deal.transcript, "the transcript was another one")
        yield _hand_check(deal, witness, starter)


def _attempt_of(deal: FairDeal, number: int) -> Attempt | None:
    if number == deal.ctx.attempt:
        return deal.played
    return next((void.attempt for void in deal.void if void.attempt.ctx.attempt == number), None)


def _same(name: str, seen: bytes | None, published: bytes, fault: str) -> Check:
    if seen is None:
        return cannot_check(name, "the witness does not have it")
    return by_fault(name, None if seen == published else fault)


def _contribution_check(attempt: Attempt, witness: Witness) -> Check:
    """The player's own c against the deal's, and the h that it gives against the one in the closed set."""
    name = "witness.contribution"
    if witness.c is None:
        return cannot_check(name, "the witness has no c")
    seat = attempt.closed.seats[witness.seat]
    if seat.kind is not SeatKind.HUMAN:
        return by_fault(name, "the player took part; the deal says that the seat sent nothing")
    if seat.h != client_commitment(attempt.ctx, witness.seat, witness.c):
        return by_fault(name, "the deal has another h for the seat")
    published = attempt.contributions[witness.seat]
    return by_fault(name, None if published == witness.c else "the deal has another c for the seat, or none")


def _receipt_checks(attempt: Attempt, witness: Witness, verify: VerifySignature | None) -> Iterator[Check]:
    """A receipt proves what the service received, so a deal that says otherwise convicts the service."""
    seat = attempt.closed.seats[witness.seat]
    own_h = b"" if witness.c is None else client_commitment(attempt.ctx, witness.seat, witness.c)
    published_c = attempt.contributions[witness.seat]
    for what, receipt, own, published in (
        (signing.RECEIPT_H, witness.receipt_h, own_h, seat.h),
        (signing.RECEIPT_C, witness.receipt_c, witness.c, published_c),
    ):
        name = f"witness.{what}"
        if receipt is None or not own:
            yield cannot_check(name, "the witness does not have it")
            continue
        signed = cannot_check(name, NO_KEY)
        if attempt.signatures is not None:
            payload = signing.receipt_payload(attempt.ctx, witness.seat, own, receipt.unix_ms)
            signed = signature_check(name, attempt.signatures.key, what, payload, receipt.signature, verify)
        if signed.outcome is Outcome.HOLDS and own != published:
            yield by_fault(name, "the service received it; the deal says otherwise")
        else:
            yield signed


def _hand_check(deal: FairDeal, witness: Witness, starter: int | None) -> Check:
    name = "witness.hand"
    if witness.hand is None:
        return cannot_check(name, "the witness does not have it")
    if starter is None:
        return cannot_check(name, "who started is not in this file")
    dealt = dealt_hand(deal.derivation().deck_faces(), witness.seat, starter, deal.ctx.seats)
    if sorted(dealt) == sorted(witness.hand):
        return by_fault(name, None)
    return by_fault(name, f"the deal gives the seat {' '.join(CODES[face] for face in sorted(dealt))}")
