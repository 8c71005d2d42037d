"""A table that the database says is run here, while nobody runs it: the answer to its claim was lost."""

import pytest
from sqlalchemy import insert

from services.table.app import MIGRATIONS
from services.table.ownership import Claim
from services.table.pod_ownership import TIDY_EVERY, PodOwnership
from services.table.pod_rows import PodRows
from services.table.schema import TABLES
from shared.kit.clock import RealClock
from shared.kit.database import open_database
from shared.kit.database_clock import DatabaseClock
from shared.kit.migrations import migrate
from shared.kit.pod_lease import PodLease
from shared.kit.transactions import open_transactions
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.needs_postgres


class OneRuns:
    """Runs one table, and notes what else it is given."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, int]] = []

    def room(self) -> int:
        return 10

    def count(self) -> int:
        return 1

    def runs(self, table_id: str) -> bool:
        return table_id == "running"

    async def take_over(self, claims: list[Claim]) -> None:
        self.taken += [(claim.table_id, claim.epoch) for claim in claims]

    def let_go(self) -> None:
        raise AssertionError


async def wake_nobody(_address: str) -> None:
    raise AssertionError


async def test_what_is_owned_here_and_does_not_run_is_gone_on_with(postgres: PostgresServer) -> None:
    host = OneRuns()
    async with open_database(postgres.new_database()) as database, open_transactions(database) as transactions:
        await migrate(database, MIGRATIONS)
        clock = DatabaseClock(RealClock())
        lease = PodLease(database, clock, "127.0.0.1:1")
        ownership = PodOwnership(PodRows(transactions), lease, clock, wake_nobody)
        await ownership.begin(host)
        async with database.transaction() as connection:
            for table_id in ("running", "stray"):
                row = {"table_id": table_id, "epoch": 4, "revision": 7, "live": True, "owner": ownership.name}
                await connection.execute(insert(TABLES).values(row))
        await ownership._look(TIDY_EVERY - 1)
        assert host.taken == []  # it may be on its way
        await ownership._look(TIDY_EVERY - 1)
        assert host.taken == [("stray", 5)]
        await lease.drop()
