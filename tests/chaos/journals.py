"""The journal as its database has it, read beside those who write it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg
from asyncpg.exceptions import InterfaceError, InternalClientError, PostgresError

from shared.kit.pod_lease import NOW
from tests.chaos.checks import UNSURE_MS, fail
from tests.support.books import Books, Row

AWAY: Final = (OSError, TimeoutError, PostgresError, InterfaceError, InternalClientError)
"""What is raised while a database cannot be asked."""
_COLUMNS: Final = "revision, command_id, command_digest, at_ms, version, events, sealed, start"
_UNTOLD: Final = "SELECT count(*) FROM outbox"
_WITNESS: Final = f"""
CREATE TABLE witnessed (table_id text, revision int, process text, epoch bigint, at_ms bigint,
    PRIMARY KEY (table_id, revision));
CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO witnessed VALUES (NEW.table_id, NEW.revision, session_user,
        (SELECT epoch FROM tables WHERE table_id = NEW.table_id), {NOW});
    RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION witness();
"""
"""Notes of each entry which process wrote it, in which epoch, and when, as the database itself knows it."""


class SqliteJournal:
    """The file of the one process."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA query_only=ON")

    async def read(self, books: Books, table_id: str) -> None:
        """Takes in a table's new entries."""
        head = books.head_of(table_id)
        query = f"SELECT {_COLUMNS} FROM entries WHERE table_id = ? AND revision > ? ORDER BY revision"
        for row in self._connection.execute(query, (table_id, head)).fetchall():
            books.take(table_id, "the one", 1, Row(*row))

    async def untold(self) -> int:
        """The facts that nobody has been told yet."""
        return int(self._connection.execute(_UNTOLD).fetchone()[0])

    async def save(self, folder: Path) -> None:
        """It is a file of the folder already."""

    async def close(self) -> None:
        """Ends it."""
        self._connection.close()


class PostgresJournal:
    """The database that several share. Raises what the driver raises where it is away."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Any = None
        self._asking = asyncio.Lock()

    async def watch(self) -> None:
        """Has the database note who writes, once it has the tables."""
        async with self._asked() as connection:
            await connection.execute(_WITNESS)

    async def read(self, books: Books, table_id: str) -> None:
        """Takes in a table's new entries. By the database's own clock none was written before the time it bears."""
        query = (
            f"SELECT w.process, w.epoch, w.at_ms AS witnessed_ms, {', '.join('e.' + name for name in _NAMES)}"
            " FROM entries e JOIN witnessed w USING (table_id, revision)"
            " WHERE e.table_id = $1 AND e.revision > $2 ORDER BY e.revision"
        )
        async with self._asked() as connection:
            for process, epoch, witnessed_ms, *values in await connection.fetch(
                query, table_id, books.head_of(table_id)
            ):
                row = Row(*values)
                if row.at_ms > witnessed_ms + UNSURE_MS:
                    fail(f"revision {row.revision} of {table_id} is of {row.at_ms}, and was written at {witnessed_ms}")
                books.take(table_id, process, epoch, row)

    async def owned_by(self, address: str) -> tuple[list[str], int]:
        """The tables whose row says that this process runs them, and the database's time."""
        query = "SELECT table_id FROM tables JOIN pods ON pod_id = owner WHERE address = $1 AND live"
        async with self._asked() as connection:
            tables = [row[0] for row in await connection.fetch(query, address)]
            return tables, await connection.fetchval(f"SELECT {NOW}")

    async def untold(self) -> int:
        """The facts that nobody has been told yet."""
        async with self._asked() as connection:
            return int(await connection.fetchval(_UNTOLD))

    async def save(self, folder: Path) -> None:
        """Keeps all entries, and who wrote them, in a file."""
        query = "SELECT * FROM entries LEFT JOIN witnessed USING (table_id, revision) ORDER BY table_id, revision"
        async with self._asked() as connection:
            await connection.copy_from_query(query, output=folder / "entries.csv", format="csv", header=True)

    async def close(self) -> None:
        """Ends it."""
        if self._connection is not None:
            self._connection.terminate()

    @asynccontextmanager
    async def _asked(self) -> AsyncIterator[Any]:
        async with self._asking:
            if self._connection is None or self._connection.is_closed():
                self._connection = await asyncpg.connect(  # type: ignore[no-untyped-call]  # the library has few types
                    self._url, timeout=5, command_timeout=10
                )
            yield self._connection


_NAMES: Final = _COLUMNS.split(", ")
