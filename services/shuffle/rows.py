"""Matches and attempts as rows of the database, by place: the columns here are the order in which they are read."""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from services.shuffle.attempts import ClosedPart, MatchEnd, Opened, RevealedPart, Settled, StoredAttempt, StoredMatch
from shared.fairness.closed import ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext, deal_context
from shared.fairness.encoding import SIGNATURE_BYTES, u64
from shared.fairness.fair_deal import Receipt
from shared.kit.sealing import Sealed

_TIME_BYTES: Final = 8
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


class MatchRow(NamedTuple):
    """A match."""

    table_id: str
    series_id: bytes
    match_no: int
    match_id: bytes
    seats: int
    rules_id: str
    last_deal_no: int | None
    last_attempt: int | None
    end_key_id: str | None
    end_signature: bytes | None


class AttemptRow(NamedTuple):
    """An attempt; what its match says too is not in it."""

    deal_no: int
    attempt: int
    commitment: bytes
    signing_key_id: str
    commit_signature: bytes
    seal_key_id: str | None
    sealed: bytes | None
    secret: bytes | None
    reveal_signature: bytes | None
    host: int | None
    cut_kind: int | None
    cut: int | None
    beacon: bytes | None
    seats: str | None
    closed_signature: bytes | None
    closed_ms: int | None
    draws_dealer: bool | None
    h_receipts: bytes | None
    c_receipts: bytes | None
    transcript: bytes | None
    transcript_signature: bytes | None
    failed: bytes | None

    def __repr__(self) -> str:
        """Without what it holds: contributions, and the secret."""
        return f"AttemptRow(deal_no={self.deal_no}, attempt={self.attempt})"


MATCH_COLUMNS: Final = ", ".join(f"m.{name}" for name in MatchRow._fields)
ATTEMPT_COLUMNS: Final = ", ".join(f"a.{name}" for name in AttemptRow._fields)


def read_found(row: Sequence[Any]) -> tuple[StoredMatch, StoredAttempt | None]:
    """From the columns of a match and then of an attempt, all None where there is none."""
    match = read_match(row)
    attempt = row[len(MatchRow._fields) :]
    return match, None if attempt[0] is None else _read_attempt(match, AttemptRow(*attempt))


def read_match(row: Sequence[Any]) -> StoredMatch:
    """From the columns of a match, and whatever follows them."""
    read = MatchRow(*row[: len(MatchRow._fields)])
    end = None
    if read.end_signature is not None:
        assert read.last_deal_no is not None
        assert read.last_attempt is not None
        assert read.end_key_id is not None
        end = MatchEnd(read.last_deal_no, read.last_attempt, read.end_key_id, read.end_signature)
    first = deal_context(read.series_id, read.match_no, read.match_id, 1, 0, read.seats, read.rules_id)
    return StoredMatch(read.table_id, first, end)


def _read_attempt(match: StoredMatch, row: AttemptRow) -> StoredAttempt:
    first = match.first
    ctx = deal_context(first.series, first.match_no, first.match, row.deal_no, row.attempt, first.seats, first.rules)
    sealed = revealed = settled = None
    if row.sealed is not None:
        assert row.seal_key_id is not None
        sealed = Sealed(row.seal_key_id, row.sealed)
    if row.secret is not None:
        assert row.reveal_signature is not None
        revealed = RevealedPart(row.secret, row.reveal_signature)
    if row.transcript is not None:
        assert row.transcript_signature is not None
        settled = Settled(row.transcript, row.transcript_signature)
    closed, opened = None, Opened()
    if row.seats is not None:
        seats = json.loads(row.seats)
        closed, opened = _read_closed(ctx, row, seats), _read_opened(row.c_receipts or b"", seats)
    return StoredAttempt(
        ctx=ctx,
        commitment=row.commitment,
        key_id=row.signing_key_id,
        commit_signature=row.commit_signature,
        sealed=sealed,
        closed=closed,
        opened=opened,
        settled=settled,
        failed=tuple(row.failed or b""),
        revealed=revealed,
    )


def _read_closed(ctx: DealContext, row: AttemptRow, seats: list[list[Any]]) -> ClosedPart:
    assert row.host is not None
    assert row.cut_kind is not None
    assert row.cut is not None
    assert row.beacon is not None
    assert row.closed_signature is not None
    assert row.closed_ms is not None
    closed = ClosedSet(
        ctx=ctx,
        commitment=row.commitment,
        host=row.host,
        cut_kind=CutKind(row.cut_kind),
        cut=row.cut,
        beacon=row.beacon,
        seats=tuple(Seat(SeatKind(kind), account, bytes.fromhex(h)) for kind, account, h, _ in seats),
    )
    signatures = _split(row.h_receipts or b"", SIGNATURE_BYTES)
    humans = closed.of_kind(SeatKind.HUMAN)
    receipts = {seat: Receipt(row.closed_ms, signed) for seat, signed in zip(humans, signatures, strict=True)}
    draws_dealer = None if row.draws_dealer is None else bool(row.draws_dealer)
    return ClosedPart(closed, row.closed_signature, draws_dealer, receipts)


def _read_opened(written: bytes, seats: list[list[Any]]) -> Opened:
    contributions = {number: bytes.fromhex(seat[3]) for number, seat in enumerate(seats) if seat[3]}
    receipts = {
        seat: Receipt(int.from_bytes(each[:_TIME_BYTES], "big"), each[_TIME_BYTES:])
        for seat, each in zip(contributions, _split(written, _TIME_BYTES + SIGNATURE_BYTES), strict=True)
    }
    return Opened(contributions, receipts)


def write_seats(attempt: StoredAttempt) -> str:
    """The column `seats`."""
    assert attempt.closed is not None
    seats = [
        [seat.kind, seat.account, seat.h.hex(), attempt.opened.contributions.get(number, b"").hex()]
        for number, seat in enumerate(attempt.closed.closed.seats)
    ]
    return _encode(seats)


def write_h_receipts(attempt: StoredAttempt) -> bytes:
    """The column `h_receipts`."""
    assert attempt.closed is not None
    return b"".join(receipt.signature for _, receipt in sorted(attempt.closed.receipts.items()))


def write_c_receipts(attempt: StoredAttempt) -> bytes:
    """The column `c_receipts`."""
    receipts = (receipt for _, receipt in sorted(attempt.opened.receipts.items()))
    return b"".join(u64(receipt.unix_ms) + receipt.signature for receipt in receipts)


def _split(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]
