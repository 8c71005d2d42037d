"""Rooms over gRPC, on every database: who meets whom, who is refused, and what several callers at once can do."""

import asyncio
import random
import uuid
from collections import Counter
from typing import Any

import pytest
from banakil.common.v1.rule_options_pb2 import (
    MODE_DUEL,
    MODE_PARTNERS,
    PRESET_BANAKIL202,
    PRESET_SAHRAT,
    PRESET_UNSPECIFIED,
    RuleOptions,
)
from banakil.lobby.v1.lobby_pb2 import (
    ROOM_STATE_CLOSED,
    ROOM_STATE_STARTED,
    ROOM_STATE_WAITING,
    Room,
)

from shared.kit.status import ApiError
from tests.support.lobby import LobbyWorld, RunningLobby, last_state, refusal

QUICK_WAIT_MS = 15_000


def seats_of(room: Room) -> dict[int, str]:
    return {seat.seat: seat.account_id for seat in room.seats}


async def test_four_quick_players_make_one_table_at_once(lobby: RunningLobby, world: LobbyWorld) -> None:
    guests = await lobby.guests(4)
    rooms = [await guest.quick() for guest in guests]
    assert {room.room_id for room in rooms} == {rooms[0].room_id}
    assert [room.state for room in rooms] == [ROOM_STATE_WAITING] * 3 + [ROOM_STATE_STARTED]
    assert [len(room.seats) for room in rooms] == [1, 2, 3, 4]
    made = world.peer.made[rooms[-1].table_id]
    assert [seat.account_id for seat in made.seats] == [guest.account_id for guest in guests]
    assert [seat.display_name for seat in made.seats] == [guest.name for guest in guests]
    assert made.host_seat == 0
    assert len(world.peer.calls) == 1


async def test_a_lone_quick_player_gets_house_bots_when_the_wait_is_over(
    lobby: RunningLobby, world: LobbyWorld
) -> None:
    guest = await lobby.guest()
    room = await guest.quick(preset=PRESET_BANAKIL202)
    assert (room.code, room.remaining_ms, room.table_id) == ("", QUICK_WAIT_MS, "")
    world.clock.advance(QUICK_WAIT_MS - 1)
    assert (await guest.tables()).room.remaining_ms == 1
    room = await world.after(1, last_state(guest, room))
    assert room.state == ROOM_STATE_STARTED
    assert not room.HasField("remaining_ms")
    assert world.peer.seats(room.table_id) == [guest.account_id, "", "", ""]
    listed = await guest.tables()
    assert [(table.table_id, table.seat) for table in listed.tables] == [(room.table_id, 0)]
    assert not listed.HasField("room")


async def test_a_pace_divides_the_wait(world: LobbyWorld) -> None:
    async with world.lobby(pace=100) as lobby:
        room = await (await lobby.guest()).quick()
        assert room.remaining_ms == QUICK_WAIT_MS // 100


async def test_with_house_bots_nobody_is_waited_for(lobby: RunningLobby, world: LobbyWorld) -> None:
    waiting, hasty = await lobby.guests(2)
    await waiting.quick()
    room = await hasty.quick(bots=True)
    assert room.state == ROOM_STATE_STARTED
    assert world.peer.seats(room.table_id) == [hasty.account_id, "", "", ""]
    assert len((await waiting.tables()).room.seats) == 1


@pytest.mark.parametrize("preset", [PRESET_SAHRAT, PRESET_BANAKIL202])
async def test_a_duel_is_full_with_two(lobby: RunningLobby, world: LobbyWorld, preset: Any) -> None:
    first, second = await lobby.guests(2)
    await first.quick(preset=preset, mode=MODE_DUEL)
    room = await second.quick(preset=preset, mode=MODE_DUEL)
    assert world.peer.seats(room.table_id) == [first.account_id, second.account_id]


async def test_who_wants_another_kind_of_table_waits_elsewhere(lobby: RunningLobby) -> None:
    kinds = [(preset, mode) for preset in (PRESET_SAHRAT, PRESET_BANAKIL202) for mode in (MODE_PARTNERS, MODE_DUEL)]
    guests = await lobby.guests(len(kinds))
    rooms = [await guest.quick(preset=preset, mode=mode) for guest, (preset, mode) in zip(guests, kinds, strict=True)]
    assert len({room.room_id for room in rooms}) == len(kinds)


