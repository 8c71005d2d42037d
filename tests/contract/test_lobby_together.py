"""Two processes of the lobby on one Postgres are one lobby."""

import asyncio
import random
from pathlib import Path

import pytest
from banakil.common.v1.rule_options_pb2 import MODE_DUEL
from banakil.lobby.v1.lobby_pb2 import ROOM_STATE_STARTED

from shared.kit.clock import RealClock
from shared.kit.status import ApiError
from tests.support.lobby import last_state, lobby_world, refusal
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.needs_postgres


async def test_those_who_come_at_once_to_different_processes_meet(
    tmp_path: Path, postgres: PostgresServer, rng: random.Random
) -> None:
    async with lobby_world(tmp_path, postgres.new_database()) as world:
        async with world.lobby() as one, world.lobby() as other:
            guests = await one.guests(16)
            askers = [guest.at(rng.choice([one, other]).channel) for guest in guests]
            await asyncio.gather(*(asker.quick() for asker in askers))
        assert len(world.peer.made) == 4
        seated = [account for table_id in world.peer.made for account in world.peer.seats(table_id)]
        assert sorted(seated) == sorted(guest.account_id for guest in guests)


async def test_one_accounts_wishes_at_two_processes_come_true_once(tmp_path: Path, postgres: PostgresServer) -> None:
    async with (
        lobby_world(tmp_path, postgres.new_database()) as world,
        world.lobby() as one,
        world.lobby() as other,
    ):
        guest = await one.guest()
        wishes = [asker.quick(mode=MODE_DUEL) for _ in range(4) for asker in (guest, guest.at(other.channel))]
        outcomes = await asyncio.gather(*wishes, return_exceptions=True)
        refused = [outcome.code for outcome in outcomes if isinstance(outcome, ApiError)]
        assert refused == ["ALREADY_PLAYING"] * 7


async def test_what_happens_in_one_process_is_watched_from_another(tmp_path: Path, postgres: PostgresServer) -> None:
    async with (
        lobby_world(tmp_path, postgres.new_database()) as world,
        world.lobby() as one,
        world.lobby() as other,
    ):
        host, friend = await one.guests(2)
        room = await host.create()
        # The clock stands still: only news can wake the watch.
        watched = aiter(host.at(other.channel).watch(room.room_id))
        assert len((await anext(watched)).room.seats) == 1
        await friend.join(room.code)
        assert len((await anext(watched)).room.seats) == 2
        await host.start(room.room_id)
        assert [update.room.state async for update in watched][-1] == ROOM_STATE_STARTED
        assert await refusal(friend.at(other.channel).leave(room.room_id)) == "ROOM_STARTED"


async def test_a_wait_that_is_over_in_both_processes_makes_one_table(tmp_path: Path, postgres: PostgresServer) -> None:
    async with lobby_world(tmp_path, postgres.new_database()) as world:
        clock = RealClock()
        async with world.lobby(clock, pace=1_000) as one, world.lobby(clock, pace=1_000):
            guests = await one.guests(5)
            rooms = [await guest.quick(mode=MODE_DUEL) for guest in guests]
            ends = await asyncio.gather(*(last_state(guest, room) for guest, room in zip(guests, rooms, strict=True)))
        assert {room.state for room in ends} == {ROOM_STATE_STARTED}
        assert {room.table_id for room in ends} == set(world.peer.made)
        seated = [account for table_id in world.peer.made for account in world.peer.seats(table_id) if account]
        assert sorted(seated) == sorted(guest.account_id for guest in guests)
