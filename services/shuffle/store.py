"""Keeps ceremonies in SQL: every step of a table in one transaction that also holds the table's claim."""

import json
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Row, and_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.shuffle.attempts import (
    ClosedPart,
    MatchEnd,
    Opened,
    Owner,
    RevealedPart,
    Settled,
    StoredAttempt,
    StoredMatch,
)
from services.shuffle.refusals import StaleEpochError
from services.shuffle.schema import ACCOUNT_VOIDS, ATTEMPTS, MATCHES, OWNERS, RESHUFFLES
from shared.fairness.closed import ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.encoding import SIGNATURE_BYTES, u64
from shared.fairness.fair_deal import Receipt
from shared.kit.database import Database
from shared.kit.sealing import Sealed

# Of columns that both tables have, the match's: `seats` and `begun_ms` would else be ambiguous in a row.
_OF_ATTEMPT: Final = tuple(
    ATTEMPTS.c.seats.label("closed_seats") if column is ATTEMPTS.c.seats else column
    for column in ATTEMPTS.c
    if column.name not in {"match_id", "begun_ms"}
)
TIME_BYTES: Final = 8
_LATEST_FIRST: Final = (ATTEMPTS.c.deal_no.desc(), ATTEMPTS.c.attempt.desc())


class KeysInUse(NamedTuple):
    """Ids of keys without which some attempt cannot go on to its end."""

    sealing: frozenset[str]
    signing: frozenset[str]


class Found(NamedTuple):
    """What there is of a context: its match, where that was begun, and the attempt, where that was."""

    match: StoredMatch | None
    attempt: StoredAttempt | None


