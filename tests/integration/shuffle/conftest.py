"""A database of ceremonies, and the service on it, in process and over a real socket."""

import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from services.shuffle.app import MIGRATIONS
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.store import Store
from shared.codec.methods import repeatable_methods
from shared.kit import logging
from shared.kit.clients import Channels
from shared.kit.database import Database, open_database
from shared.kit.migrations import migrate
from shared.kit.transactions import Transactions, open_transactions
from tests.support.kit import Identities
from tests.support.shuffle import Table, ceremonies_of
from tests.support.shuffle_service import CLOCK, serving


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with open_database(f"sqlite:///{tmp_path / 'shuffle.db'}") as opened:
        await migrate(opened, MIGRATIONS)
        yield opened


@pytest.fixture
async def transactions(database: Database) -> AsyncIterator[Transactions]:
    async with open_transactions(database) as opened:
        yield opened


@pytest.fixture
def store(transactions: Transactions) -> Store:
    return Store(transactions)


@pytest.fixture
def ceremonies(transactions: Transactions) -> Ceremonies:
    return ceremonies_of(transactions)


@pytest.fixture(scope="module")
def identities() -> Identities:
    return Identities(CLOCK)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    written = io.StringIO()
    logging.configure("test", level="debug", stream=written, console=False)
    yield written
    structlog.reset_defaults()


@pytest.fixture
async def address(tmp_path: Path, identities: Identities, log: io.StringIO) -> AsyncIterator[str]:
    async with serving(tmp_path, identities) as app:
        yield app.address


@pytest.fixture
async def table(address: str, identities: Identities) -> AsyncIterator[Table]:
    async with Channels(identities.credentials("table"), repeatable=repeatable_methods()) as channels:
        yield Table(channels.to(address, "shuffle"))
