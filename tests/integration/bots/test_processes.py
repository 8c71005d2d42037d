"""Several processes of the bots service: whatever becomes of one, its seats are played, and none by two."""

import signal
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from shared.kit.database import open_database
from shared.rules.options import make_options
from tests.support.kit import eventually
from tests.support.postgres import PostgresServer
from tests.support.roaming import make_table
from tests.support.table_cluster import Pod, TableCluster, table_cluster

pytestmark = pytest.mark.needs_postgres
LONG = make_options({"preset": "sahrat", "target": 1_000, "turn_seconds": 300, "discard_seconds": 30})
"""No clock rings while these tests go on: whoever acts is a bot."""
TABLES = 3
TAKEN_OVER_S = 10.0


@dataclass
class Bots:
    """Two processes, of which one runs, and tables at which bots alone play."""

    cluster: TableCluster
    url: str
    one: Pod
    other: Pod
    tables: list[str]

    @property
    def ours(self) -> str:
        return ", ".join(f"'{table_id}'" for table_id in self.tables)

    async def rows(self, query: str) -> list[Any]:
        async with open_database(self.url) as database, database.driver() as connection:
            return list(await connection.fetch(query))

    async def until_has_all(self, pod: Pod) -> None:
        """Returns when one process has the seats of all tables."""
        seats = f"SELECT address FROM seats JOIN pods ON pod_id = owner WHERE table_id IN ({self.ours})"

        async def has_all() -> bool:
            return [row[0] for row in await self.rows(seats)] == [pod.address] * TABLES * LONG.seats

        await eventually(has_all)

    async def go_on(self, by: int = 6) -> None:
        """Returns when so much more has happened at each table."""
        before = await self.revisions()

        async def are_further() -> bool:
            return all(now >= was + by for was, now in zip(before, await self.revisions(), strict=True))

        await eventually(are_further)

    async def revisions(self) -> list[int]:
        rows = await self.cluster.rows(f"SELECT revision FROM tables WHERE table_id IN ({self.ours}) ORDER BY table_id")
        return [row[0] for row in rows]

    async def check(self, *rightful: Pod) -> None:
        """Bots alone have moved, and nobody got in the way of who had the seats."""
        rung = f"SELECT 1 FROM entries WHERE table_id IN ({self.ours}) AND action LIKE '%timeout%'"
        assert await self.cluster.rows(rung) == []
        assert [line for pod in rightful for line in pod.log("seat.superseded")] == []


@pytest.fixture(scope="module")
async def cluster(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TableCluster]:
    async with table_cluster(tmp_path_factory.mktemp("cluster"), postgres, pods=2, pace=4) as cluster:
        yield cluster


@pytest.fixture
async def bots(cluster: TableCluster, postgres: PostgresServer) -> AsyncIterator[Bots]:
    await cluster.start_all()
    url = postgres.new_database()
    one, other = (cluster.bots(f"bots-{url.rpartition('/')[2]}-{name}", url) for name in ("one", "other"))
    lobby = cluster.issuer("lobby")
    async with cluster.channel() as channel:
        tables = [await make_table(channel, lobby, LONG, "", "", "", "") for _ in range(TABLES)]
    bots = Bots(cluster, url, one, other, tables)
    try:
        await one.start()
        await bots.until_has_all(one)
        await bots.go_on()
        await other.start()
        yield bots
    finally:
        for pod in (one, other):
            if pod.is_running:
                pod.send(signal.SIGCONT)
                await pod.end()


async def test_after_kill_9_another_process_plays_its_seats_within_ten_seconds_and_sigterm_hands_them_over(
    bots: Bots,
) -> None:
    began_s = time.monotonic()
    await bots.one.kill()
    await bots.until_has_all(bots.other)
    assert time.monotonic() - began_s <= TAKEN_OVER_S
    await bots.go_on()
    await bots.one.start()
    await bots.other.end()
    await bots.until_has_all(bots.one)
    await bots.go_on()
    await bots.check(bots.one, bots.other)


async def test_a_process_that_was_stopped_past_its_lease_plays_nothing_any_more(bots: Bots) -> None:
    bots.one.send(signal.SIGSTOP)
    await bots.until_has_all(bots.other)
    await bots.go_on()
    bots.one.send(signal.SIGCONT)
    await eventually(lambda: len(bots.one.log("lease.lost")) == 1)
    await eventually(lambda: len(bots.one.log("lease.taken")) == 2)
    await bots.until_has_all(bots.other)
    # And tables that are handed over are found again.
    await (await bots.cluster.owner_of(bots.tables[0])).end()
    await bots.go_on()
    await bots.check(bots.other)
