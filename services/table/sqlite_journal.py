"""The journal on SQLite: one process, appends of many tables in one commit, recovery by restart.

One thread writes, with ``synchronous=FULL``: while it commits, further appends gather for its next transaction.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import structlog

from services.table.group_commit import GroupCommit, Outcomes
from services.table.journal import Entry, JournalError
from services.table.journal_keeping import JournalKeeping, Statement
from services.table.journal_rows import EntryRows, write_entry
from services.table.sqlite_writing import connect, in_transaction, spelt, write_batch
from shared.kit.sealing import SealingKeys
from shared.kit.tasks import spawn

_log = structlog.get_logger("table.journal")
_T = TypeVar("_T")


class SqliteJournal(JournalKeeping):
    """See ``Journal``. Opened by ``open_journal``."""

    def __init__(self, path: Path, sealer: SealingKeys, wake_outbox: Callable[[], None]) -> None:
        super().__init__(sealer)
        self._writer = _Thread(path, "journal-writer")
        self._reader = _Thread(path, "journal-reader")
        self._appends = GroupCommit(self._write, wake_outbox)

    async def append(self, entry: Entry) -> None:
        """See ``Journal``."""
        await self._appends.append(write_entry(entry, self._sealer))

    async def run(self) -> None:
        """Commit appends for as long as the journal is open, and then those that came before it was closed."""
        await self._appends.run()

    def close(self) -> None:
        """Take no more appends; ``run`` then returns."""
        self._appends.close()

    def end(self) -> None:
        """End the threads and their connections."""
        self._writer.end()
        self._reader.end()

    async def _write(self, batch: Sequence[EntryRows]) -> Outcomes:
        return await self._writer.run(lambda connection: write_batch(connection, batch))

    async def _rows(self, query: str, *values: object) -> Sequence[Any]:
        return await self._reader.run(lambda connection: connection.execute(spelt(query), values).fetchall())

    async def _do(self, *statements: Statement) -> None:
        await self._writer.run(lambda connection: in_transaction(connection, statements))


class _Thread:
    """A thread with a connection of its own."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._executor = ThreadPoolExecutor(1, name)
        self._connection: sqlite3.Connection | None = None

    async def run(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """What ``work`` gives. Raises ``JournalError``; the next work then has a new connection."""

        def in_thread() -> _T:
            if self._connection is None:
                self._connection = connect(self._path)
            try:
                return work(self._connection)
            except sqlite3.Error:
                self._connection.close()
                self._connection = None
                raise

        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, in_thread)
        except (sqlite3.Error, RuntimeError) as error:
            _log.exception("journal.failed")
            raise JournalError(type(error).__name__) from error

    def end(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)
        if self._connection is not None:
            self._connection.close()


@asynccontextmanager
async def open_journal(
    path: Path, sealer: SealingKeys, wake_outbox: Callable[[], None]
) -> AsyncIterator[SqliteJournal]:
    """The journal in a database that is migrated already; ``wake_outbox`` is called after facts were committed."""
    journal = SqliteJournal(path, sealer, wake_outbox)
    task = spawn(journal.run(), "journal")
    try:
        yield journal
    finally:
        journal.close()
        await asyncio.wait([task])
        journal.end()
