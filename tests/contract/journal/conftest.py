from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.table.app import MIGRATIONS
from services.table.journal import Journal
from shared.kit.database import open_database
from shared.kit.migrations import migrate
from tests.support.journals import JOURNALS, Kept


@pytest.fixture(params=JOURNALS)
async def kept(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Kept]:
    """A migrated database for one kind of journal."""
    async with open_database(f"sqlite:///{tmp_path / 'table.db'}") as database:
        await migrate(database, MIGRATIONS)
        yield Kept(database, JOURNALS[request.param])


@pytest.fixture
async def journal(kept: Kept) -> AsyncIterator[Journal]:
    async with kept.opened() as opened:
        yield opened
