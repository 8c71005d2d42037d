"""The seats of house bots, on every database: kept once, each of one owner, and claimed when that one is gone."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.bots.app import MIGRATIONS
from services.bots.house import HouseSeat, house_seat
from services.bots.lease import SOLE, lease_in
from services.bots.store import SeatStore
from shared.kit.clock import VirtualClock
from shared.kit.database import Database
from shared.kit.migrations import migrate
from tests.support.kit import eventually

SEATS = [house_seat("table", f"vacancy:{number}", number, 3) for number in range(4)]


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def store(database: Database, clock: VirtualClock) -> SeatStore:
    await migrate(database, MIGRATIONS)
    return SeatStore(database, clock)


async def add(database: Database, store: SeatStore, seat: HouseSeat, owner: str) -> bool:
    async with database.transaction() as connection:
        return await store.add(connection, seat, owner)


async def test_a_seat_is_kept_once_and_stays_its_owners(database: Database, store: SeatStore) -> None:
    assert await add(database, store, SEATS[0], "one")
    assert not await add(database, store, SEATS[0], "other")
    assert (await store.of("one"), await store.of("other")) == ([SEATS[0]], [])
    await store.remove(SEATS[0])
    assert await store.all() == []


async def test_seats_of_processes_that_are_not_known_are_claimed_those_of_longest_standing_first(
    database: Database, store: SeatStore, clock: VirtualClock
) -> None:
    for seat in reversed(SEATS):
        await add(database, store, seat, "long gone")
        clock.advance(1)
    assert [set(await store.claim(SOLE, 3)), await store.claim(SOLE, 3), await store.claim(SOLE, 3)] == [
        set(SEATS[1:]), SEATS[:1], [],
    ]  # fmt: skip
    assert await store.of(SOLE) == SEATS[::-1]


@pytest.fixture
async def owners(database: Database, store: SeatStore) -> AsyncIterator[list[str]]:
    """Two that live."""
    leases = [lease_in(database, VirtualClock(), f"host:{number}") for number in range(2)]
    for lease in leases:
        await lease.take()
    yield [lease.pod_id for lease in leases]
    for lease in leases:
        await lease.drop()


@pytest.mark.needs_postgres
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_the_seats_of_the_living_are_theirs_and_those_of_the_dead_are_each_claimed_by_one(
    database: Database, store: SeatStore, owners: list[str]
) -> None:
    one, other = owners
    dying = lease_in(database, VirtualClock(), "host:9")
    await dying.take()
    gone = dying.pod_id
    for seat, owner in zip(SEATS, (one, gone, gone, other), strict=True):
        await add(database, store, seat, owner)
    assert await store.claim(other, 9) == []
    await dying.drop()
    claimed: list[HouseSeat] = []

    async def all_claimed() -> bool:
        for seats in await asyncio.gather(*(store.claim(owner, 9) for owner in owners)):
            claimed.extend(seats)
        return len(claimed) >= 2

    await eventually(all_claimed)
    assert sorted(claimed) == SEATS[1:3]
    assert await store.claim(one, 9) == await store.claim(other, 9) == []
    await store.purge()


@pytest.mark.needs_postgres
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_who_resigns_hands_its_seats_over_at_once(
    database: Database, store: SeatStore, owners: list[str]
) -> None:
    leaving = lease_in(database, VirtualClock(), "host:9")
    await leaving.take()
    await add(database, store, SEATS[0], leaving.pod_id)
    await leaving.resign()
    assert not leaving.holds
    assert await store.claim(owners[0], 9) == SEATS[:1]
