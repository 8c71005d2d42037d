from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.kit.database import Database
from tests.support.postgres import PostgresServer
from tests.support.purses import Purses, copy_of, emptied, make_database, purses


@pytest.fixture(scope="session")
async def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy."""
    path = tmp_path_factory.mktemp("made") / "wallet.db"
    await make_database(path)
    return path


@pytest.fixture(scope="session")
def postgres_url(postgres: PostgresServer) -> str:
    """A database that one test after the other has to itself."""
    return postgres.new_database()


@pytest.fixture
async def on_sqlite(made: Path, tmp_path: Path) -> AsyncIterator[Database]:
    async with copy_of(made, tmp_path) as database:
        yield database


@pytest.fixture
async def on_postgres(postgres_url: str) -> AsyncIterator[Database]:
    async with emptied(postgres_url) as database:
        yield database


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs_postgres)])
def database(request: pytest.FixtureRequest) -> Database:
    """A migrated database with an empty ledger."""
    found: Database = request.getfixturevalue(f"on_{request.param}")
    return found


@pytest.fixture
async def wallet(database: Database) -> AsyncIterator[Purses]:
    async with purses(database) as opened:
        yield opened
