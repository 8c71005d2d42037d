from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.table.journal import Journal
from tests.support.journals import Kept, copy_of, emptied, make_database
from tests.support.postgres import PostgresServer


@pytest.fixture(scope="session")
async def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy."""
    path = tmp_path_factory.mktemp("made") / "table.db"
    await make_database(path)
    return path


@pytest.fixture(scope="session")
def postgres_url(postgres: PostgresServer) -> str:
    """A database that one test after the other has to itself."""
    return postgres.new_database()


@pytest.fixture
async def on_sqlite(made: Path, tmp_path: Path) -> AsyncIterator[Kept]:
    async with copy_of(made, tmp_path) as database:
        yield Kept(database)


@pytest.fixture
async def on_postgres(postgres_url: str) -> AsyncIterator[Kept]:
    async with emptied(postgres_url) as database:
        yield Kept(database)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs_postgres)])
def kept(request: pytest.FixtureRequest) -> Kept:
    """A migrated database for one kind of journal."""
    found: Kept = request.getfixturevalue(f"on_{request.param}")
    return found


@pytest.fixture
async def journal(kept: Kept) -> AsyncIterator[Journal]:
    async with kept.opened() as opened:
        yield opened
