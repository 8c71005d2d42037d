"""Another game with the same players, on every database: one room for all of them, however they come."""

import asyncio
import uuid

import pytest
from banakil.common.v1.rule_options_pb2 import MATCH_FORMAT_BEST_OF_3, MODE_DUEL, PRESET_BANAKIL202, RuleOptions
from banakil.events.v1.facts_pb2 import Fact, MatchSeat, MatchStarted
from banakil.lobby.v1.lobby_pb2 import ROOM_STATE_CLOSED, ROOM_STATE_STARTED, ROOM_STATE_WAITING, Room

from tests.support.lobby import Guest, LobbyWorld, RunningLobby, eventually, last_state, refusal

AGAIN_WAIT_MS = 30_000


def seats_of(room: Room) -> dict[int, str]:
    return {seat.seat: seat.account_id for seat in room.seats}


async def quick_table(guests: list[Guest], world: LobbyWorld) -> Room:
    """A quick-play table of theirs, with house bots where they are fewer, which is over."""
    rooms = [await guest.quick() for guest in guests]
    room = rooms[-1]
    if room.state == ROOM_STATE_WAITING:
        room = await world.after(15_000, last_state(guests[0], room))
    world.peer.close(room.table_id)
    return room


async def friends_table(guests: list[Guest], world: LobbyWorld, options: RuleOptions | None = None) -> Room:
    """A table of a room with a code, as the first of them made it, which is over."""
    host, *others = guests
    room = await host.create(options)
    for guest in others:
        room = await guest.join(room.code)
    if room.state == ROOM_STATE_WAITING:
        room = await host.start(room.room_id)
    world.peer.close(room.table_id)
    return room


async def test_the_same_four_meet_in_one_room_in_their_seats_and_play(lobby: RunningLobby, world: LobbyWorld) -> None:
    guests = await lobby.guests(4)
    before = await quick_table(guests, world)
    rooms = [await guest.again(before.table_id) for guest in reversed(guests)]
    assert {(room.room_id, room.again_of_table_id) for room in rooms} == {(rooms[0].room_id, before.table_id)}
    assert [room.state for room in rooms] == [ROOM_STATE_WAITING] * 3 + [ROOM_STATE_STARTED]
    assert [room.host_account_id for room in rooms] == [guest.account_id for guest in reversed(guests)]
    after = rooms[-1]
    assert after.table_id not in ("", before.table_id)
    assert world.peer.seats(after.table_id) == world.peer.seats(before.table_id)
    made = [world.peer.made[room.table_id] for room in (before, after)]
    assert made[0].options == made[1].options
    assert made[0].host_seat == made[1].host_seat


async def test_house_bots_are_not_waited_for(lobby: RunningLobby, world: LobbyWorld) -> None:
    guests = await lobby.guests(2)
    before = await quick_table(guests, world)
    await guests[0].again(before.table_id)
    room = await guests[1].again(before.table_id)
    assert room.state == ROOM_STATE_STARTED
    assert world.peer.seats(room.table_id) == [guest.account_id for guest in guests] + ["", ""]


async def test_in_quick_play_who_does_not_come_is_replaced_when_the_time_is_over(
    lobby: RunningLobby, world: LobbyWorld
) -> None:
    guests = await lobby.guests(4)
    before = await quick_table(guests, world)
    room = await guests[2].again(before.table_id)
    assert (room.code, room.remaining_ms) == ("", AGAIN_WAIT_MS)
    room = await world.after(AGAIN_WAIT_MS, last_state(guests[2], room))
    assert world.peer.seats(room.table_id) == ["", "", guests[2].account_id, ""]
    assert world.peer.made[room.table_id].host_seat == 2
    assert await refusal(guests[0].again(before.table_id)) == "ROOM_STARTED"


async def test_nobody_else_comes_into_a_room_of_quick_players(lobby: RunningLobby, world: LobbyWorld) -> None:
    *guests, stranger = await lobby.guests(5)
    before = await quick_table(guests, world)
    room = await guests[0].again(before.table_id)
    assert (await stranger.quick()).room_id != room.room_id
    assert await refusal(stranger.again(before.table_id)) == "NOT_SEATED"
    assert await refusal(stranger.again(str(uuid.uuid4()))) == "NO_SUCH_TABLE"
    assert await refusal(stranger.again("7")) == "BAD_REQUEST"


async def test_friends_get_a_new_code_and_their_host_begins_without_who_stays_away(
    lobby: RunningLobby, world: LobbyWorld
) -> None:
    *guests, new = await lobby.guests(5)
    options = RuleOptions(preset=PRESET_BANAKIL202, format=MATCH_FORMAT_BEST_OF_3, turn_seconds=60)
    before = await friends_table(guests, world, options)
    room = await guests[1].again(before.table_id)
    assert len(room.code) == 8
    assert room.code != before.code
    assert room.options == before.options
    assert await refusal(new.start(room.room_id)) == "NOT_HOST"
    await guests[0].again(before.table_id)
    assert await refusal(guests[1].start(room.room_id)) == "NOT_HOST"
    joined = await new.join(room.code)
    assert len(joined.seats) == 3
    started = await guests[0].start(room.room_id)
    assert started.host_account_id == guests[0].account_id
    assert world.peer.made[started.table_id].host_seat == 0


