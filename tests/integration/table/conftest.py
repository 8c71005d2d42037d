import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from services.table.app import MIGRATIONS
from shared.kit import logging
from shared.kit.database import open_database
from shared.kit.migrations import migrate
from tests.support.journals import Kept, open_on_sqlite
from tests.support.table_process import TableProcess


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    """A migrated database on disk, which outlives the processes that use it."""
    async with open_database(f"sqlite:///{tmp_path / 'table.db'}") as database:
        await migrate(database, MIGRATIONS)
        yield Kept(database, open_on_sqlite)


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