async def test_those_who_come_at_once_meet_and_each_sits_once(
    lobby: RunningLobby, world: LobbyWorld, rng: random.Random
) -> None:
    for _ in range(3):
        guests = await lobby.guests(8)
        rng.shuffle(guests)
        await asyncio.gather(*(guest.quick() for guest in guests))
        seated = Counter[str]()
        for guest in guests:
            seated[guest.account_id] += len((await guest.tables()).tables)
        assert seated == Counter(guest.account_id for guest in guests)
    assert all("" not in world.peer.seats(table_id) for table_id in world.peer.made)
    assert len(world.peer.made) == 6
    assert len(world.peer.calls) == 6


async def test_two_at_once_in_an_empty_lobby_land_in_one_room(lobby: RunningLobby, world: LobbyWorld) -> None:
    for _ in range(5):
        first, second = await lobby.guests(2)
        rooms = await asyncio.gather(first.quick(mode=MODE_DUEL), second.quick(mode=MODE_DUEL))
        assert rooms[0].room_id == rooms[1].room_id
    assert len(world.peer.made) == 5


async def test_a_command_sent_again_finds_what_it_did(lobby: RunningLobby, world: LobbyWorld) -> None:
    guest, command_id = await lobby.guest(), str(uuid.uuid4())
    rooms = await asyncio.gather(*(guest.quick(bots=True, command_id=command_id) for _ in range(5)))
    rooms.append(await guest.quick(bots=True, command_id=command_id))
    assert {(room.room_id, room.table_id) for room in rooms} == {(rooms[0].room_id, rooms[0].table_id)}
    assert len(world.peer.made) == 1
    assert await refusal(guest.quick(bots=False, command_id=command_id)) == "DUPLICATE_COMMAND_BODY"
    assert await refusal(guest.create(command_id=command_id)) == "DUPLICATE_COMMAND_BODY"


async def test_the_same_command_id_of_two_accounts_is_two_commands(lobby: RunningLobby) -> None:
    first, second = await lobby.guests(2)
    command_id = str(uuid.uuid4())
    rooms = [await guest.create(command_id=command_id) for guest in (first, second)]
    assert rooms[0].room_id != rooms[1].room_id


async def test_an_account_that_waits_or_plays_is_refused_and_told_where(lobby: RunningLobby) -> None:
    guest = await lobby.guest()
    room = await guest.create()
    with pytest.raises(ApiError) as refused:
        await guest.quick()
    assert (refused.value.code, refused.value.metadata) == ("ALREADY_PLAYING", {"room_id": room.room_id})
    started = await guest.start(room.room_id)
    with pytest.raises(ApiError) as refused:
        await guest.quick()
    assert refused.value.metadata == {"room_id": room.room_id, "table_id": started.table_id}


async def test_of_different_wishes_at_once_one_comes_true(lobby: RunningLobby) -> None:
    guest, host = await lobby.guests(2)
    code = (await host.create()).code
    wishes = [guest.quick(), guest.quick(preset=PRESET_BANAKIL202), guest.create(), guest.join(code), guest.quick()]
    outcomes = await asyncio.gather(*wishes, return_exceptions=True)
    refused = [outcome.code for outcome in outcomes if isinstance(outcome, ApiError)]
    assert refused == ["ALREADY_PLAYING"] * 4


async def test_friends_join_by_code_the_hosts_partner_first(lobby: RunningLobby, world: LobbyWorld) -> None:
    host, *friends = await lobby.guests(4)
    room = await host.create(RuleOptions(preset=PRESET_BANAKIL202, target=300))
    assert (room.state, seats_of(room), room.host_account_id) == (
        ROOM_STATE_WAITING,
        {0: host.account_id},
        host.account_id,
    )
    assert room.options.target == 300
    assert not room.HasField("remaining_ms")
    spaced = f" {room.code[:4]}-{room.code[4:]} "
    rooms = [await friend.join(spaced) for friend in friends]
    assert [next(seat for seat, owner in seats_of(room).items() if owner == friend.account_id)
            for room, friend in zip(rooms, friends, strict=True)] == [2, 1, 3]  # fmt: skip
    assert rooms[-1].state == ROOM_STATE_STARTED
    assert world.peer.made[rooms[-1].table_id].options.target == 300


