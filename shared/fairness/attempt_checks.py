"""The checks of one attempt, and of how the attempts at one deal follow each other (docs/fair.md)."""

from collections.abc import Iterator, Mapping, Sequence

from shared.fairness import signing
from shared.fairness.checks import Check, VerifySignature, by_fault, cannot_check, signature_check
from shared.fairness.closed import NO_HOST, ClosedSet, SeatKind
from shared.fairness.commitment import client_commitment, server_commitment
from shared.fairness.fair_deal import Attempt, FairDeal, Signatures, VoidAttempt


def attempt_checks(attempt: Attempt, failed: tuple[int, ...], prefix: str) -> Iterator[Check]:
    """Commitment, contributions (but those of `failed` seats) and closed set; names begin with `prefix`."""
    closed = attempt.closed
    promised = server_commitment(attempt.ctx, attempt.secret) == closed.commitment
    yield by_fault(prefix + "commitment", None if promised else "the secret is not the one committed to")
    yield contributions_check(closed, attempt.contributions, failed, prefix)
    yield closed_set_check(closed, prefix)


def contributions_check(
    closed: ClosedSet, contributions: Sequence[bytes], failed: tuple[int, ...], prefix: str
) -> Check:
    """Whether each c, but those of `failed` seats, is the one promised by its h."""
    wrong = [
        seat
        for seat, contribution in enumerate(contributions)
        if seat not in failed and not contribution_fits(closed, seat, contribution)
    ]
    return by_fault(prefix + "client_commitments", f"seat {wrong[0]}: its c is not that of its h" if wrong else None)


def closed_set_check(closed: ClosedSet, prefix: str) -> Check:
    """Whether K contradicts itself."""
    faults = closed.faults()
    return by_fault(prefix + "closed_set", faults[0] if faults else None)


def contribution_fits(closed: ClosedSet, seat: int, contribution: bytes) -> bool:
    """Whether a c is what the seat's h promised; of a seat that is no human's, whether there is none."""
    if closed.seats[seat].kind is not SeatKind.HUMAN:
        return contribution == b""
    return contribution != b"" and client_commitment(closed.ctx, seat, contribution) == closed.seats[seat].h


def payloads_of(attempt: Attempt, transcript: bytes | None) -> dict[str, bytes]:
    """What is signed of an attempt, by what it is; of a void one `transcript` is None."""
    payloads = {
        signing.COMMIT: signing.commit_payload(attempt.ctx, attempt.closed.commitment),
        signing.CLOSED: attempt.closed.encode(),
        signing.REVEAL: signing.reveal_payload(attempt.ctx, attempt.secret),
    }
    return payloads if transcript is None else {**payloads, signing.TRANSCRIPT: transcript}


def signature_checks(
    signatures: Signatures | None, payloads: Mapping[str, bytes], verify: VerifySignature | None, prefix: str
) -> Iterator[Check]:
    """One check for each signature that there should be, and for any other that is there."""
    given = signatures.of if signatures else {}
    for what in sorted({*payloads, *given}):
        name = f"{prefix}signature.{what}"
        if signatures is None or what not in given:
            yield cannot_check(name, "it is not in this file")
        elif what not in payloads:
            yield cannot_check(name, "what it signs is not in this file")
        else:
            yield signature_check(name, signatures.key, what, payloads[what], given[what], verify)


def void_checks(deal: FairDeal, verify: VerifySignature | None) -> Iterator[Check]:
    """The attempts that came to nothing before the one that was played."""
    if not deal.void:
        if deal.ctx.attempt:
            yield cannot_check("void_attempts", f"{deal.ctx.attempt} void attempts are not in this file")
        return
    yield by_fault("void_attempts", void_order_fault(deal.void, deal.played))
    for number, void in enumerate(deal.void):
        yield from void_attempt_checks(void, verify, f"void[{number}].")


def void_attempt_checks(void: VoidAttempt, verify: VerifySignature | None, prefix: str) -> Iterator[Check]:
    """The checks of one void attempt by itself."""
    yield from attempt_checks(void.attempt, void.failed, prefix)
    yield by_fault(prefix + "failed", _failed_fault(void))
    # An operator could list any wrong c, or none: that the seat sent this is shown by nobody but the seat. And as there
    # is no transcript, nothing but the signature of K binds host, cut, accounts and the h of a seat that sent no c.
    yield cannot_check(prefix + "failed_sent", "what a failed seat sent, only its own witness shows")
    yield from signature_checks(void.attempt.signatures, payloads_of(void.attempt, None), verify, prefix)


def _failed_fault(void: VoidAttempt) -> str | None:
    attempt = void.attempt
    wrong = tuple(
        number
        for number in attempt.closed.of_kind(SeatKind.HUMAN)
        if not contribution_fits(attempt.closed, number, attempt.contributions[number])
    )
    if not wrong:
        return "no seat failed, so nothing made the attempt void"
    return None if void.failed == wrong else f"seats {list(wrong)} failed, not {list(void.failed)}"


def void_order_fault(voids: Sequence[VoidAttempt], last: Attempt | None) -> str | None:
    """Why these are not all the attempts at a deal up to `last`, each without those who failed; None where they are."""
    attempts = [*(void.attempt for void in voids), *([] if last is None else [last])]
    if [attempt.ctx.attempt for attempt in attempts] != list(range(len(attempts))):
        return "they are not all the attempts before" + (f" {last.ctx.attempt}" if last else "")
    shut_out: set[int] = set()
    for number, attempt in enumerate(attempts):
        if number:
            shut_out.update(voids[number - 1].failed)
        if set(attempt.closed.of_kind(SeatKind.SHUT_OUT)) != shut_out:
            return f"attempt {number} does not shut out those who failed before, and only them"
    if len({attempt.closed.host == NO_HOST for attempt in attempts}) > 1:
        return "a cut was due in one attempt and not in another"
    for seat in range(attempts[0].ctx.seats if attempts else 0):
        if len({attempt.closed.seats[seat].account for attempt in attempts} - {""}) > 1:
            return f"seat {seat} belongs to different accounts"
    return None
