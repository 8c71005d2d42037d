"""Appends of many tables in one transaction: while one is being committed, what comes gathers for the next.

So the disk's flush, and the way to the database and back, are shared; each append still has an answer of its own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from services.table.journal import JournalError
from services.table.journal_rows import EntryRows

MOST_IN_ONE_COMMIT: Final = 256

_log = structlog.get_logger("table.journal")

Outcomes = Sequence[Exception | None]
WriteBatch = Callable[[Sequence[EntryRows]], Awaitable[Outcomes]]
"""Writes entries of as many tables in one transaction: what became of each. Raises ``JournalError`` where nothing is
known of any."""


class GroupCommit:
    """Entries that wait for the next transaction. ``run`` writes them."""

    def __init__(self, write: WriteBatch, wake_outbox: Callable[[], None]) -> None:
        """``wake_outbox`` is called after facts were committed."""
        self._write = write
        self._wake_outbox = wake_outbox
        self._pending: list[tuple[EntryRows, asyncio.Future[None]]] = []
        self._more = asyncio.Event()
        self._closing = False

    def append(self, rows: EntryRows) -> "asyncio.Future[None]":
        """Have an entry written; what it gives is done, or raises, once it is known what became of it."""
        if self._closing:
            raise JournalError("the journal is closed")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append((rows, done))
        self._more.set()
        return done

    async def run(self) -> None:
        """Write what comes until it is closed, and then what came before that."""
        while self._pending or not self._closing:
            await self._more.wait()
            batch = self._next()
            if not self._pending and not self._closing:
                self._more.clear()
            if batch:
                await self._commit(batch)

    def close(self) -> None:
        """Take no more appends; ``run`` then returns."""
        self._closing = True
        self._more.set()

    def _next(self) -> "list[tuple[EntryRows, asyncio.Future[None]]]":
        """The oldest that wait, of each table no more than one: an entry is fenced against the one before it."""
        tables: set[str] = set()
        batch: list[tuple[EntryRows, asyncio.Future[None]]] = []
        later: list[tuple[EntryRows, asyncio.Future[None]]] = []
        for waiting in self._pending:
            table_id = waiting[0].table_id
            if table_id in tables or len(batch) == MOST_IN_ONE_COMMIT:
                later.append(waiting)
            else:
                tables.add(table_id)
                batch.append(waiting)
        self._pending = later
        return batch

    async def _commit(self, batch: list[tuple[EntryRows, "asyncio.Future[None]"]]) -> None:
        outcomes: Outcomes
        try:
            outcomes = await self._write([rows for rows, _ in batch])
        except JournalError as error:
            outcomes = [error] * len(batch)
        except Exception as error:
            # Whatever it is, who waits must be told, and the next batch written.
            _log.exception("journal.failed")
            outcomes = [JournalError(type(error).__name__)] * len(batch)
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if done.done():
                continue
            if outcome is None:
                done.set_result(None)
            else:
                done.set_exception(outcome)
        if any(rows.outbox for rows, _ in batch):
            self._wake_outbox()
