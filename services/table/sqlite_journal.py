"""The journal on SQLite: one process, appends of many tables in one commit, recovery by restart.

One thread writes, with ``synchronous=FULL``: while it commits, further appends gather for its next transaction.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy import text

from services.table.journal import Entry, JournalError, StoredCommand, StoredDeal, StoredTable
from services.table.journal_rows import EntryRows, read_deals, read_table, write_entry
from services.table.sqlite_writing import connect, write_batch
from services.table.state import TableState
from shared.kit.database import Database
from shared.kit.sealing import SealingKeys
from shared.kit.tasks import spawn

MOST_IN_ONE_COMMIT: Final = 256

_log = structlog.get_logger("table.journal")
_T = TypeVar("_T")


class SqliteJournal:
    """See ``Journal``. Opened by ``open_journal``."""

    def __init__(self, path: Path, sealer: SealingKeys, wake_outbox: Callable[[], None]) -> None:
        self._path = path
        self._sealer = sealer
        self._wake_outbox = wake_outbox
        self._writer = _Thread(path, "journal-writer")
        self._reader = _Thread(path, "journal-reader")
        self._pending: list[tuple[EntryRows, asyncio.Future[None]]] = []
        self._more = asyncio.Event()
        self._closing = False

    async def append(self, entry: Entry) -> None:
        """See ``Journal``."""
        if self._closing:
            raise JournalError("the journal is closed")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append((write_entry(entry, self._sealer), done))
        self._more.set()
        await done

    async def find_command(self, table_id: str, command_id: str) -> StoredCommand | None:
        """See ``Journal``."""
        rows = await self._read(
            "SELECT command_digest, revision FROM entries WHERE table_id = ? AND command_id = ?", table_id, command_id
        )
        return StoredCommand(*rows[0]) if rows else None

    async def load(self, table_id: str) -> StoredTable | None:
        """See ``Journal``."""
        rows = await self._read(
            "SELECT epoch, rules_version, entries.revision, command_id, command_digest, at_ms, version, events, sealed,"
            " start FROM entries JOIN tables USING (table_id) WHERE table_id = ?"
            " AND entries.revision >="
            " coalesce((SELECT max(revision) FROM entries WHERE table_id = ? AND start IS NOT NULL), 0)"
            " ORDER BY entries.revision",
            table_id,
            table_id,
        )
        return read_table(table_id, rows, self._sealer) if rows else None

    async def live_tables(self) -> list[str]:
        """See ``Journal``."""
        return [row[0] for row in await self._read("SELECT table_id FROM tables WHERE live ORDER BY table_id")]

    async def table_of(self, match_id: bytes) -> str | None:
        """See ``Journal``."""
        rows = await self._read("SELECT table_id FROM matches WHERE match_id = ?", match_id.hex())
        return str(rows[0][0]) if rows else None

    async def match_record(self, match_id: bytes) -> tuple[TableState, list[StoredDeal]] | None:
        """See ``Journal``."""
        return read_deals(
            await self._read(
                "SELECT deal_no, version, action, events, start FROM entries WHERE match_id = ? AND table_id ="
                " (SELECT table_id FROM matches WHERE matches.match_id = ?) ORDER BY revision",
                match_id.hex(),
                match_id.hex(),
            )
        )

    async def beat(self, at_ms: int) -> None:
        """See ``Journal``."""
        query = "INSERT INTO beats (id, at_ms) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at_ms = excluded.at_ms"
        await self._writer.run(lambda connection: connection.execute(query, (at_ms,)))

    async def last_beat_ms(self) -> int:
        """See ``Journal``."""
        rows = await self._read("SELECT at_ms FROM beats")
        return int(rows[0][0]) if rows else 0

    async def run(self) -> None:
        """Commit appends for as long as the journal is open, and then those that came before it was closed."""
        while self._pending or not self._closing:
            await self._more.wait()
            batch = self._pending[:MOST_IN_ONE_COMMIT]
            del self._pending[:MOST_IN_ONE_COMMIT]
            if not self._pending and not self._closing:
                self._more.clear()
            if batch:
                await self._commit(batch)

    def close(self) -> None:
        """Take no more appends; ``run`` then returns."""
        self._closing = True
        self._more.set()

    def end(self) -> None:
        """End the threads and their connections."""
        self._writer.end()
        self._reader.end()

    async def _commit(self, batch: list[tuple[EntryRows, "asyncio.Future[None]"]]) -> None:
        outcomes: list[Exception | None]
        try:
            outcomes = await self._writer.run(lambda connection: write_batch(connection, [rows for rows, _ in batch]))
        except JournalError as error:
            outcomes = [error] * len(batch)
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if done.done():
                continue
            if outcome is None:
                done.set_result(None)
            else:
                done.set_exception(outcome)
        if any(rows.outbox for rows, _ in batch):
            self._wake_outbox()

    async def _read(self, query: str, *values: object) -> list[Any]:
        return await self._reader.run(lambda connection: connection.execute(query, values).fetchall())


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


async def holds_sealed(database: Database) -> bool:
    """Whether decks of live tables lie here, so that the keys which sealed them have to be there."""
    query = (
        "SELECT 1 FROM entries JOIN tables USING (table_id) WHERE tables.live AND entries.sealed IS NOT NULL LIMIT 1"
    )
    async with database.reading() as connection:
        return await connection.scalar(text(query)) is not None