class Store:
    """The database of ceremonies."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def claimed(self, owner: Owner) -> AsyncIterator["Claim"]:
        """A transaction in the name of a table; calls of one table follow one another.

        Raises `StaleEpochError` for an epoch below the highest that the table has called with.
        """
        insert = (sqlite if self._database.is_sqlite else postgresql).insert(OWNERS)
        claim = insert.values(table_id=owner.table_id, epoch=owner.epoch)
        claim = claim.on_conflict_do_update(
            index_elements=[OWNERS.c.table_id],
            set_={"epoch": claim.excluded.epoch},
            where=OWNERS.c.epoch <= claim.excluded.epoch,
        )
        async with self._database.transaction() as connection:
            if (await connection.execute(claim)).rowcount != 1:
                raise StaleEpochError
            yield Claim(connection, owner, on_sqlite=self._database.is_sqlite)

    async def attempts(self, match_id: bytes) -> tuple[StoredMatch | None, list[StoredAttempt]]:
        """A match and its attempts, by deal and attempt; None for an unknown match."""
        async with self._database.reading() as connection:
            asked = select(MATCHES, *_OF_ATTEMPT).join_from(MATCHES, ATTEMPTS).where(MATCHES.c.match_id == match_id)
            rows = (await connection.execute(asked.order_by(ATTEMPTS.c.deal_no, ATTEMPTS.c.attempt))).all()
        match = _match(rows[0]) if rows else None
        return match, [_attempt(_match(row), row) for row in rows]

    async def voids_of(self, accounts: Collection[str]) -> dict[str, int]:
        """How many attempts each of these accounts has made void; without those that made none so."""
        asked = select(ACCOUNT_VOIDS).where(ACCOUNT_VOIDS.c.account_id.in_(accounts))
        async with self._database.reading() as connection:
            return {row.account_id: row.void_count for row in await connection.execute(asked)}

    async def keys_in_use(self) -> KeysInUse:
        """The keys of all attempts that are not revealed."""
        asked = select(ATTEMPTS.c.seal_key_id, ATTEMPTS.c.signing_key_id).where(ATTEMPTS.c.secret.is_(None)).distinct()
        async with self._database.reading() as connection:
            rows = (await connection.execute(asked)).all()
        return KeysInUse(frozenset(row[0] for row in rows), frozenset(row[1] for row in rows))


class Claim:
    """What a table may do within its transaction. Whether it may, is not decided here."""

    def __init__(self, connection: AsyncConnection, owner: Owner, *, on_sqlite: bool) -> None:
        self._connection = connection
        self._owner = owner
        self._insert = (sqlite if on_sqlite else postgresql).insert

    async def find(self, ctx: DealContext) -> Found:
        """The match of `ctx` and its attempt."""
        asked = select(MATCHES, *_OF_ATTEMPT).outerjoin_from(MATCHES, ATTEMPTS, _is(ctx))
        row = (await self._connection.execute(asked.where(MATCHES.c.match_id == ctx.match))).one_or_none()
        if row is None:
            return Found(None, None)
        match = _match(row)
        return Found(match, None if row.commitment is None else _attempt(match, row))

    async def begin_match(self, ctx: DealContext, now_ms: int) -> None:
        """Makes the match this table's, unless it is another's by now."""
        row = {
            "match_id": ctx.match,
            "table_id": self._owner.table_id,
            "series_id": ctx.series,
            "match_no": ctx.match_no,
            "seats": ctx.seats,
            "rules_id": ctx.rules,
            "begun_ms": now_ms,
        }
        await self._connection.execute(self._insert(MATCHES).values(row).on_conflict_do_nothing())

    async def last_attempt(self, match: StoredMatch) -> StoredAttempt | None:
        """The latest attempt of the match's latest deal."""
        of_match = ATTEMPTS.c.match_id == match.first.match
        asked = select(*_OF_ATTEMPT).where(of_match).order_by(*_LATEST_FIRST).limit(1)
        row = (await self._connection.execute(asked)).one_or_none()
        return None if row is None else _attempt(match, row)

    async def attempts_before(self, ctx: DealContext) -> list[StoredAttempt]:
        """The attempts at the same deal before this one, in order."""
        if ctx.attempt == 0:
            return []
        asked = select(MATCHES, *_OF_ATTEMPT).join_from(MATCHES, ATTEMPTS).where(MATCHES.c.match_id == ctx.match)
        asked = asked.where(ATTEMPTS.c.deal_no == ctx.deal_no, ATTEMPTS.c.attempt < ctx.attempt)
        rows = await self._connection.execute(asked.order_by(ATTEMPTS.c.attempt))
        return [_attempt(_match(row), row) for row in rows]

    async def add_attempt(self, attempt: StoredAttempt, now_ms: int) -> None:
        """Keeps an attempt that has begun."""
        assert attempt.sealed is not None
        row = {
            "match_id": attempt.ctx.match,
            "deal_no": attempt.ctx.deal_no,
            "attempt": attempt.ctx.attempt,
            "commitment": attempt.commitment,
            "signing_key_id": attempt.key_id,
            "commit_signature": attempt.commit_signature,
            "seal_key_id": attempt.sealed.key_id,
            "sealed": attempt.sealed.data,
            "begun_ms": now_ms,
        }
        await self._connection.execute(ATTEMPTS.insert().values(row))

    async def close(self, attempt: StoredAttempt, now_ms: int) -> None:
        """Keeps what the set was closed with, and the transcript where that follows at once."""
        part = attempt.closed
        assert part is not None
        closed = part.closed
        row = {
            "close_digest": b"",
            "host": closed.host,
            "cut_kind": int(closed.cut_kind),
            "cut": closed.cut,
            "beacon": closed.beacon,
            "seats": _seats_text(attempt),
            "closed_signature": part.signature,
            "draws_dealer": part.draws_dealer,
            "h_receipts": b"".join(receipt.signature for _, receipt in sorted(part.receipts.items())),
            "closed_ms": now_ms,
            **_settled_columns(attempt),
        }
        await self._connection.execute(update(ATTEMPTS).where(_is(attempt.ctx)).values(row))

    async def open(self, attempt: StoredAttempt, now_ms: int) -> None:
        """Keeps what came in of contributions, and what they decided; counts who made the attempt void."""
        part = attempt.closed
        assert part is not None
        row: dict[str, Any] = {
            "seats": _seats_text(attempt),
            "c_receipts": b"".join(
                u64(receipt.unix_ms) + receipt.signature for _, receipt in sorted(attempt.opened.receipts.items())
            ),
            **_settled_columns(attempt),
        }
        if attempt.failed:
            row["failed"] = bytes(attempt.failed)
        await self._connection.execute(update(ATTEMPTS).where(_is(attempt.ctx)).values(row))
        if attempt.revealed is not None:
            await self.reveal(attempt.ctx, attempt.revealed, now_ms)
        for account in sorted(part.closed.seats[seat].account for seat in attempt.failed):
            counted = self._insert(ACCOUNT_VOIDS).values(account_id=account, void_count=1)
            await self._connection.execute(
                counted.on_conflict_do_update(
                    index_elements=[ACCOUNT_VOIDS.c.account_id],
                    set_={"void_count": ACCOUNT_VOIDS.c.void_count + 1},
                )
            )

    async def end_match(self, ctx: DealContext, end: MatchEnd, now_ms: int) -> None:
        """Keeps the signed end of a match."""
        row = {
            "last_deal_no": end.deal_no,
            "last_attempt": end.attempt,
            "end_key_id": end.key_id,
            "end_signature": end.signature,
            "ended_ms": now_ms,
        }
        await self._connection.execute(update(MATCHES).where(MATCHES.c.match_id == ctx.match).values(row))

    async def reveal(self, ctx: DealContext, part: RevealedPart, now_ms: int) -> None:
        """Keeps the secret in the clear from now on."""
        row = {
            "secret": part.secret,
            "reveal_signature": part.signature,
            "revealed_ms": now_ms,
            "seal_key_id": None,
            "sealed": None,
        }
        await self._connection.execute(update(ATTEMPTS).where(_is(ctx)).values(row))

    async def piles(self, ctx: DealContext, *numbers: int) -> dict[int, bytes]:
        """Of these reshuffles those that were made, each with the hash of the pile that it was made from."""
        made = RESHUFFLES.c
        asked = select(made.number, made.pile_digest).where(_is(ctx, RESHUFFLES), made.number.in_(numbers))
        return {row.number: row.pile_digest for row in await self._connection.execute(asked)}

    async def add_reshuffle(self, ctx: DealContext, number: int, digest: bytes, now_ms: int) -> None:
        """Keeps which pile a reshuffle was made from."""
        row = {
            "match_id": ctx.match,
            "deal_no": ctx.deal_no,
            "attempt": ctx.attempt,
            "number": number,
            "pile_digest": digest,
            "made_ms": now_ms,
        }
        await self._connection.execute(RESHUFFLES.insert().values(row))


