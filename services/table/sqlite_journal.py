"""The journal on SQLite: one process, appends of many tables in one commit, recovery by restart.

One thread writes, with ``synchronous=FULL``: while it commits, further appends gather for its next transaction.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeVar

import structlog

from services.table.group_commit import Outcomes
from services.table.journal import JournalError
from services.table.journal_rows import EntryRows
from services.table.sql_journal import SqlJournal, Statement, running
from services.table.sqlite_writing import connect, in_transaction, spelt, write_batch
from shared.kit.sealing import SealingKeys

_log = structlog.get_logger("table.journal")
_T = TypeVar("_T")


class SqliteJournal(SqlJournal):
    """See ``Journal``. Opened by ``open_journal``."""

    def __init__(self, path: Path, sealer: SealingKeys, wake_outbox: Callable[[], None]) -> None:
        super().__init__(sealer, wake_outbox)
        self._writer = _Thread(path, "journal-writer")
        self._reader = _Thread(path, "journal-reader")

    def end(self) -> None:
        """See ``SqlJournal``."""
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


def open_journal(
    path: Path, sealer: SealingKeys, wake_outbox: Callable[[], None]
) -> AbstractAsyncContextManager[SqliteJournal]:
    """The journal in a database that is migrated already."""
    return running(SqliteJournal(path, sealer, wake_outbox))