async def test_a_friend_may_choose_a_seat_and_change_it(lobby: RunningLobby) -> None:
    host, friend, other = await lobby.guests(3)
    code = (await host.create()).code
    assert seats_of(await friend.join(code, 3))[3] == friend.account_id
    assert seats_of(await friend.join(code, 1)) == {0: host.account_id, 1: friend.account_id}
    assert seats_of(await friend.join(code)) == {0: host.account_id, 1: friend.account_id}
    assert await refusal(friend.join(code, 0)) == "ROOM_FULL"
    assert await refusal(other.join(code, 1)) == "ROOM_FULL"
    assert await refusal(other.join(code, 4)) == "BAD_REQUEST"
    moved = await host.join(code, 2)
    assert (seats_of(moved)[2], moved.host_account_id) == (host.account_id, host.account_id)


async def test_joining_what_cannot_be_joined_is_refused(lobby: RunningLobby) -> None:
    host, friend, late = await lobby.guests(3)
    assert await refusal(friend.join("12345678")) == "NO_SUCH_ROOM"
    assert await refusal(friend.join("not a code")) == "BAD_REQUEST"
    room = await host.create(RuleOptions(preset=PRESET_SAHRAT, mode=MODE_DUEL))
    started = await friend.join(room.code)
    assert await refusal(late.join(room.code)) == "ROOM_STARTED"
    assert (await friend.join(room.code)).table_id == started.table_id


async def test_a_race_for_the_last_seats_seats_as_many_as_there_are(lobby: RunningLobby, world: LobbyWorld) -> None:
    host, *friends = await lobby.guests(7)
    room = await host.create()
    outcomes = await asyncio.gather(*(friend.join(room.code) for friend in friends), return_exceptions=True)
    refused = [outcome.code for outcome in outcomes if isinstance(outcome, ApiError)]
    assert len(refused) == 3
    assert set(refused) <= {"ROOM_STARTED", "ROOM_FULL"}
    (made,) = world.peer.made.values()
    seated = {seat.account_id for seat in made.seats}
    assert len(seated) == 4
    assert "" not in seated
    assert len(world.peer.calls) == 1
    for friend, outcome in zip(friends, outcomes, strict=True):
        seated_here = len((await friend.tables()).tables)
        assert seated_here == (0 if isinstance(outcome, ApiError) else 1)


async def test_joining_twice_at_once_takes_one_seat(lobby: RunningLobby) -> None:
    host, friend = await lobby.guests(2)
    code = (await host.create()).code
    rooms = await asyncio.gather(*(friend.join(code) for _ in range(4)))
    assert all(seats_of(room) == {0: host.account_id, 2: friend.account_id} for room in rooms)


async def test_only_the_host_starts_and_house_bots_get_the_vacant_seats(lobby: RunningLobby, world: LobbyWorld) -> None:
    host, friend, stranger = await lobby.guests(3)
    room = await host.create()
    await friend.join(room.code)
    assert await refusal(friend.start(room.room_id)) == "NOT_HOST"
    assert await refusal(stranger.start(room.room_id)) == "NOT_HOST"
    assert await refusal(host.start(str(uuid.uuid4()))) == "NO_SUCH_ROOM"
    started = await asyncio.gather(host.start(room.room_id), host.start(room.room_id))
    assert {(room.state, room.table_id) for room in started} == {(ROOM_STATE_STARTED, started[0].table_id)}
    assert world.peer.seats(started[0].table_id) == [host.account_id, "", friend.account_id, ""]
    assert len(world.peer.calls) == 1


async def test_how_well_house_bots_play_is_chosen_by_who_has_them_come(lobby: RunningLobby, world: LobbyWorld) -> None:
    host, quick, other = await lobby.guests(3)
    assert await refusal(quick.quick(bots=True, level=6)) == "BAD_REQUEST"
    alone = await quick.quick(bots=True, level=5, command_id=(command_id := str(uuid.uuid4())))
    assert await refusal(quick.quick(bots=True, level=4, command_id=command_id)) == "DUPLICATE_COMMAND_BODY"
    assert world.peer.made[alone.table_id].bot_level == 5
    room = await host.create()
    assert await refusal(host.start(room.room_id, level=6)) == "BAD_REQUEST"
    started = await host.start(room.room_id, level=2)
    assert (await host.start(room.room_id, level=4)).table_id == started.table_id
    assert world.peer.made[started.table_id].bot_level == 2
    assert world.peer.made[(await other.quick(bots=True)).table_id].bot_level == 0


