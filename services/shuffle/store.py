"""Keeps ceremonies in SQL: every step of a table in one transaction that also holds the table's claim."""

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Final, NamedTuple, TypeVar

from services.shuffle.attempts import LastAttempt, MatchEnd, Owner, RevealedPart, StoredAttempt, StoredMatch
from services.shuffle.day_store import take_places
from services.shuffle.refusals import StaleEpochError
from services.shuffle.rows import (
    ATTEMPT_COLUMNS,
    MATCH_COLUMNS,
    read_found,
    write_c_receipts,
    write_h_receipts,
    write_seats,
)
from shared.fairness.context import DealContext
from shared.kit.transactions import Rows, Transactions

_T = TypeVar("_T")

_EPOCH: Final = "SELECT epoch FROM owners WHERE table_id = $1"
_CLAIM: Final = (
    "INSERT INTO owners (table_id, epoch) VALUES ($1, $2) ON CONFLICT (table_id) DO UPDATE SET epoch = excluded.epoch"
    " WHERE owners.epoch <= excluded.epoch RETURNING epoch"
)
_FIND: Final = (
    f"SELECT {MATCH_COLUMNS}, {ATTEMPT_COLUMNS} FROM matches m LEFT JOIN attempts a"
    " ON a.match_id = m.match_id AND a.deal_no = $2 AND a.attempt = $3 WHERE m.match_id = $1"
)
_ALL: Final = (
    f"SELECT {MATCH_COLUMNS}, {ATTEMPT_COLUMNS} FROM matches m JOIN attempts a ON a.match_id = m.match_id"
    " WHERE m.match_id = $1"
)
_LAST: Final = (
    "SELECT deal_no, attempt, transcript IS NOT NULL, failed IS NOT NULL FROM attempts WHERE match_id = $1"
    " ORDER BY deal_no DESC, attempt DESC LIMIT 1"
)
_BEFORE: Final = f"{_ALL} AND a.deal_no = $2 AND a.attempt < $3 ORDER BY a.attempt"
_MATCH: Final = f"{_ALL} ORDER BY a.deal_no, a.attempt"
_BEGIN_MATCH: Final = (
    "INSERT INTO matches (match_id, table_id, series_id, match_no, seats, rules_id, begun_ms)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1"
)
_ADD_ATTEMPT: Final = (
    "INSERT INTO attempts (match_id, deal_no, attempt, commitment, signing_key_id, commit_signature, seal_key_id,"
    " sealed, begun_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
)
_IS: Final = "WHERE match_id = $1 AND deal_no = $2 AND attempt = $3"
# The digest says for the release before that the set is closed.
_CLOSE: Final = (
    "UPDATE attempts SET close_digest = $4, host = $5, cut_kind = $6, cut = $7, beacon = $8, seats = $9,"
    " closed_signature = $10, draws_dealer = $11, h_receipts = $12, closed_ms = $13, transcript = $14,"
    f" transcript_signature = $15 {_IS}"
)
_OPEN: Final = (
    f"UPDATE attempts SET seats = $4, c_receipts = $5, transcript = $6, transcript_signature = $7, failed = $8 {_IS}"
)
_REVEAL: Final = (
    "UPDATE attempts SET secret = $4, reveal_signature = $5, revealed_ms = $6, leaf_day = $7, leaf_no = $8,"
    f" seal_key_id = NULL, sealed = NULL {_IS}"
)
_COUNT_VOID: Final = (
    "INSERT INTO account_voids (account_id, void_count) VALUES ($1, 1)"
    " ON CONFLICT (account_id) DO UPDATE SET void_count = account_voids.void_count + 1"
)
_VOIDS: Final = "SELECT account_id, void_count FROM account_voids WHERE account_id IN "
_END_MATCH: Final = (
    "UPDATE matches SET last_deal_no = $2, last_attempt = $3, end_key_id = $4, end_signature = $5, ended_ms = $6"
    " WHERE match_id = $1"
)
_PILE: Final = f"SELECT pile_digest FROM reshuffles {_IS} AND number = $4"
_ADD_PILE: Final = (
    "INSERT INTO reshuffles (match_id, deal_no, attempt, number, pile_digest, made_ms) VALUES ($1, $2, $3, $4, $5, $6)"
)
_KEYS_IN_USE: Final = "SELECT DISTINCT seal_key_id, signing_key_id FROM attempts WHERE secret IS NULL"


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

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def claimed(self, owner: Owner, step: Callable[["Claim"], Coroutine[Any, Any, _T]]) -> "asyncio.Future[_T]":
        """What `step` gives, committed; calls of one table follow one another.

        Raises `StaleEpochError` for an epoch below the highest that the table has called with, and what `step` raises.
        """

        async def claimed(rows: Rows) -> _T:
            # Most calls repeat the epoch, and a claim that changes nothing would have to be written all the same.
            known = await rows.fetch(rows.locking(_EPOCH), owner.table_id)
            if not (known and known[0][0] == owner.epoch) and not await rows.fetch(_CLAIM, owner.table_id, owner.epoch):
                raise StaleEpochError
            return await step(Claim(rows, owner))

        return self._transactions.start(claimed)

    async def attempts(self, match_id: bytes) -> list[tuple[StoredMatch, StoredAttempt]]:
        """Every attempt of a match, by deal and attempt; empty for an unknown match."""

        async def read(rows: Rows) -> list[tuple[StoredMatch, StoredAttempt]]:
            return [_both(row) for row in await rows.fetch(_MATCH, match_id)]

        return await self._transactions.read(read)

    async def voids_of(self, accounts: Collection[str]) -> dict[str, int]:
        """How many attempts each of these accounts has made void; without those that made none so."""

        async def read(rows: Rows) -> dict[str, int]:
            places = ", ".join(f"${number}" for number in range(1, len(accounts) + 1))
            return dict(await rows.fetch(f"{_VOIDS}({places})", *accounts))

        return await self._transactions.read(read) if accounts else {}

    async def keys_in_use(self) -> KeysInUse:
        """The keys of all attempts that are not revealed."""

        async def read(rows: Rows) -> KeysInUse:
            found = await rows.fetch(_KEYS_IN_USE)
            return KeysInUse(frozenset(row[0] for row in found), frozenset(row[1] for row in found))

        return await self._transactions.read(read)


