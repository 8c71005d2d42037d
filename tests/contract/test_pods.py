"""Pods on a real Postgres: leases, locks, and who may claim which table."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from services.table.app import MIGRATIONS
from services.table.pod_rows import KEPT_MS, PodRows
from shared.kit.clock import RealClock
from shared.kit.database import Database, open_database
from shared.kit.database_clock import DatabaseClock
from shared.kit.migrations import migrate
from shared.kit.pod_lease import LEASE_MS, LeaseLostError, PodLease
from shared.kit.transactions import open_transactions
from tests.support.kit import eventually
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.needs_postgres
VERSIONS = (1,)


class Cluster:
    """Pods that share a database."""

    def __init__(self, database: Database, rows: PodRows, stack: AsyncExitStack) -> None:
        self.database = database
        self.rows = rows
        self._stack = stack

    async def pod(self, address: str = "host:1") -> PodLease:
        lease = PodLease(self.database, DatabaseClock(RealClock()), address)
        await lease.take()
        self._stack.push_async_callback(lease.drop)
        return lease

    async def execute(self, query: str, **values: object) -> None:
        async with self.database.transaction() as connection:
            await connection.execute(text(query), values)

    async def make(self, table_id: str, owner: PodLease | None, *, live: bool = True, rules: int = 1) -> None:
        await self.execute(
            "INSERT INTO tables (table_id, epoch, revision, live, owner, rules_version)"
            " VALUES (:id, 1, 7, :live, :owner, :rules)",
            id=table_id, live=live, owner=None if owner is None else owner.pod_id, rules=rules,
        )  # fmt: skip

    async def alive(self, mine: PodLease) -> set[str]:
        return {pod.pod_id for pod in await self.rows.pods(mine.pod_id) if pod.alive}

    async def claimed_by(self, pod: PodLease, most: int = 100) -> dict[str, int]:
        """What it can claim now, with the epochs."""
        dead = [other.pod_id for other in await self.rows.pods(pod.pod_id) if not other.alive]
        return {claim.table_id: claim.epoch for claim in await self.rows.claim_some(most, dead, VERSIONS, pod.pod_id)}

    async def until_dead(self, pod_id: str, to: PodLease) -> None:
        """Postgres takes a moment to notice that a session has gone."""

        async def is_dead() -> bool:
            return pod_id not in await self.alive(to)

        await eventually(is_dead)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Cluster]:
    async with (
        open_database(url) as database,
        open_transactions(database) as transactions,
        AsyncExitStack() as stack,
    ):
        await migrate(database, Path(MIGRATIONS))
        yield Cluster(database, PodRows(transactions), stack)


@pytest.fixture
async def cluster(postgres: PostgresServer) -> AsyncIterator[Cluster]:
    async with opened(postgres.new_database()) as cluster:
        yield cluster


async def test_a_pod_is_alive_with_its_session_and_dead_without(cluster: Cluster) -> None:
    one, other = await cluster.pod(), await cluster.pod()
    assert await cluster.alive(one) == await cluster.alive(other) == {one.pod_id, other.pod_id}
    gone = other.pod_id
    await other.drop()
    await cluster.until_dead(gone, one)
    assert not other.holds


async def test_a_pod_whose_lease_has_run_out_is_dead_though_its_session_is_there(cluster: Cluster) -> None:
    one, other = await cluster.pod(), await cluster.pod()
    await cluster.execute("UPDATE pods SET expires_ms = renewed_ms - 1 WHERE pod_id = :pod", pod=other.pod_id)
    assert await cluster.alive(one) == {one.pod_id}
    with pytest.raises(LeaseLostError):
        await other.renew(3)
    assert other.pod_id == ""


async def test_a_renewal_counts_tables_and_runs_for_five_seconds_of_the_databases_clock(cluster: Cluster) -> None:
    one = await cluster.pod("here:1")
    await one.renew(41, draining=True)
    [pod] = await cluster.rows.pods(one.pod_id)
    assert (pod.address, pod.live_tables, pod.draining) == ("here:1", 41, True)
    async with cluster.database.reading() as connection:
        now_ms = await cluster.database.now_ms(connection)
        expires_ms = await connection.scalar(text("SELECT expires_ms FROM pods"))
    assert expires_ms == pod.renewed_ms + LEASE_MS
    assert now_ms - 2_000 < pod.renewed_ms <= now_ms


async def test_a_pod_whose_session_is_ended_by_the_server_notices_at_its_next_renewal(cluster: Cluster) -> None:
    one = await cluster.pod()
    await cluster.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'"
    )
    with pytest.raises(LeaseLostError):
        await one.renew(0)
    first = one.pod_id
    await one.take()
    assert one.pod_id not in {"", first}
    assert await cluster.alive(one) == {one.pod_id}


async def test_tables_of_the_dead_and_of_nobody_are_claimed_once_and_each_claim_raises_the_epoch(
    cluster: Cluster,
) -> None:
    one, dying, third = await cluster.pod(), await cluster.pod(), await cluster.pod()
    for number in range(20):
        await cluster.make(f"dead:{number}", dying)
    await cluster.make("mine", one)
    await cluster.make("theirs", third)
    await cluster.make("nobody's", None)
    await cluster.make("closed", dying, live=False)
    await cluster.make("of other rules", dying, rules=99)
    assert await cluster.claimed_by(one) == {"nobody's": 2}
    gone = dying.pod_id
    await dying.drop()
    await cluster.until_dead(gone, one)
    claims = await asyncio.gather(*(cluster.claimed_by(pod, most=7) for pod in (one, third) for _ in range(3)))
    taken = [table_id for claimed in claims for table_id in claimed]
    assert sorted(taken) == sorted(f"dead:{number}" for number in range(20))
    assert {epoch for claimed in claims for epoch in claimed.values()} == {2}


async def test_a_claim_tells_the_last_sign_of_life_of_who_ran_the_table(cluster: Cluster) -> None:
    one, dying = await cluster.pod(), await cluster.pod()
    await cluster.make("table", dying)
    await cluster.execute("UPDATE pods SET renewed_ms = 1234, expires_ms = 0 WHERE pod_id = :pod", pod=dying.pod_id)
    claim = await cluster.rows.claim("table", 1, one.pod_id)
    assert claim is not None
    assert (claim.epoch, claim.alive_ms) == (2, 1234)
    assert await cluster.rows.claim("table", 1, dying.pod_id) is None


async def test_an_outage_that_the_second_owner_has_not_written_down_is_told_to_the_third(cluster: Cluster) -> None:
    pods = [await cluster.pod() for _ in range(3)]
    await cluster.make("table", pods[0])
    for at_ms, pod in enumerate(pods, start=1000):
        await cluster.execute("UPDATE pods SET renewed_ms = :at WHERE pod_id = :pod", at=at_ms, pod=pod.pod_id)
    second = await cluster.rows.claim("table", 1, pods[1].pod_id)
    third = await cluster.rows.claim("table", 2, pods[2].pod_id)
    assert second is not None
    assert third is not None
    assert second.alive_ms == third.alive_ms == 1000
    await cluster.execute("UPDATE tables SET revision = 8")
    fourth = await cluster.rows.claim("table", 3, pods[0].pod_id)
    assert fourth is not None
    assert fourth.alive_ms == 1002


async def test_a_claim_waits_for_an_append_of_the_owner_before(cluster: Cluster) -> None:
    one, other = await cluster.pod(), await cluster.pod()
    await cluster.make("table", other)
    async with cluster.database.transaction() as appending:
        await appending.execute(text("UPDATE tables SET revision = 8 WHERE epoch = 1"))
        claiming = asyncio.ensure_future(cluster.rows.claim("table", 1, one.pod_id))
        assert await cluster.rows.claim_some(9, [other.pod_id], VERSIONS, one.pod_id) == []
        assert not claiming.done()
    claim = await claiming
    assert claim is not None
    assert claim.epoch == 2
    async with cluster.database.reading() as connection:
        assert await connection.scalar(text("SELECT since_revision FROM tables")) == 8


async def test_whose_a_table_is(cluster: Cluster) -> None:
    one, other = await cluster.pod("one:1"), await cluster.pod("other:1")
    await cluster.make("table", other)
    owned = await cluster.rows.owned("table", one.pod_id)
    assert owned is not None
    assert (owned.owner, owned.address, owned.is_free) == (other.pod_id, "other:1", False)
    mine = await cluster.rows.owned("table", other.pod_id)
    assert mine is not None
    assert not mine.is_free
    gone = other.pod_id
    await other.resign()
    await cluster.until_dead(gone, one)
    freed = await cluster.rows.owned("table", one.pod_id)
    assert freed is not None
    assert freed.is_free
    for table_id in ("no table", "", "\0", "x" * 10_000):  # whatever callers send
        assert await cluster.rows.owned(table_id, one.pod_id) is None


async def test_dead_pods_that_own_nothing_are_forgotten_after_a_while(cluster: Cluster) -> None:
    one, other, third = await cluster.pod(), await cluster.pod(), await cluster.pod()
    await cluster.make("table", other)
    long_dead = KEPT_MS + 10_000
    await cluster.execute(
        "UPDATE pods SET expires_ms = expires_ms - :ms WHERE pod_id <> :pod", ms=long_dead, pod=one.pod_id
    )
    await cluster.rows.purge()
    assert {pod.pod_id for pod in await cluster.rows.pods(one.pod_id)} == {one.pod_id, other.pod_id}
    assert third.pod_id
