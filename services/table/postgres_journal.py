"""The journal on Postgres: many processes, each with the tables that it owns, and fail-over between them.

One connection writes: while its transaction is under way, further appends gather for the next. Reads have others.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import structlog

from services.table.group_commit import GroupCommit, Outcomes
from services.table.journal import Entry, JournalError
from services.table.journal_keeping import JournalKeeping, Statement
from services.table.journal_rows import EntryRows, write_entry
from services.table.postgres_writing import write_batch
from shared.kit.database import Database
from shared.kit.sealing import SealingKeys
from shared.kit.tasks import spawn

_log = structlog.get_logger("table.journal")


class PostgresJournal(JournalKeeping):
    """See ``Journal``. Opened by ``open_postgres_journal``."""

    def __init__(self, database: Database, sealer: SealingKeys, wake_outbox: Callable[[], None]) -> None:
        super().__init__(sealer)
        self._database = database
        self._appends = GroupCommit(self._write, wake_outbox)
        self._writer: Any = None
        self._closed = False

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
        """Answer no more questions, and close the writer's connection."""
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


@asynccontextmanager
async def open_postgres_journal(
    database: Database, sealer: SealingKeys, wake_outbox: Callable[[], None]
) -> AsyncIterator[PostgresJournal]:
    """The journal in a database that is migrated already; ``wake_outbox`` is called after facts were committed."""
    journal = PostgresJournal(database, sealer, wake_outbox)
    task = spawn(journal.run(), "journal")
    try:
        yield journal
    finally:
        journal.close()
        await asyncio.wait([task])
        journal.end()