class Claim:
    """What a table may do within its transaction. Whether it may, is not decided here."""

    def __init__(self, rows: Rows, owner: Owner) -> None:
        self._rows = rows
        self.owner = owner

    async def find(self, ctx: DealContext) -> Found:
        """The match of `ctx` and its attempt."""
        rows = await self._rows.fetch(_FIND, ctx.match, ctx.deal_no, ctx.attempt)
        return Found(*read_found(rows[0])) if rows else Found(None, None)

    async def begin_match(self, ctx: DealContext, now_ms: int) -> bool:
        """Makes the match this table's; whether it was nobody's until now."""
        table_id = self.owner.table_id
        return bool(
            await self._rows.fetch(
                _BEGIN_MATCH, ctx.match, table_id, ctx.series, ctx.match_no, ctx.seats, ctx.rules, now_ms
            )
        )

    async def last_attempt(self, match: StoredMatch) -> LastAttempt | None:
        """The latest attempt of the match's latest deal."""
        rows = await self._rows.fetch(_LAST, match.first.match)
        return LastAttempt(*rows[0]) if rows else None

    async def attempts_before(self, ctx: DealContext) -> list[StoredAttempt]:
        """The attempts at the same deal before this one, in order."""
        if ctx.attempt == 0:
            return []
        return [_both(row)[1] for row in await self._rows.fetch(_BEFORE, ctx.match, ctx.deal_no, ctx.attempt)]

    async def add_attempt(self, attempt: StoredAttempt, now_ms: int) -> None:
        """Keeps an attempt that has begun."""
        sealed = attempt.sealed
        assert sealed is not None
        await self._rows.fetch(
            _ADD_ATTEMPT,
            *_place(attempt.ctx),
            attempt.commitment,
            attempt.key_id,
            attempt.commit_signature,
            sealed.key_id,
            sealed.data,
            now_ms,
        )

    async def close(self, attempt: StoredAttempt, now_ms: int) -> None:
        """Keeps what the set was closed with, and the transcript where that follows at once."""
        part = attempt.closed
        assert part is not None
        closed = part.closed
        await self._rows.fetch(
            _CLOSE,
            *_place(attempt.ctx),
            b"",
            closed.host,
            int(closed.cut_kind),
            closed.cut,
            closed.beacon,
            write_seats(attempt),
            part.signature,
            part.draws_dealer,
            write_h_receipts(attempt),
            now_ms,
            *_settled(attempt),
        )

    async def open(self, attempt: StoredAttempt, now_ms: int) -> None:
        """Keeps what came in of contributions, and what they decided; counts who made the attempt void."""
        failed = bytes(attempt.failed) or None
        place = _place(attempt.ctx)
        await self._rows.fetch(
            _OPEN, *place, write_seats(attempt), write_c_receipts(attempt), *_settled(attempt), failed
        )
        if attempt.failed:
            assert attempt.closed is not None
            assert attempt.revealed is not None
            seats = attempt.closed.closed.seats
            # In one order for all, or two that count the same accounts could wait for each other.
            for account in sorted(seats[number].account for number in attempt.failed):
                await self._rows.fetch(_COUNT_VOID, account)
            await self.reveal(attempt.ctx, attempt.revealed, now_ms)

    async def reveal(self, ctx: DealContext, part: RevealedPart, now_ms: int) -> None:
        """Keeps the secret in the clear from now on, as the day's next reveal. Nothing waits for more after it."""
        leaf = await take_places(self._rows, now_ms, 1)
        await self._rows.fetch(_REVEAL, *_place(ctx), part.secret, part.signature, now_ms, *leaf)

    async def end_match(self, ctx: DealContext, end: MatchEnd, now_ms: int) -> None:
        """Keeps the signed end of a match."""
        await self._rows.fetch(_END_MATCH, ctx.match, end.deal_no, end.attempt, end.key_id, end.signature, now_ms)

    async def pile(self, ctx: DealContext, number: int) -> bytes | None:
        """The hash of the pile from which a reshuffle was made; None for one that was not made."""
        rows = await self._rows.fetch(_PILE, *_place(ctx), number)
        return rows[0][0] if rows else None

    async def add_reshuffle(self, ctx: DealContext, number: int, digest: bytes, now_ms: int) -> None:
        """Keeps which pile a reshuffle was made from."""
        await self._rows.fetch(_ADD_PILE, *_place(ctx), number, digest, now_ms)


def _place(ctx: DealContext) -> tuple[bytes, int, int]:
    return ctx.match, ctx.deal_no, ctx.attempt


def _settled(attempt: StoredAttempt) -> tuple[bytes | None, bytes | None]:
    return (None, None) if attempt.settled is None else (attempt.settled.transcript, attempt.settled.signature)


def _both(row: Any) -> tuple[StoredMatch, StoredAttempt]:
    match, attempt = read_found(row)
    assert attempt is not None
    return match, attempt