async def test_house_bots_play_as_well_as_before(lobby: RunningLobby, world: LobbyWorld) -> None:
    host = await lobby.guest()
    room = await host.start((await host.create()).room_id, level=4)
    world.peer.close(room.table_id)
    again = await host.again(room.table_id)  # none but bots are missing
    assert [world.peer.made[played.table_id].bot_level for played in (room, again)] == [4, 4]


async def test_asking_again_is_asking_once(lobby: RunningLobby, world: LobbyWorld) -> None:
    guests = await lobby.guests(2)
    before = await friends_table(guests, world, RuleOptions(preset=PRESET_BANAKIL202, mode=MODE_DUEL))
    first = await guests[0].again(before.table_id)
    assert (await guests[0].again(before.table_id)).seats == first.seats
    started = await guests[1].again(before.table_id)
    assert (await guests[0].again(before.table_id)).table_id == started.table_id
    assert len(world.peer.calls) == 2


async def test_all_who_ask_at_once_meet(lobby: RunningLobby, world: LobbyWorld) -> None:
    guests = await lobby.guests(4)
    for _ in range(3):
        before = await quick_table(guests, world)
        rooms = await asyncio.gather(*(guest.again(before.table_id) for guest in guests))
        assert len({room.room_id for room in rooms}) == 1
        tables = {table for room in rooms if (table := room.table_id)}
        assert len(tables) == 1
        assert world.peer.seats(*tables) == [guest.account_id for guest in guests]
        world.peer.close(*tables)


async def test_a_match_that_is_not_decided_and_another_game_come_first(lobby: RunningLobby, world: LobbyWorld) -> None:
    guest = await lobby.guest()
    playing = await guest.quick(bots=True)
    assert await refusal(guest.again(playing.table_id)) == "ALREADY_PLAYING"
    world.peer.close(playing.table_id)
    other = await guest.create()
    assert await refusal(guest.again(playing.table_id)) == "ALREADY_PLAYING"
    await guest.leave(other.room_id)
    assert (await guest.again(playing.table_id)).state == ROOM_STATE_STARTED


async def test_a_room_that_was_given_up_is_no_hindrance(lobby: RunningLobby, world: LobbyWorld) -> None:
    guests = await lobby.guests(3)
    before = await friends_table(guests, world)
    given_up = await guests[1].again(before.table_id)
    await guests[1].leave(given_up.room_id)
    rooms = [await guest.again(before.table_id) for guest in guests]
    assert given_up.room_id not in {room.room_id for room in rooms}
    assert rooms[-1].state == ROOM_STATE_STARTED
    assert (await last_state(guests[0], rooms[0])).state != ROOM_STATE_CLOSED


async def test_after_a_swap_of_seats_each_is_listed_and_sits_again_where_it_sat_last(
    lobby: RunningLobby, world: LobbyWorld
) -> None:
    guests = await lobby.guests(4)
    room = await guests[0].create(RuleOptions(preset=PRESET_BANAKIL202, format=MATCH_FORMAT_BEST_OF_3))
    for guest, seat in zip(guests[1:], (1, 2, 3), strict=True):
        room = await guest.join(room.code, seat)
    order = [guests[2], guests[1], guests[0], guests[3]]
    seats = [MatchSeat(account_id=guest.account_id, display_name=guest.name) for guest in order]
    started = MatchStarted(series_id="aa" * 16, match_id="bb" * 16, match_no=2, options=room.options, seats=seats)
    async with world.facts() as publish:
        await publish(Fact(fact_id="second-match", table_id=room.table_id, at_ms=5, match_started=started))

    async def moved() -> bool:
        return [(await guest.tables()).tables[0].seat for guest in guests] == [2, 1, 0, 3]

    await eventually(moved, "the seats are those of the second match")
    world.peer.close(room.table_id)
    for guest in guests:
        room = await guest.again(room.again_of_table_id or room.table_id)
    assert world.peer.seats(room.table_id) == [guest.account_id for guest in order]
    assert room.host_account_id == guests[0].account_id
    assert world.peer.made[room.table_id].host_seat == 2
    assert seats_of(room)[2] == guests[0].account_id


@pytest.mark.parametrize("quick", [True, False])
async def test_a_restart_between_two_who_ask_changes_nothing(world: LobbyWorld, quick: bool) -> None:
    async with world.lobby() as lobby:
        guests = await lobby.guests(2)
        before = await (quick_table if quick else friends_table)(guests, world)
        room = await guests[0].again(before.table_id)
    async with world.lobby() as lobby:
        second = await lobby.refreshed(guests[1])
        assert (await second.again(before.table_id)).room_id == room.room_id
