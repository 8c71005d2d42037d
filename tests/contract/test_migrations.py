"""Each service's migrations make the very tables that its code expects, on every database."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, MetaData, Table

from services.bots import app as bots
from services.bots import schema as bots_schema
from services.lobby import app as lobby
from services.lobby import schema as lobby_schema
from services.shuffle import app as shuffle
from services.shuffle import schema as shuffle_schema
from services.table import app as table_service
from services.table import schema as table_schema
from services.wallet import app as wallet
from services.wallet import schema as wallet_schema
from shared.kit.database import Database
from shared.kit.migrations import migrate
from shared.kit.tables import AUDIT, INBOX, OUTBOX

SERVICES = {
    "bots": (bots.MIGRATIONS, [*bots_schema.metadata.sorted_tables, INBOX]),
    "lobby": (lobby.MIGRATIONS, [*lobby_schema.metadata.sorted_tables, INBOX]),
    "shuffle": (shuffle.MIGRATIONS, shuffle_schema.metadata.sorted_tables),
    "table": (table_service.MIGRATIONS, [*table_schema.metadata.sorted_tables, AUDIT, OUTBOX]),
    "wallet": (wallet.MIGRATIONS, [*wallet_schema.metadata.sorted_tables, AUDIT, INBOX]),
}


@pytest.mark.parametrize(("revisions", "expected"), SERVICES.values(), ids=SERVICES)
async def test_the_migrated_database_is_the_one_that_the_code_expects(
    database: Database, revisions: Path, expected: Sequence[Table]
) -> None:
    await migrate(database, revisions)
    await migrate(database, revisions)
    whole = MetaData()
    for table in expected:
        table.to_metadata(whole)

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), whole))

    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []
