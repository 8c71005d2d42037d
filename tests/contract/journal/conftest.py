from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.table.journal import Journal
from tests.support.journals import JOURNALS, Kept, copy_of, make_database


@pytest.fixture(scope="session")
async def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy."""
    path = tmp_path_factory.mktemp("made") / "table.db"
    await make_database(path)
    return path


@pytest.fixture(params=JOURNALS)
async def kept(request: pytest.FixtureRequest, made: Path, tmp_path: Path) -> AsyncIterator[Kept]:
    """A migrated database for one kind of journal."""
    async with copy_of(made, tmp_path) as database:
        yield Kept(database, JOURNALS[request.param])


@pytest.fixture
async def journal(kept: Kept) -> AsyncIterator[Journal]:
    async with kept.opened() as opened:
        yield opened
