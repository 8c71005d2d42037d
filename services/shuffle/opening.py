"""Contributions come in, and the attempt is settled or void (docs/fair.md, order of events)."""

from collections.abc import Mapping
from dataclasses import replace

from services.shuffle.attempts import Opened, Settled, StoredAttempt
from services.shuffle.custody import Custody
from services.shuffle.refusals import BadRequestError
from shared.fairness import signing
from shared.fairness.closed import ClosedSet, SeatKind
from shared.fairness.commitment import client_commitment
from shared.fairness.transcript import transcript


def take_in(
    attempt: StoredAttempt, came: Mapping[int, bytes], custody: Custody, now_ms: int, *, last: bool
) -> StoredAttempt:
    """The attempt with what came, each seat's first c alone, and decided where it can be.

    It stays open while a c is missing and time is left, so that who failed is told from who was not asked any more.
    Raises `BadRequestError` for a c of a seat that K does not call human.
    """
    assert attempt.closed is not None
    closed = attempt.closed.closed
    humans = closed.of_kind(SeatKind.HUMAN)
    if not came.keys() <= set(humans):
        raise BadRequestError("a contribution of a seat of which none is awaited")
    new = {seat: c for seat, c in sorted(came.items()) if seat not in attempt.opened.contributions}
    receipts = {seat: custody.receipt(attempt, signing.RECEIPT_C, seat, c, now_ms) for seat, c in new.items()}
    if not new and not last:
        return attempt
    opened = Opened({**attempt.opened.contributions, **new}, {**attempt.opened.receipts, **receipts})
    attempt = replace(attempt, opened=opened)
    if opened.missing(closed) and not last:
        return attempt
    failed = tuple(seat for seat in humans if not _fits(closed, seat, opened.contributions.get(seat)))
    if failed:
        return replace(attempt, failed=failed, sealed=None, revealed=custody.reveal(attempt))
    return settle(attempt, custody)


def settle(attempt: StoredAttempt, custody: Custody) -> StoredAttempt:
    """The attempt with its transcript, once every contribution is there and fits."""
    assert attempt.closed is not None
    closed = attempt.closed.closed
    value = transcript(closed, attempt.opened.by_seat(closed))
    return replace(attempt, settled=Settled(value, custody.sign(attempt.key_id, signing.TRANSCRIPT, value)))


def _fits(closed: ClosedSet, seat: int, c: bytes | None) -> bool:
    return c is not None and client_commitment(closed.ctx, seat, c) == closed.seats[seat].h
