"""Keeps of tables that are over nothing but the records of their matches, and in the end not even those."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Final, NamedTuple

import structlog

from services.table.journal import Journal
from shared.kit.clock import Clock

EVERY_MS: Final = 60_000
BATCH: Final = 20
"""Tables; between two batches another process may take its turn, and a table is no more than one short transaction."""

_log = structlog.get_logger("table.archiving")


class Keep(NamedTuple):
    """How long what is over is kept."""

    entries_ms: int
    records_ms: int


class Archiving:
    """Background work. Of several processes one at a time does it."""

    def __init__(
        self, journal: Journal, turn: Callable[[str], AbstractAsyncContextManager[bool]], clock: Clock, keep: Keep
    ) -> None:
        self._journal = journal
        self._turn = turn
        self._clock = clock
        self._keep = keep

    async def run(self) -> None:
        """Look every minute, for ever. Raises ``JournalError``."""
        while True:
            await self.look()
            await self._clock.sleep_ms(EVERY_MS)

    async def look(self) -> None:
        """Do all that is due."""
        now_ms = self._clock.now_ms()
        await self._all("tables.archived", self._journal.archive, now_ms - self._keep.entries_ms)
        await self._all("records.forgotten", self._journal.forget, now_ms - self._keep.records_ms)

    async def _all(self, what: str, work: Callable[[int, int], Awaitable[int]], ended_by_ms: int) -> None:
        total, done = 0, BATCH
        while done == BATCH:
            async with self._turn("archiving") as is_mine:
                done = await work(ended_by_ms, BATCH) if is_mine else 0
            total += done
        if total:
            _log.info(what, tables=total)
