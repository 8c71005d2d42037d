"""Journals to check one contract against: each opened on a migrated database of its own."""

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from sqlalchemy import text

from services.table.app import MIGRATIONS
from services.table.journal import Journal
from services.table.replaying import replayed
from services.table.sqlite_journal import open_journal
from services.table.state import TableState
from shared.kit.database import Database, open_database
from shared.kit.migrations import migrate
from shared.kit.sealing import SealingKeys
from tests.support.tables import TABLE_ID, PureTable

KEYS = SealingKeys([bytes(range(32))])
Opening = Callable[[Database, SealingKeys, Callable[[], None]], AbstractAsyncContextManager[Journal]]


def open_on_sqlite(
    database: Database, keys: SealingKeys, wake: Callable[[], None]
) -> AbstractAsyncContextManager[Journal]:
    assert database.path is not None
    return open_journal(database.path, keys, wake)


JOURNALS: dict[str, Opening] = {"sqlite": open_on_sqlite}
"""By the database's kind."""


class Kept:
    """A migrated database, and the journals opened on it."""

    def __init__(self, database: Database, opening: Opening) -> None:
        self.database = database
        self.wakes = 0
        self._opening = opening

    def opened(self, keys: SealingKeys = KEYS) -> AbstractAsyncContextManager[Journal]:
        return self._opening(self.database, keys, self._wake)

    async def rows(self, query: str) -> list[tuple[object, ...]]:
        async with self.database.reading() as connection:
            return [tuple(row) for row in await connection.execute(text(query))]

    async def execute(self, statement: str, **values: object) -> None:
        async with self.database.transaction() as connection:
            await connection.execute(text(statement), values)

    def _wake(self) -> None:
        self.wakes += 1


async def make_database(path: Path) -> None:
    """A migrated SQLite database, to be copied: migrating takes longer than most tests."""
    async with open_database(f"sqlite:///{path}") as database:
        await migrate(database, MIGRATIONS)


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
