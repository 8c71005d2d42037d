"""What the lobby hears of its tables: players are free again, and find what they played."""

from collections.abc import AsyncIterator

import pytest
from banakil.common.v1.rule_options_pb2 import MATCH_FORMAT_BEST_OF_3, MODE_DUEL, PRESET_BANAKIL202, RuleOptions
from banakil.lobby.v1.lobby_pb2 import ROOM_STATE_STARTED

from tests.support.lobby import Guest, LobbyWorld, Publish, RunningLobby, eventually, refusal
from tests.support.lobby_facts import aborted, closed, ended, knows, left


@pytest.fixture
async def publish(world: LobbyWorld) -> AsyncIterator[Publish]:
    async with world.facts() as publishing:
        yield publishing


async def lists(guest: Guest, number: int) -> None:
    async def check() -> bool:
        return len((await guest.tables()).tables) == number

    await eventually(check, f"{number} live tables")


async def test_a_match_that_ended_is_in_the_history_of_all_who_played(lobby: RunningLobby, publish: Publish) -> None:
    first, second, other = await lobby.guests(3)
    await first.quick(preset=PRESET_BANAKIL202, mode=MODE_DUEL)
    room = await second.quick(preset=PRESET_BANAKIL202, mode=MODE_DUEL)
    fact = ended(room, at_ms=1_234)
    await publish(fact)
    await knows(second, 1)
    (match,) = (await first.history()).matches
    assert (match.match_id, match.preset, match.mode) == (fact.match_ended.match_id, PRESET_BANAKIL202, MODE_DUEL)
    assert [(seat.account_id, seat.display_name) for seat in match.seats] == [
        (first.account_id, first.name),
        (second.account_id, second.name),
    ]
    assert (match.seat, (await second.history()).matches[0].seat) == (0, 1)
    assert (list(match.total_half_points), match.winner_team, match.ended_at_ms) == ([460, -31], 0, 1_234)
    await knows(other, 0)


async def test_after_the_match_players_are_free_and_may_yet_look_at_the_result(
    lobby: RunningLobby, world: LobbyWorld, publish: Publish
) -> None:
    guest = await lobby.guest()
    room = await guest.quick(bots=True)
    world.clock.advance(1)
    await publish(ended(room))
    await knows(guest, 1)
    assert [table.table_id for table in (await guest.tables()).tables] == [room.table_id]
    again = await guest.quick(bots=True)
    assert [table.table_id for table in (await guest.tables()).tables] == [again.table_id, room.table_id]
    await publish(closed(room))
    await lists(guest, 1)
    (seat,) = [seat.account_id for seat in (await guest.history()).matches[0].seats if seat.account_id]
    assert seat == guest.account_id


async def test_a_series_frees_its_players_when_its_table_closes(lobby: RunningLobby, publish: Publish) -> None:
    guest = await lobby.guest()
    room = await guest.create(RuleOptions(preset=PRESET_BANAKIL202, format=MATCH_FORMAT_BEST_OF_3))
    room = await guest.start(room.room_id)
    await publish(ended(room))
    await knows(guest, 1)
    assert await refusal(guest.quick()) == "ALREADY_PLAYING"
    await publish(closed(room))
    await lists(guest, 0)
    assert not (await guest.quick()).table_id


async def test_a_match_that_an_operator_ends_frees_its_players_and_is_in_no_history(
    lobby: RunningLobby, publish: Publish
) -> None:
    guest = await lobby.guest()
    room = await guest.create(RuleOptions(preset=PRESET_BANAKIL202))
    room = await guest.start(room.room_id)
    assert await refusal(guest.quick()) == "ALREADY_PLAYING"
    await publish(aborted(room))
    await lists(guest, 0)
    assert not (await guest.quick()).table_id
    await knows(guest, 0)


async def test_who_leaves_a_match_on_purpose_is_free_and_the_others_are_not(
    lobby: RunningLobby, publish: Publish
) -> None:
    host, friend = await lobby.guest(), await lobby.guest()
    room = await host.create(RuleOptions(preset=PRESET_BANAKIL202))
    await friend.join(room.code)
    room = await host.start(room.room_id)
    await publish(left(room, host.account_id))
    await lists(host, 0)
    assert not (await host.quick()).table_id
    assert await refusal(friend.quick()) == "ALREADY_PLAYING"
    await publish(ended(room))
    await lists(host, 1)
    await knows(host, 1)


async def test_what_is_told_again_or_in_another_order_counts_once(lobby: RunningLobby, publish: Publish) -> None:
    guest = await lobby.guest()
    room = await guest.quick(bots=True)
    fact = ended(room)
    await publish(closed(room))
    for fact_id in ("again-1", "again-2"):
        fact.fact_id = fact_id
        await publish(fact)
    last = ended(room)
    await publish(last)
    await knows(guest, 2)
    assert {match.match_id for match in (await guest.history()).matches} == {
        fact.match_ended.match_id,
        last.match_ended.match_id,
    }
    await lists(guest, 0)


async def test_history_comes_in_pages_the_newest_first(lobby: RunningLobby, publish: Publish) -> None:
    guest = await lobby.guest()
    room = await guest.quick(bots=True)
    # Two of them ended in the same millisecond.
    ids = [f"{number:032x}" for number in range(5)]
    for match_id, at_ms in zip(ids, (10, 20, 20, 30, 40), strict=True):
        await publish(ended(room, match_id=match_id, at_ms=at_ms))
    await knows(guest, 5)
    pages: list[list[str]] = []
    token = ""
    while token or not pages:
        page = await guest.history(2, token)
        pages.append([match.match_id for match in page.matches])
        token = page.next_page_token
    assert pages == [[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]
    assert await refusal(guest.history(101)) == "BAD_REQUEST"
    for bad in ("?", "AAAA", "x" * 101, "LjE="):
        assert await refusal(guest.history(2, bad)) == "BAD_REQUEST"


async def test_a_player_is_not_held_by_a_table_whose_last_fact_is_lost(lobby: RunningLobby, world: LobbyWorld) -> None:
    guest = await lobby.guest()
    room = await guest.quick(bots=True)
    assert await refusal(guest.quick(bots=True)) == "ALREADY_PLAYING"
    world.peer.views[room.table_id].match.winner_team = 1
    room = await guest.quick(bots=True)
    world.peer.close(room.table_id)
    room = await guest.quick(bots=True)
    del world.peer.views[room.table_id]
    room = await guest.quick(bots=True)
    assert room.state == ROOM_STATE_STARTED
    assert len((await guest.tables()).tables) == 2


async def test_a_player_who_has_left_is_free_though_the_fact_of_it_is_on_its_way(
    lobby: RunningLobby, world: LobbyWorld
) -> None:
    guest = await lobby.guest()
    room = await guest.quick(bots=True)
    seats = world.peer.views[room.table_id].seats
    seats.add(account_id="another", left=True)
    assert await refusal(guest.quick(bots=True)) == "ALREADY_PLAYING"
    seats.add(account_id=guest.account_id, left=True)
    assert (await guest.quick(bots=True)).table_id != room.table_id
