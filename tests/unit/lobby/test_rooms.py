"""What may happen in a room, without a database."""

import random
from itertools import count

import pytest

from services.lobby.refusals import NotHostError, RoomFullError, RoomStartedError
from services.lobby.rooms import (
    Account,
    Room,
    RoomState,
    change_seat,
    queue_of,
    sit_down,
    stand_up,
    start,
    time_out,
)
from shared.rules.options import preset_options

A, B, C, D, E = (Account(name, name.upper(), bot=False) for name in "abcde")


def room(*accounts: Account, code: str = "", mode: str = "partners") -> Room:
    made = Room("r", "t", code, preset_options("sahrat", mode), made_ms=0, deadline_ms=100)
    for account in accounts:
        made = sit_down(made, account)
    return made


def seats(of: Room) -> dict[str, int]:
    return {sitter.account.account_id: sitter.seat for sitter in of.sitters}


def test_strangers_go_round_and_friends_sit_with_the_host_first() -> None:
    assert seats(room(A, B, C)) == {"a": 0, "b": 1, "c": 2}
    assert seats(room(A, B, C, code="1")) == {"a": 0, "b": 2, "c": 1}
    assert seats(room(A, B, code="1", mode="duel")) == {"a": 0, "b": 1}


def test_the_partners_seat_is_the_one_opposite_wherever_the_host_sits() -> None:
    hosted = room(A, code="1")
    hosted = change_seat(hosted, hosted.sitters[0], 3)
    assert seats(sit_down(hosted, B)) == {"a": 3, "b": 1}


def test_the_last_seat_taken_starts_the_room() -> None:
    assert room(A, B, C).state is RoomState.WAITING
    full = room(A, B, C, D)
    assert full.state is RoomState.STARTING
    with pytest.raises(RoomStartedError):
        sit_down(full, E)
    with pytest.raises(RoomStartedError):
        change_seat(full, full.sitters[0], 1)
    with pytest.raises(RoomStartedError):
        stand_up(full, "a")


def test_a_seat_that_is_taken_or_not_there_is_refused() -> None:
    for wanted in (0, 2, 7):
        with pytest.raises(RoomFullError):
            sit_down(room(A, mode="duel"), B, wanted)


def test_who_came_first_is_host_and_after_it_the_next() -> None:
    waiting = sit_down(stand_up(room(A, B), "a"), C)
    assert seats(waiting) == {"c": 0, "b": 1}
    assert waiting.host is not None
    assert waiting.host.account == B
    with pytest.raises(NotHostError):
        start(waiting, "c")
    with pytest.raises(NotHostError):
        start(waiting, "nobody")
    assert start(waiting, "b").state is RoomState.STARTING


@pytest.mark.parametrize("state", [RoomState.STARTING, RoomState.STARTED, RoomState.ENDED, RoomState.OVER])
def test_starting_again_changes_nothing(state: RoomState) -> None:
    started = room(A)._replace(state=state)
    assert start(started, "a") == started


def test_a_room_is_given_up_when_its_host_leaves_it_or_nobody_is_left() -> None:
    assert stand_up(room(A, B, code="1"), "a").state is RoomState.CLOSED
    assert stand_up(room(A, B, code="1"), "b").state is RoomState.WAITING
    assert stand_up(room(A), "a").state is RoomState.CLOSED
    assert stand_up(room(A), "b") == room(A)
    given_up = stand_up(room(A), "a")
    assert stand_up(given_up, "a") == given_up


def test_when_its_time_is_over_a_quick_room_starts_and_another_is_given_up() -> None:
    assert time_out(room(A), 99).state is RoomState.WAITING
    assert time_out(room(A), 100).state is RoomState.STARTING
    assert time_out(room(A, code="1"), 100).state is RoomState.CLOSED
    assert time_out(room(), 100).state is RoomState.CLOSED
    started = room(A, B, C, D)
    assert time_out(started, 100) == started


def test_each_preset_and_mode_has_a_queue_of_its_own() -> None:
    kinds = [preset_options(preset, mode) for preset in ("sahrat", "banakil202") for mode in ("partners", "duel")]
    assert len({queue_of(kind) for kind in kinds}) == 4


def test_whatever_comes_and_goes_nobody_sits_twice_and_the_host_came_first(rng: random.Random) -> None:
    arrivals = count()
    for _ in range(200):
        waiting, came = room(code=rng.choice(["", "1"])), dict[str, int]()
        for _ in range(30):
            account = rng.choice((A, B, C, D, E))
            sitter = waiting.sitter(account.account_id)
            try:
                if sitter is None:
                    waiting = sit_down(waiting, account, rng.choice((None, 0, 1, 2, 3)))
                    came[account.account_id] = next(arrivals)
                elif rng.random() < 0.5:
                    waiting = change_seat(waiting, sitter, rng.randrange(4))
                else:
                    waiting = stand_up(waiting, account.account_id)
            except RoomFullError:
                continue
            if waiting.state is not RoomState.WAITING:
                break
            assert len({sitter.seat for sitter in waiting.sitters}) == len(seats(waiting)) == len(waiting.sitters)
            assert waiting.host is not None
            assert waiting.host.account.account_id == min(seats(waiting), key=lambda who: came[who])
