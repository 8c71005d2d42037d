"""The audit log: what operators have done, in the database for a year or so, and as a line of the log."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog
from sqlalchemy import delete, func, insert, select, update

from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.status import INTERNAL, ApiError
from shared.kit.tables import AUDIT

KEPT_MS: Final = 400 * 86_400_000
MOST_KEPT: Final = 100_000
"""Entries; the oldest go first."""
BEGUN: Final = "begun"
DONE: Final = "done"

_log = structlog.get_logger("kit.audit")
_T = TypeVar("_T")


class Audit:
    """Writes down what is done, before it is done, and what came of it."""

    def __init__(self, database: Database, clock: Clock, translate: Callable[[Exception], ApiError]) -> None:
        """``translate``: what the caller of a failed call is told."""
        self._database = database
        self._clock = clock
        self._translate = translate

    async def noting(self, operator: str, what: str, target: str, reason: str, work: Callable[[], Awaitable[_T]]) -> _T:
        """What ``work`` gives, or raises. What cannot be written down is not done: raises the database's errors."""
        number = await self._begin(operator, what, target, reason)
        outcome = INTERNAL
        try:
            done = await work()
            outcome = DONE
        except Exception as fault:
            outcome = self._translate(fault).code
            raise
        finally:
            await self._end(number, outcome)
            _log.warning("operator.acted", operator=operator, what=what, target=target, reason=reason, outcome=outcome)
        return done

    async def _begin(self, operator: str, what: str, target: str, reason: str) -> int:
        now_ms = self._clock.now_ms()
        entry = {"at_ms": now_ms, "operator": operator, "what": what, "target": target, "reason": reason}
        async with self._database.transaction() as connection:
            number = await connection.scalar(insert(AUDIT).values(**entry, outcome=BEGUN).returning(AUDIT.c.id))
            newest = select(func.max(AUDIT.c.id)).scalar_subquery()
            await connection.execute(
                delete(AUDIT).where((AUDIT.c.at_ms < now_ms - KEPT_MS) | (AUDIT.c.id <= newest - MOST_KEPT))
            )
        return int(number)

    async def _end(self, number: int, outcome: str) -> None:
        """Where the database has gone away meanwhile, the entry stays `begun`; the line of the log tells the rest."""
        try:
            async with self._database.transaction() as connection:
                await connection.execute(update(AUDIT).where(AUDIT.c.id == number).values(outcome=outcome))
        except Exception as fault:
            _log.warning("audit.not_ended", number=number, reason=type(fault).__name__)
