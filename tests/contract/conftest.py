"""What one contract is checked against: SQLite, and Postgres where the machine has it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.wallet.app import MIGRATIONS as WALLET
from shared.kit.database import Database, open_database
from shared.kit.migrations import migrate
from tests.support.lobby import LobbyWorld, RunningLobby, lobby_world
from tests.support.postgres import PostgresServer
from tests.support.wallet import Scoring


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs_postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    async with open_database(database_url) as opened:
        yield opened


@pytest.fixture
async def world(tmp_path: Path, database_url: str) -> AsyncIterator[LobbyWorld]:
    """What a lobby needs around it, on this database."""
    async with lobby_world(tmp_path, database_url) as made:
        yield made


@pytest.fixture
async def lobby(world: LobbyWorld) -> AsyncIterator[RunningLobby]:
    """A lobby at work in that world."""
    async with world.lobby() as running:
        yield running


@pytest.fixture
async def scoring(database: Database) -> Scoring:
    """The wallet's results, and what follows from them."""
    await migrate(database, WALLET)
    return Scoring(database)


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs_postgres)])
async def shared_world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[LobbyWorld]:
    """The same for all tests of a module, which then do not get in each other's way."""
    folder = tmp_path_factory.mktemp("world")
    if request.param == "sqlite":
        url = f"sqlite:///{folder / 'test.db'}"
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.new_database()
    async with lobby_world(folder, url) as made:
        yield made