async def test_a_host_who_leaves_closes_the_room_and_frees_all(lobby: RunningLobby) -> None:
    host, friend = await lobby.guests(2)
    room = await host.create()
    await friend.join(room.code)
    watching = asyncio.create_task(last_state(friend, room))
    await host.leave(room.room_id)
    await host.leave(room.room_id)
    assert (await watching).state == ROOM_STATE_CLOSED
    assert await refusal(friend.join(room.code)) == "NO_SUCH_ROOM"
    assert await refusal(host.start(room.room_id)) == "NO_SUCH_ROOM"
    assert (await friend.quick()).state == ROOM_STATE_WAITING


async def test_in_quick_play_who_waited_longest_is_host_and_the_next_after_it(
    lobby: RunningLobby, world: LobbyWorld
) -> None:
    first, second, third = await lobby.guests(3)
    await first.quick()
    room = await second.quick()
    assert room.host_account_id == first.account_id
    await first.leave(room.room_id)
    room = await third.quick()
    assert room.host_account_id == second.account_id
    assert seats_of(room) == {0: third.account_id, 1: second.account_id}
    started = await second.start(room.room_id)
    assert world.peer.made[started.table_id].host_seat == 1
    assert await refusal(third.leave(room.room_id)) == "ROOM_STARTED"


async def test_every_table_has_a_host_wherever_that_is(lobby: RunningLobby, world: LobbyWorld) -> None:
    def host_of(room: Room) -> str:
        made = world.peer.made[room.table_id]
        return made.seats[made.host_seat].account_id

    host, *friends = await lobby.guests(4)
    code = (await host.create()).code
    await host.join(code, 3)
    assert host_of([await friend.join(code) for friend in friends][-1]) == host.account_id
    host, friend = await lobby.guests(2)
    duel = await host.create(RuleOptions(preset=PRESET_BANAKIL202, mode=MODE_DUEL))
    assert host_of(await friend.join(duel.code)) == host.account_id
    longest, *others = await lobby.guests(4)
    await longest.quick()
    assert host_of([await other.quick() for other in others][-1]) == longest.account_id


async def test_the_last_to_leave_a_quick_room_closes_it(lobby: RunningLobby, world: LobbyWorld) -> None:
    guest = await lobby.guest()
    room = await guest.quick()
    await guest.leave(room.room_id)
    assert (await guest.quick()).room_id != room.room_id
    assert await refusal(guest.leave(str(uuid.uuid4()))) == "NO_SUCH_ROOM"
    assert await refusal(guest.leave("no id")) == "BAD_REQUEST"


async def test_a_room_that_nobody_fills_is_given_up_in_the_end(world: LobbyWorld) -> None:
    async with world.lobby(room_life_s=600) as lobby:
        host = await lobby.guest()
        room = await host.create()
        assert (await host.tables()).room.room_id == room.room_id
        assert (await world.after(600_000, last_state(host, room))).state == ROOM_STATE_CLOSED
        assert world.peer.made == {}


async def test_tables_that_are_not_offered_are_refused(lobby: RunningLobby) -> None:
    guest = await lobby.guest()
    assert await refusal(guest.create(RuleOptions(preset=PRESET_SAHRAT, stake_coins=52))) == "OPTION_OUT_OF_RANGE"
    assert await refusal(guest.create(RuleOptions(preset=PRESET_SAHRAT, target=5))) == "OPTION_OUT_OF_RANGE"
    assert await refusal(guest.create(RuleOptions())) == "OPTION_OUT_OF_RANGE"
    assert await refusal(guest.quick(preset=PRESET_UNSPECIFIED)) == "BAD_REQUEST"
    assert await refusal(guest.quick(mode=77)) == "BAD_REQUEST"
    assert await refusal(guest.quick(command_id="7")) == "BAD_REQUEST"
    assert not (await guest.tables()).HasField("room")


async def test_no_more_rooms_wait_than_are_allowed(world: LobbyWorld) -> None:
    async with world.lobby(most_rooms=2) as lobby:
        first, second, third = await lobby.guests(3)
        await first.create()
        room = await second.quick()
        with pytest.raises(ApiError) as refused:
            await third.create()
        assert refused.value.code == "OVERLOADED"
        assert refused.value.retry_after_ms
        assert (await third.quick()).room_id == room.room_id
