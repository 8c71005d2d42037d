"""What becomes of stakes once their match is over: paid out when every deal of it is proven, else given back (R11.1).

Facts are taken in within the inbox's transaction: a match that is won waits as a row of `pending_settlements` until its
proof is out, one that is aborted is refunded at once. However often, late or out of order they come, `settlements` lets
one thing happen to a match.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple

import structlog
from prometheus_client import Counter
from sqlalchemy import Row, delete, exists, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.holds import WON, Holds, SettleOutcome
from services.wallet.proving import Claim, Proof, Verdict
from services.wallet.results import TEAMS, MatchResult
from services.wallet.schema import HOLDS, INQUIRIES, PENDING_SETTLEMENTS
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.metrics import Metrics
from shared.kit.status import ApiError
from shared.rules.replay import options_rules_id

AT_ONCE: Final = 64
"""Matches looked at in one go."""
IDLE_MS: Final = 1_000
AGAIN_FIRST_MS: Final = 500
AGAIN_MOST_MS: Final = 60_000

ABORTED: Final = "aborted"
CANCELLED: Final = "cancelled"
PROOF_FAILED: Final = "proof_failed"
PROOF_MISSING: Final = "proof_missing"
LOST: Final = "lost"

Prove = Callable[[Claim], Awaitable[Proof]]
AfterPaying = Callable[[str], Awaitable[None]]

_log = structlog.get_logger("wallet.settling")


class Won(NamedTuple):
    """That a match for coins is won."""

    match_id: str
    table_id: str
    winner_team: int
    last_deal_no: int
    rules: str = ""
    """See `Claim`."""


def again_ms(tries: int) -> int:
    """How long to wait before asking again, after so many tries."""
    return min(AGAIN_FIRST_MS << min(tries, 20), AGAIN_MOST_MS)


class Settling:
    """Settles matches. `proof_patience_ms`: for so long after a match its proof may come."""

    def __init__(
        self,
        database: Database,
        holds: Holds,
        prove: Prove,
        clock: Clock,
        metrics: Metrics,
        *,
        proof_patience_ms: int,
        after_paying: AfterPaying | None = None,
    ) -> None:
        """`after_paying` is told which match has been paid."""
        self._database = database
        self._holds = holds
        self._prove = prove
        self._clock = clock
        self._proof_patience_ms = proof_patience_ms
        self._after_paying = after_paying
        self._insert = (sqlite if database.is_sqlite else postgresql).insert
        self._woken = asyncio.Event()
        self._settled = Counter(
            "banakil_settlements", "Matches whose stakes were settled, by why", ["cause"], registry=metrics.registry
        )

    async def match_ended(self, connection: AsyncConnection, result: MatchResult) -> bool:
        """A match for coins is won; whether there is now something to settle."""
        hold = await self._holds.find(connection, result.match_id)
        accounts = tuple(seat.account_id for seat in result.seats)
        if hold is None or (hold.stake_coins, hold.account_ids) != (result.options.stake, accounts):
            _log.error("result.not_staked", match_id=result.match_id, table_id=result.table_id)
            return False
        rules = options_rules_id(result.options)
        won = Won(result.match_id, result.table_id, result.winner_team, result.last_deal_no, rules)
        return await self.match_won(connection, won)

    async def match_won(self, connection: AsyncConnection, won: Won) -> bool:
        """A match whose stakes are held is won; whether that is news."""
        if await self._holds.settlement(connection, won.match_id) is not None:
            return False
        now_ms = self._clock.now_ms()
        row = {**won._asdict(), "told_ms": now_ms, "due_ms": now_ms, "tries": 0}
        added = await connection.execute(self._insert(PENDING_SETTLEMENTS).values(row).on_conflict_do_nothing())
        await connection.execute(delete(INQUIRIES).where(INQUIRIES.c.match_id == won.match_id))
        return bool(added.rowcount)

    async def match_aborted(self, connection: AsyncConnection, match_id: str, cause: str) -> None:
        """A match is over without a result: stakes go back, and one that has none yet never will."""
        pending = select(exists().where(PENDING_SETTLEMENTS.c.match_id == match_id))
        if await connection.scalar(pending):
            _log.error("match.won_and_aborted", match_id=match_id)  # which no table says; what was first stands
            return
        await self._refund(connection, match_id, cause)

    async def table_closed(self, connection: AsyncConnection, table_id: str) -> None:
        """A table is closed: what it still has stakes for, it is to be asked about."""
        held = select(HOLDS.c.match_id).where(HOLDS.c.table_id == table_id, HOLDS.c.settled_ms.is_(None))
        for match_id in (await connection.scalars(held)).all():
            await self.inquire(connection, match_id, self._clock.now_ms() + IDLE_MS)

    async def inquire(self, connection: AsyncConnection, match_id: str, due_ms: int) -> None:
        """Have a table asked what became of a match, unless that is known."""
        if not await connection.scalar(select(exists().where(PENDING_SETTLEMENTS.c.match_id == match_id))):
            row = {"match_id": match_id, "due_ms": due_ms, "tries": 0}
            await connection.execute(self._insert(INQUIRIES).values(row).on_conflict_do_nothing())

    def wake(self) -> None:
        """Have what was committed settled at once, rather than within a second."""
        self._woken.set()

    async def run(self) -> None:
        """Settles for ever; a background task."""
        while True:
            self._woken.clear()
            if await self.settle_due() < AT_ONCE:
                timer = self._clock.call_at(self._clock.monotonic_ms() + IDLE_MS, self._woken.set)
                try:
                    await self._woken.wait()
                finally:
                    timer.cancel()

    async def settle_due(self) -> int:
        """Looks at up to 64 matches whose proof may be out; how many there were."""
        async with self._database.turn("settling") as has_turn:
            if not has_turn:
                return 0
            due = PENDING_SETTLEMENTS.c.due_ms <= self._clock.now_ms()
            asked = select(PENDING_SETTLEMENTS).where(due).order_by(PENDING_SETTLEMENTS.c.due_ms).limit(AT_ONCE)
            async with self._database.reading() as connection:
                rows: Sequence[Row[Any]] = (await connection.execute(asked)).all()
            for row in rows:
                try:
                    await self._look_at(row)
                except OperationalError:
                    raise  # the database is everybody's
                except Exception:  # whatever is wrong with one match, the others are settled
                    _log.exception("match.not_settled", match_id=row.match_id, table_id=row.table_id)
                    await self._put_off(row)
        return len(rows)

    async def _look_at(self, row: Row[Any]) -> None:
        async with self._database.reading() as connection:
            hold = await self._holds.find(connection, row.match_id)
        assert hold is not None, "nothing is pending that is not held"
        claim = Claim(row.match_id, row.last_deal_no, row.rules, hold.account_ids)
        patience_ms = self._proof_patience_ms
        try:
            proof = await self._prove(claim)
        except ApiError as error:
            proof = Proof(Verdict.OPEN, error.code)
            patience_ms *= 2  # it may well be there, where nobody is to be asked
        if proof.verdict is Verdict.OPEN and self._clock.now_ms() - row.told_ms < patience_ms:
            await self._put_off(row)
            return
        async with self._database.transaction() as connection:
            gone = PENDING_SETTLEMENTS.c.match_id == row.match_id
            if not (await connection.execute(delete(PENDING_SETTLEMENTS).where(gone))).rowcount:
                return
            is_proven = proof.verdict is Verdict.PROVEN
            if is_proven:
                winners = hold.account_ids[row.winner_team :: TEAMS]
                self._tell(row.match_id, WON, await self._holds.settle(connection, row.match_id, winners))
            else:
                _log.error("match.not_proven", match_id=row.match_id, table_id=row.table_id, reason=proof.about)
                is_failed = proof.verdict is Verdict.FAILED
                await self._refund(connection, row.match_id, PROOF_FAILED if is_failed else PROOF_MISSING)
        if is_proven and self._after_paying is not None:
            await self._after_paying(row.match_id)

    async def _refund(self, connection: AsyncConnection, match_id: str, cause: str) -> None:
        await connection.execute(delete(INQUIRIES).where(INQUIRIES.c.match_id == match_id))
        self._tell(match_id, cause, await self._holds.refund(connection, match_id, cause))

    async def refund_lost(self, connection: AsyncConnection, match_id: str, cause: str) -> None:
        """Give stakes back of whose match the table knows no result. What is known by now stands."""
        if not await connection.scalar(select(exists().where(PENDING_SETTLEMENTS.c.match_id == match_id))):
            await self._refund(connection, match_id, cause)

    async def _put_off(self, row: Row[Any]) -> None:
        later = {"due_ms": self._clock.now_ms() + again_ms(row.tries), "tries": row.tries + 1}
        mine = PENDING_SETTLEMENTS.c.match_id == row.match_id
        async with self._database.transaction() as connection:
            await connection.execute(update(PENDING_SETTLEMENTS).where(mine).values(later))

    def _tell(self, match_id: str, cause: str, outcome: SettleOutcome) -> None:
        if outcome is SettleOutcome.DONE:
            self._settled.labels(cause).inc()
            _log.info("stakes.settled", match_id=match_id, cause=cause)
        elif outcome is SettleOutcome.OTHER:
            _log.error("stakes.settled_otherwise", match_id=match_id, cause=cause)
