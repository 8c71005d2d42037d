"""Each service's migrations make the very tables that its code expects, on every database."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, MetaData

from services.shuffle import app as shuffle
from services.shuffle import schema as shuffle_schema
from shared.kit.database import Database
from shared.kit.migrations import migrate

SERVICES = {"shuffle": (shuffle.MIGRATIONS, [shuffle_schema.metadata])}


@pytest.mark.parametrize(("revisions", "expected"), SERVICES.values(), ids=SERVICES)
async def test_the_migrated_database_is_the_one_that_the_code_expects(
    database: Database, revisions: Path, expected: list[MetaData]
) -> None:
    await migrate(database, revisions)
    await migrate(database, revisions)
    whole = MetaData()
    for part in expected:
        for table in part.sorted_tables:
            table.to_metadata(whole)

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), whole))

    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []
