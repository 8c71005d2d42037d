"""The journal on Postgres: many processes, each with the tables that it owns, and fail-over between them.

One connection writes: while its transaction is under way, further appends gather for the next. Reads have others.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import structlog

from services.table.group_commit import Outcomes
from services.table.journal import JournalError
from services.table.journal_rows import EntryRows
from services.table.postgres_writing import write_batch
from services.table.sql_journal import SqlJournal, Statement, running
from shared.kit.database import Database
from shared.kit.sealing import SealingKeys

_log = structlog.get_logger("table.journal")


class PostgresJournal(SqlJournal):
    """See ``Journal``. Opened by ``open_postgres_journal``."""

    def __init__(self, database: Database, sealer: SealingKeys, wake_outbox: Callable[[], None]) -> None:
        super().__init__(sealer, wake_outbox)
        self._database = database
        self._writer: Any = None
        self._closed = False

    def end(self) -> None:
        """See ``SqlJournal``. It answers no more questions."""
        self._closed = True
        self._drop_writer()

    async def _write(self, batch: Sequence[EntryRows]) -> Outcomes:
        try:
            if self._writer is None or self._writer.is_closed():  # by the server: nothing has been sent yet
                self._writer = await self._database.connect_driver()
            return await write_batch(self._writer, batch)
        except Exception as error:  # whatever it is, what became of the batch is not known
            self._drop_writer()
            raise _away(error) from error

    async def _rows(self, query: str, *values: object) -> Sequence[Any]:
        if any(isinstance(value, str) and "\0" in value for value in values):
            return ()  # no text in Postgres has one
        async with self._connection() as connection:
            rows: Sequence[Any] = await connection.fetch(query, *values)
            return rows

    async def _do(self, *statements: Statement) -> None:
        async with self._connection() as connection, connection.transaction():
            for query, *values in statements:
                await connection.execute(query, *values)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        """Another than the writer's."""
        if self._closed:
            raise JournalError("the journal is closed")
        try:
            async with self._database.driver() as connection:
                yield connection
        except Exception as error:
            raise _away(error) from error

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.terminate()


def _away(error: Exception) -> JournalError:
    """No more than its kind: an error of the database's may say what was to be written."""
    _log.warning("journal.failed", reason=type(error).__name__)
    return JournalError(type(error).__name__)


def open_postgres_journal(
    database: Database, sealer: SealingKeys, wake_outbox: Callable[[], None]
) -> AbstractAsyncContextManager[PostgresJournal]:
    """The journal in a database that is migrated already."""
    return running(PostgresJournal(database, sealer, wake_outbox))
