import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from services.table.app import BUS_USER
from shared.kit import logging
from shared.kit.clock import RealClock
from shared.kit.nats_server import BusUser, NatsServer, running_nats_server
from tests.support.journals import Kept, copy_of, make_database
from tests.support.table_process import TableProcess
from tests.support.table_service import TableServer, serving_tables

SPY = BusUser("spy", hears=(">",))


@pytest.fixture(scope="session")
async def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy."""
    path = tmp_path_factory.mktemp("made") / "table.db"
    await make_database(path)
    return path


@pytest.fixture
async def kept(made: Path, tmp_path: Path) -> AsyncIterator[Kept]:
    """A migrated database on disk, which outlives the processes that use it."""
    async with copy_of(made, tmp_path) as database:
        yield Kept(database)


@pytest.fixture
async def beating(kept: Kept) -> AsyncIterator[TableProcess]:
    """A process that says every second that it is alive, and every five so to those who watch."""
    async with TableProcess(kept, beats=True) as running:
        yield running


@pytest.fixture
async def process(kept: Kept) -> AsyncIterator[TableProcess]:
    async with TableProcess(kept) as running:
        yield running


@pytest.fixture(autouse=True)
def log() -> Iterator[io.StringIO]:
    """All that is logged meanwhile, at the level that says most."""
    written = io.StringIO()
    logging.configure("test", level="debug", stream=written, console=False)
    yield written
    structlog.reset_defaults()


@pytest.fixture(scope="session")
async def nats(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[NatsServer]:
    folder = tmp_path_factory.mktemp("nats")
    async with running_nats_server(folder, [BUS_USER, SPY], RealClock()) as running:
        yield running


@pytest.fixture(scope="session")
async def one_server(tmp_path_factory: pytest.TempPathFactory, nats: NatsServer) -> AsyncIterator[TableServer]:
    async with serving_tables(tmp_path_factory.mktemp("service"), nats) as running:
        yield running


@pytest.fixture
async def server(one_server: TableServer) -> TableServer:
    """The running services, with nobody's calls counted against their rate any more."""
    one_server.clock.advance(10_000)
    return one_server
