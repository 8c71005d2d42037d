"""The checks of one attempt, and of how the attempts at one deal follow each other (docs/fair.md)."""

from collections.abc import Iterator

from shared.fairness import signing
from shared.fairness.checks import NO_KEY, Check, VerifySignature, by_fault, cannot_check
from shared.fairness.closed import NO_HOST, SeatKind
from shared.fairness.commitment import client_commitment, server_commitment
from shared.fairness.fair_deal import Attempt, FairDeal, VoidAttempt


def attempt_checks(attempt: Attempt, failed: tuple[int, ...], prefix: str) -> Iterator[Check]:
    """Commitment, contributions (but those of `failed` seats) and closed set; names begin with `prefix`."""
    closed = attempt.closed
    promised = server_commitment(attempt.ctx, attempt.secret) == closed.commitment
    yield by_fault(prefix + "commitment", None if promised else "the secret is not the one committed to")
    wrong = [
        number
        for number, contribution in enumerate(attempt.contributions)
        if number not in failed and not contribution_fits(attempt, number, contribution)
    ]
    yield by_fault(prefix + "client_commitments", f"seat {wrong[0]}: its c is not that of its h" if wrong else None)
    faults = closed.faults()
    yield by_fault(prefix + "closed_set", faults[0] if faults else None)


def contribution_fits(attempt: Attempt, seat: int, contribution: bytes) -> bool:
    """Whether a c is what the seat's h promised; of a seat that is no human's, whether there is none."""
    if attempt.closed.seats[seat].kind is not SeatKind.HUMAN:
        return contribution == b""
    return contribution != b"" and client_commitment(attempt.ctx, seat, contribution) == attempt.closed.seats[seat].h


def signature_checks(
    attempt: Attempt, transcript: bytes | None, verify: VerifySignature | None, prefix: str
) -> Iterator[Check]:
    """One check for each signature that is there."""
    if attempt.signatures is None:
        return
    payloads = {
        signing.COMMIT: signing.commit_payload(attempt.ctx, attempt.closed.commitment),
        signing.CLOSED: attempt.closed.encode(),
        signing.REVEAL: signing.reveal_payload(attempt.ctx, attempt.secret),
    }
    if transcript is not None:
        payloads[signing.TRANSCRIPT] = transcript
    for what, signature in sorted(attempt.signatures.of.items()):
        name = f"{prefix}signature.{what}"
        if what not in payloads:
            yield cannot_check(name, "what it signs is not in this file")
            continue
        signed = signing.signed_bytes(what, payloads[what])
        right = verify(attempt.signatures.key, signed, signature) if verify else None
        if right is None:
            yield cannot_check(name, NO_KEY)
        else:
            yield by_fault(name, None if right else "the signature is not of this")


def void_checks(deal: FairDeal, verify: VerifySignature | None) -> Iterator[Check]:
    """The attempts that came to nothing before the one that was played."""
    if not deal.void:
        if deal.ctx.attempt:
            yield cannot_check("void_attempts", f"{deal.ctx.attempt} void attempts are not in this file")
        return
    yield by_fault("void_attempts", _void_order_fault(deal))
    for number, void in enumerate(deal.void):
        prefix = f"void[{number}]."
        yield from attempt_checks(void.attempt, void.failed, prefix)
        yield by_fault(prefix + "failed", _failed_fault(void))
        # An operator could list any wrong c, or none: that the seat sent this is shown by nobody but the seat.
        yield cannot_check(prefix + "failed_sent", "what a failed seat sent, only its own witness shows")
        signatures = void.attempt.signatures
        if signatures is None or signing.CLOSED not in signatures.of:
            # Without a transcript nothing else binds host, cut, beacon, accounts and the h of a seat that sent no c.
            yield cannot_check(prefix + "signature.closed", "without it the closed set is as the file says")
        yield from signature_checks(void.attempt, None, verify, prefix)


def _failed_fault(void: VoidAttempt) -> str | None:
    attempt = void.attempt
    wrong = tuple(
        number
        for number in attempt.closed.of_kind(SeatKind.HUMAN)
        if not contribution_fits(attempt, number, attempt.contributions[number])
    )
    if not wrong:
        return "no seat failed, so nothing made the attempt void"
    return None if void.failed == wrong else f"seats {list(wrong)} failed, not {list(void.failed)}"


def _void_order_fault(deal: FairDeal) -> str | None:
    numbers = [void.attempt.ctx.attempt for void in deal.void]
    if len(numbers) != deal.ctx.attempt or numbers != list(range(len(numbers))):
        return f"they are not all the attempts before {deal.ctx.attempt}"
    attempts = [*(void.attempt for void in deal.void), deal.played]
    shut_out: set[int] = set()
    for number, attempt in enumerate(attempts):
        if number:
            shut_out.update(deal.void[number - 1].failed)
        if set(attempt.closed.of_kind(SeatKind.SHUT_OUT)) != shut_out:
            return f"attempt {number} does not shut out those who failed before, and only them"
    if len({attempt.closed.host == NO_HOST for attempt in attempts}) > 1:
        return "a cut was due in one attempt and not in another"
    for seat in range(deal.ctx.seats):
        if len({attempt.closed.seats[seat].account for attempt in attempts} - {""}) > 1:
            return f"seat {seat} belongs to different accounts"
    return None
