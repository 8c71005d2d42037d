"""Stakes of which nobody has told for long: their table is asked before anything is given back.

What a fact should have told (`settling.py`) and did not is found out here: a table that is closed is asked at once
about the stakes it still has, and any about stakes that are older than an hour. As long as a match goes on nothing
happens to its stakes.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import structlog
from banakil.table.v1 import standing_pb2 as wire
from sqlalchemy import Row, delete, exists, select, update
from sqlalchemy.exc import OperationalError

from services.wallet.schema import HOLDS, INQUIRIES, PENDING_SETTLEMENTS
from services.wallet.settling import ABORTED, LOST, Settling, Won, again_ms
from shared.kit.clients import answer
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.status import ApiError

if TYPE_CHECKING:
    from banakil.table.v1.standing_pb2_grpc import StandingServiceAsyncStub

AT_ONCE: Final = 64
LOOK_MS: Final = 5_000

Standing = wire.GetMatchStandingResponse
Ask = Callable[[str, str], Awaitable[Standing]]
"""By table and match. Raises `ApiError` where nobody answers."""

_log = structlog.get_logger("wallet.reconciling")


def asking(tables: "StandingServiceAsyncStub") -> Ask:
    """Asks the table service."""

    async def ask(table_id: str, match_id: str) -> Standing:
        return await answer(tables.GetMatchStanding(wire.GetMatchStandingRequest(table_id=table_id, match_id=match_id)))

    return ask


class Reconciling:
    """Asks after stakes. `ask_after_ms`: of a hold without a word; and again, as long as its match goes on."""

    def __init__(self, database: Database, settling: Settling, ask: Ask, clock: Clock, *, ask_after_ms: int) -> None:
        self._database = database
        self._settling = settling
        self._ask = ask
        self._clock = clock
        self._ask_after_ms = ask_after_ms

    async def run(self) -> None:
        """Reconciles for ever; a background task."""
        while True:
            if await self.reconcile() < AT_ONCE:
                await self._clock.sleep_ms(LOOK_MS)

    async def reconcile(self) -> int:
        """Asks about up to 64 matches; how many there were."""
        async with self._database.turn("reconciling") as has_turn:
            if not has_turn:
                return 0
            await self._note_old_ones()
            due = INQUIRIES.c.due_ms <= self._clock.now_ms()
            asked = (
                select(INQUIRIES, HOLDS.c.table_id, HOLDS.c.at_ms)
                .join(HOLDS, HOLDS.c.match_id == INQUIRIES.c.match_id)
                .where(due)
                .order_by(INQUIRIES.c.due_ms)
                .limit(AT_ONCE)
            )
            async with self._database.reading() as connection:
                rows: Sequence[Row[Any]] = (await connection.execute(asked)).all()
            for row in rows:
                try:
                    await self._ask_about(row)
                except OperationalError:
                    raise  # the database is everybody's
                except Exception:  # whatever is wrong with one match, the others are asked about
                    _log.exception("match.not_reconciled", match_id=row.match_id, table_id=row.table_id)
                    await self._put_off(row, again_ms(row.tries))
        return len(rows)

    async def _note_old_ones(self) -> None:
        old = (
            HOLDS.c.settled_ms.is_(None),
            HOLDS.c.at_ms <= self._clock.now_ms() - self._ask_after_ms,
            ~exists().where(PENDING_SETTLEMENTS.c.match_id == HOLDS.c.match_id),
            ~exists().where(INQUIRIES.c.match_id == HOLDS.c.match_id),
        )
        found = select(HOLDS.c.match_id).where(*old).order_by(HOLDS.c.at_ms).limit(AT_ONCE)
        async with self._database.reading() as connection:
            match_ids = (await connection.scalars(found)).all()
        if match_ids:
            async with self._database.transaction() as connection:
                for match_id in match_ids:
                    await self._settling.inquire(connection, match_id, self._clock.now_ms())

    async def _ask_about(self, row: Row[Any]) -> None:
        try:
            told = await self._ask(row.table_id, row.match_id)
        except ApiError as error:
            _log.warning("table.not_asked", match_id=row.match_id, table_id=row.table_id, reason=error.code)
            await self._put_off(row, again_ms(row.tries))
            return
        is_old = self._clock.now_ms() - row.at_ms >= self._ask_after_ms
        match told.standing:
            case wire.MATCH_STANDING_WON:
                won = Won(row.match_id, row.table_id, told.winner_team, told.last_deal_no)
                async with self._database.transaction() as connection:
                    await self._settling.match_won(connection, won)
                    await connection.execute(delete(INQUIRIES).where(INQUIRIES.c.match_id == row.match_id))
                self._settling.wake()
            case wire.MATCH_STANDING_VOID:
                await self._give_back(row, ABORTED)
            case wire.MATCH_STANDING_UNKNOWN if is_old:
                await self._give_back(row, LOST)
            case _:
                await self._put_off(row, self._ask_after_ms)

    async def _give_back(self, row: Row[Any], cause: str) -> None:
        _log.warning("stakes.lost", match_id=row.match_id, table_id=row.table_id, cause=cause)
        async with self._database.transaction() as connection:
            await self._settling.refund_lost(connection, row.match_id, cause)

    async def _put_off(self, row: Row[Any], wait_ms: int) -> None:
        later = {"due_ms": self._clock.now_ms() + wait_ms, "tries": row.tries + 1}
        async with self._database.transaction() as connection:
            await connection.execute(update(INQUIRIES).where(INQUIRIES.c.match_id == row.match_id).values(later))
