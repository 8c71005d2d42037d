"""Journals to check one contract against: each opened on a migrated database of its own."""

import shutil
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from sqlalchemy import text

from services.table import schema
from services.table.app import MIGRATIONS
from services.table.journal import Journal
from services.table.keeping import journal_in
from services.table.replaying import replayed
from services.table.state import TableState
from shared.kit.database import Database, open_database
from shared.kit.migrations import migrate
from shared.kit.sealing import SealingKeys
from tests.support.tables import TABLE_ID, PureTable

KEYS = SealingKeys([bytes(range(32))])
NAMES = [*schema.metadata.tables, "outbox"]


class Kept:
    """A migrated database, and the journals opened on it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.wakes = 0

    def opened(self, keys: SealingKeys = KEYS) -> AbstractAsyncContextManager[Journal]:
        return journal_in(self.database, keys, self._wake)

    async def rows(self, query: str) -> list[tuple[object, ...]]:
        async with self.database.reading() as connection:
            return [tuple(row) for row in await connection.execute(text(query))]

    async def execute(self, statement: str, **values: object) -> None:
        async with self.database.transaction() as connection:
            await connection.execute(text(statement), values)

    async def lying(self) -> bytes:
        """All that can be read by who has the database: files on SQLite; on Postgres, which packs them, every value."""
        if self.database.path is not None:
            return b"".join(path.read_bytes() for path in self.database.path.parent.glob("table.db*"))
        rows = [row for name in NAMES for row in await self.rows(f"SELECT * FROM {name}")]
        return b"".join(value if isinstance(value, bytes) else f"{value}".encode() for row in rows for value in row)

    def _wake(self) -> None:
        self.wakes += 1


async def make_database(path: Path) -> None:
    """A migrated SQLite database, to be copied: migrating takes longer than most tests."""
    async with open_database(f"sqlite:///{path}") as database:
        await migrate(database, MIGRATIONS)


@asynccontextmanager
async def emptied(url: str) -> AsyncIterator[Database]:
    """A database on Postgres, migrated if need be, with nothing in it."""
    async with open_database(url) as database:
        await migrate(database, MIGRATIONS)
        async with database.transaction() as connection:
            await connection.execute(text(f"TRUNCATE {', '.join(NAMES)} RESTART IDENTITY"))
        yield database


@asynccontextmanager
async def copy_of(made: Path, folder: Path) -> AsyncIterator[Database]:
    path = folder / "table.db"
    shutil.copyfile(made, path)
    async with open_database(f"sqlite:///{path}") as database:
        yield database


async def append_all(journal: Journal, table: PureTable) -> None:
    """Appends the entries of a table that the journal has not yet."""
    stored = await journal.load(table.state.table_id)
    done = replayed(stored).revision if stored is not None else 0
    for entry in table.entries[done:]:
        await journal.append(entry)


async def loaded(journal: Journal, table_id: str = TABLE_ID) -> TableState:
    stored = await journal.load(table_id)
    assert stored is not None
    return replayed(stored)
