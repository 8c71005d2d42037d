"""The queue outlives the process (SCENARIOS 10): who waits goes on waiting, and a full room becomes one table."""

import asyncio
import contextlib
import random

import grpc
import pytest
from banakil.common.v1.rule_options_pb2 import MODE_DUEL
from banakil.events.v1.facts_pb2 import Fact, MatchStarted
from banakil.lobby.v1.lobby_pb2 import ROOM_STATE_CLOSED, ROOM_STATE_STARTED, ROOM_STATE_WAITING

from shared.kit.status import ApiError
from tests.support.kit import PATIENCE_S
from tests.support.lobby import Guest, LobbyWorld, RunningLobby, last_state, refusal

QUICK_WAIT_MS = 15_000


async def test_who_waited_is_found_by_who_comes_after_a_restart(world: LobbyWorld) -> None:
    async with world.lobby() as lobby:
        first, host = await lobby.guests(2)
        room, friends_room = await first.quick(mode=MODE_DUEL), await host.create()
    async with world.lobby() as lobby:
        second, friend = await lobby.guests(2)
        assert (await second.quick(mode=MODE_DUEL)).room_id == room.room_id
        assert (await friend.join(friends_room.code)).room_id == friends_room.room_id
        (table,) = (await first.at(lobby.channel).tables()).tables
    assert world.peer.seats(table.table_id) == [first.account_id, second.account_id]


async def test_a_wait_that_ends_while_nobody_serves_ends_at_the_restart(world: LobbyWorld) -> None:
    async with world.lobby() as lobby:
        guest = await lobby.guest()
        room = await guest.quick()
    world.clock.advance(QUICK_WAIT_MS)
    async with world.lobby() as lobby:
        room = await world.after(0, last_state(guest.at(lobby.channel), room))
    assert room.state == ROOM_STATE_STARTED
    assert list(world.peer.made) == [room.table_id]


async def test_a_room_that_fills_while_no_table_can_be_made_becomes_one_later(world: LobbyWorld) -> None:
    world.peer.refuse(grpc.StatusCode.UNAVAILABLE)
    async with world.lobby() as lobby:
        first, second, late = await lobby.guests(3)
        await first.quick(mode=MODE_DUEL)
        room = await second.quick(mode=MODE_DUEL)
        assert (room.state, len(room.seats), room.table_id) == (ROOM_STATE_WAITING, 2, "")
        assert await refusal(first.leave(room.room_id)) == "ROOM_STARTED"
        assert (await late.quick(mode=MODE_DUEL)).room_id != room.room_id
    assert len({call.table_id for call in world.peer.calls}) == 1
    world.peer.refuse(None)
    async with world.lobby() as lobby:
        room = await world.after(0, last_state(first.at(lobby.channel), room))
    assert (room.state, room.table_id) == (ROOM_STATE_STARTED, world.peer.calls[0].table_id)
    assert list(world.peer.made) == [room.table_id]


async def test_the_same_process_goes_on_trying_too(lobby: RunningLobby, world: LobbyWorld) -> None:
    world.peer.refuse(grpc.StatusCode.RESOURCE_EXHAUSTED)
    guest = await lobby.guest()
    room = await guest.quick(bots=True)
    assert room.state == ROOM_STATE_WAITING
    world.peer.refuse(None)
    assert (await world.after(1_000, last_state(guest, room))).state == ROOM_STATE_STARTED
    assert len(world.peer.made) == 1


async def test_a_table_whose_making_was_never_answered_is_made_once(world: LobbyWorld) -> None:
    world.peer.answers.clear()
    async with world.lobby() as lobby:
        guest = await lobby.guest()
        asking = asyncio.create_task(guest.quick(bots=True))
        await world.peer.asked.wait()
    await asyncio.wait([asking])
    world.peer.answers.set()
    async with world.lobby() as lobby:
        (table,) = await world.after(0, live_tables(guest.at(lobby.channel)))
    assert table == world.peer.calls[0].table_id
    assert list(world.peer.made) == [table]
    assert all(call == world.peer.calls[0] for call in world.peer.calls)


async def test_that_a_match_begins_says_that_the_table_is_there(lobby: RunningLobby, world: LobbyWorld) -> None:
    world.peer.answers.clear()
    guest = await lobby.guest()
    asking = asyncio.create_task(guest.quick(bots=True))
    await world.peer.asked.wait()
    room = (await guest.tables()).room
    async with world.facts() as publish:
        fact = Fact(fact_id="f1", table_id=world.peer.calls[0].table_id, match_started=MatchStarted())
        await publish(fact)
        assert (await last_state(guest, room)).table_id == fact.table_id
    world.peer.answers.set()
    assert (await asking).state == ROOM_STATE_STARTED


async def test_callers_who_go_away_in_the_midst_leave_nothing_half_done(
    lobby: RunningLobby, world: LobbyWorld, rng: random.Random
) -> None:
    for _ in range(30):
        first, second = await lobby.guests(2)
        for guest in (first, second):
            leaving = asyncio.create_task(guest.quick(mode=MODE_DUEL))
            for _ in range(rng.randrange(150)):
                await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.wait([leaving])
        for guest in (first, second):
            # Either the wish came true or nothing of it: then it can be made again.
            with contextlib.suppress(ApiError):
                await guest.quick(mode=MODE_DUEL)
        await asyncio.wait_for(live_tables(second), PATIENCE_S)
    assert len(world.peer.made) == 30
    assert all("" not in world.peer.seats(table_id) for table_id in world.peer.made)


@pytest.mark.parametrize("status", [grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.ALREADY_EXISTS])
async def test_a_room_that_no_table_can_come_of_is_closed_and_frees_its_players(
    lobby: RunningLobby, world: LobbyWorld, status: grpc.StatusCode
) -> None:
    world.peer.refuse(status)
    guest = await lobby.guest()
    assert (await guest.quick(bots=True)).state == ROOM_STATE_CLOSED
    world.peer.refuse(None)
    assert (await guest.quick(bots=True)).state == ROOM_STATE_STARTED


async def live_tables(guest: Guest) -> list[str]:
    while not (tables := (await guest.tables()).tables):
        pass
    return [table.table_id for table in tables]
