"""Appends of many tables in one transaction, by the kit's group commit; of each table no more than one in each.

An entry is fenced against the one before it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from services.table.journal import JournalError
from services.table.journal_rows import EntryRows
from shared.kit.group_commit import ClosedError
from shared.kit.group_commit import GroupCommit as Gathered

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
        self._gathered: Gathered[EntryRows, None] = Gathered(self._commit, lambda rows: rows.table_id)
        self.run = self._gathered.run
        self.close = self._gathered.close

    def append(self, rows: EntryRows) -> "asyncio.Future[None]":
        """Have an entry written; what it gives is done, or raises, once it is known what became of it."""
        try:
            return self._gathered.submit(rows)
        except ClosedError:
            raise JournalError("the journal is closed") from None

    async def _commit(self, batch: Sequence[EntryRows]) -> Outcomes:
        try:
            return await self._write(batch)
        except JournalError:
            raise
        except Exception as error:
            _log.exception("journal.failed")
            raise JournalError(type(error).__name__) from error
        finally:
            if any(rows.outbox for rows in batch):
                self._wake_outbox()