def _is(ctx: DealContext, table: Any = ATTEMPTS) -> ColumnElement[bool]:
    columns = table.c
    return and_(columns.match_id == ctx.match, columns.deal_no == ctx.deal_no, columns.attempt == ctx.attempt)


def _match(row: Row[Any]) -> StoredMatch:
    first = DealContext(
        series=row.series_id,
        match_no=row.match_no,
        match=row.match_id,
        deal_no=1,
        attempt=0,
        seats=row.seats,
        rules=row.rules_id,
    )
    end = None
    if row.end_signature is not None:
        end = MatchEnd(row.last_deal_no, row.last_attempt, row.end_key_id, row.end_signature)
    return StoredMatch(row.table_id, first, end)


def _attempt(match: StoredMatch, row: Row[Any]) -> StoredAttempt:
    first = match.first
    ctx = DealContext(first.series, first.match_no, first.match, row.deal_no, row.attempt, first.seats, first.rules)
    begun = StoredAttempt(
        ctx=ctx,
        commitment=row.commitment,
        key_id=row.signing_key_id,
        commit_signature=row.commit_signature,
        sealed=None if row.sealed is None else Sealed(row.seal_key_id, row.sealed),
        revealed=None if row.secret is None else RevealedPart(row.secret, row.reveal_signature),
    )
    if row.close_digest is None:
        return begun
    seats = json.loads(row.closed_seats)
    return replace(
        begun,
        closed=_closed(ctx, row, seats),
        opened=_opened(row, seats),
        settled=None if row.transcript is None else Settled(row.transcript, row.transcript_signature),
        failed=tuple(row.failed or b""),
    )


def _closed(ctx: DealContext, row: Row[Any], seats: list[list[Any]]) -> ClosedPart:
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
    receipts = {
        seat: Receipt(row.closed_ms, signature)
        for seat, signature in zip(closed.of_kind(SeatKind.HUMAN), signatures, strict=True)
    }
    return ClosedPart(closed, row.closed_signature, row.draws_dealer, receipts)


def _opened(row: Row[Any], seats: list[list[Any]]) -> Opened:
    contributions = {number: bytes.fromhex(seat[3]) for number, seat in enumerate(seats) if seat[3]}
    written = _split(row.c_receipts or b"", TIME_BYTES + SIGNATURE_BYTES)
    receipts = {
        seat: Receipt(int.from_bytes(each[:TIME_BYTES], "big"), each[TIME_BYTES:])
        for seat, each in zip(contributions, written, strict=True)
    }
    return Opened(contributions, receipts)


def _split(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def _seats_text(attempt: StoredAttempt) -> str:
    assert attempt.closed is not None
    seats = [
        [int(seat.kind), seat.account, seat.h.hex(), attempt.opened.contributions.get(number, b"").hex()]
        for number, seat in enumerate(attempt.closed.closed.seats)
    ]
    return json.dumps(seats, separators=(",", ":"))


def _settled_columns(attempt: StoredAttempt) -> dict[str, bytes]:
    if attempt.settled is None:
        return {}
    return {"transcript": attempt.settled.transcript, "transcript_signature": attempt.settled.signature}
