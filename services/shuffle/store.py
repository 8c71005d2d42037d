"""Keeps ceremonies in SQL: every step of a table in one transaction that also holds the table's claim."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Row, and_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.shuffle.attempts import ClosedPart, Owner, RevealedPart, StoredAttempt, StoredMatch
from services.shuffle.refusals import StaleEpochError
from services.shuffle.schema import ATTEMPTS, MATCHES, OWNERS, RESHUFFLES
from shared.fairness.closed import ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext
from shared.kit.database import Database
from shared.kit.sealing import Sealed

# Of columns that both tables have, the match's: `seats` and `begun_ms` would else be ambiguous in a row.
_OF_ATTEMPT: Final = tuple(
    ATTEMPTS.c.seats.label("closed_seats") if column is ATTEMPTS.c.seats else column
    for column in ATTEMPTS.c
    if column.name not in {"match_id", "begun_ms"}
)
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

    async def attempts(self, match_id: bytes) -> list[StoredAttempt]:
        """Every attempt of a match, by deal and attempt; empty for an unknown match."""
        async with self._database.reading() as connection:
            asked = select(MATCHES, *_OF_ATTEMPT).join_from(MATCHES, ATTEMPTS).where(MATCHES.c.match_id == match_id)
            rows = await connection.execute(asked.order_by(ATTEMPTS.c.deal_no, ATTEMPTS.c.attempt))
            return [_attempt(_match(row), row) for row in rows]

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

    async def close(self, ctx: DealContext, part: ClosedPart, now_ms: int) -> None:
        """Keeps what the set was closed with."""
        closed = part.closed
        seats = [
            [int(seat.kind), seat.account, seat.h.hex(), c.hex()]
            for seat, c in zip(closed.seats, part.contributions, strict=True)
        ]
        row = {
            "close_digest": part.digest,
            "host": closed.host,
            "cut_kind": int(closed.cut_kind),
            "cut": closed.cut,
            "beacon": closed.beacon,
            "seats": json.dumps(seats, separators=(",", ":")),
            "closed_signature": part.signature,
            "transcript": part.transcript,
            "transcript_signature": part.transcript_signature,
            "closed_ms": now_ms,
        }
        await self._connection.execute(update(ATTEMPTS).where(_is(ctx)).values(row))

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
    return StoredMatch(row.table_id, first)


def _attempt(match: StoredMatch, row: Row[Any]) -> StoredAttempt:
    first = match.first
    ctx = DealContext(first.series, first.match_no, first.match, row.deal_no, row.attempt, first.seats, first.rules)
    return StoredAttempt(
        ctx=ctx,
        commitment=row.commitment,
        key_id=row.signing_key_id,
        commit_signature=row.commit_signature,
        sealed=None if row.sealed is None else Sealed(row.seal_key_id, row.sealed),
        closed=None if row.close_digest is None else _closed(ctx, row),
        revealed=None if row.secret is None else RevealedPart(row.secret, row.reveal_signature),
    )


def _closed(ctx: DealContext, row: Row[Any]) -> ClosedPart:
    seats = json.loads(row.closed_seats)
    closed = ClosedSet(
        ctx=ctx,
        commitment=row.commitment,
        host=row.host,
        cut_kind=CutKind(row.cut_kind),
        cut=row.cut,
        beacon=row.beacon,
        seats=tuple(Seat(SeatKind(kind), account, bytes.fromhex(h)) for kind, account, h, _ in seats),
    )
    return ClosedPart(
        digest=row.close_digest,
        closed=closed,
        contributions=tuple(bytes.fromhex(c) for _, _, _, c in seats),
        signature=row.closed_signature,
        transcript=row.transcript,
        transcript_signature=row.transcript_signature,
    )
