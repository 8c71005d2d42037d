"""How a database is brought up to date, whoever else is trying at the same time or was there before."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import insert, inspect, select, text
from structlog.testing import capture_logs

from shared.kit.database import Database, open_database
from shared.kit.migrations import migrate
from shared.kit.tables import INBOX, OUTBOX

FIRST: Final = """
from alembic import op
from shared.kit.tables import create_inbox, create_outbox
revision, down_revision = "0001", None
def upgrade():
    create_outbox()
    create_inbox()
"""
SECOND: Final = """
from alembic import op
from sqlalchemy import Column, Integer
revision, down_revision = "0002", "0001"
def upgrade():
    op.create_table("later", Column("id", Integer, primary_key=True))
"""
BROKEN: Final = SECOND + "    op.execute('SELECT * FROM nowhere')\n"


@pytest.fixture
def revisions(tmp_path: Path) -> Path:
    folder = tmp_path / "100% revisions"
    folder.mkdir()
    (folder / "r0001_first.py").write_text(FIRST)
    return folder


async def tables(database: Database) -> set[str]:
    async with database.reading() as connection:
        return set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))


async def test_missing_revisions_are_applied_once(database: Database, revisions: Path) -> None:
    await migrate(database, revisions)
    await migrate(database, revisions)
    assert await tables(database) == {"alembic_version", "inbox", "outbox"}
    (revisions / "r0002_second.py").write_text(SECOND)
    await migrate(database, revisions)
    assert "later" in await tables(database)


async def test_a_revision_that_fails_leaves_nothing_behind(database: Database, revisions: Path) -> None:
    await migrate(database, revisions)
    (revisions / "r0002_broken.py").write_text(BROKEN)
    with pytest.raises(Exception, match="nowhere"):
        await migrate(database, revisions)
    assert "later" not in await tables(database)


async def test_a_database_of_a_later_release_is_left_alone_and_told_of(database: Database, revisions: Path) -> None:
    (revisions / "r0002_second.py").write_text(SECOND)
    await migrate(database, revisions)
    (revisions / "r0002_second.py").unlink()
    with capture_logs() as logs:
        await migrate(database, revisions)
    assert [line["event"] for line in logs] == ["database.found_newer"]
    assert "later" in await tables(database)


@pytest.mark.needs_postgres
async def test_processes_that_start_together_migrate_once(
    database_url: str, database: Database, revisions: Path
) -> None:
    if database.is_sqlite:
        return  # one process at a time has the file
    async with open_database(database_url) as second, open_database(database_url) as third:
        await asyncio.gather(*(migrate(each, revisions) for each in (database, second, third)))
    async with database.reading() as connection:
        assert (await connection.scalars(text("SELECT version_num FROM alembic_version"))).all() == ["0001"]


async def test_the_kit_s_tables_are_what_its_code_expects(database: Database, revisions: Path) -> None:
    await migrate(database, revisions)
    async with database.transaction() as connection:
        for number in (1, 2):
            row = {"message_id": f"m{number}", "subject": "s", "payload": b"\0\xff", "created_ms": 2**41}
            await connection.execute(insert(OUTBOX).values(row))
        await connection.execute(insert(INBOX).values(consumer="c", message_id="m", received_ms=2**41))
    async with database.reading() as connection:
        assert [row.id for row in await connection.execute(select(OUTBOX).order_by(OUTBOX.c.id))] == [1, 2]
