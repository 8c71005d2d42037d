"""The pause of a private table: all agree to one in a match, anybody ends it, and no clock is the worse for it."""

import random

import pytest

from services.table.ceremony import CeremonyStep
from services.table.commands import (
    Abort,
    Ask,
    ClockOut,
    Freeze,
    PauseOut,
    Play,
    Presence,
    Resume,
    TakeVacancy,
    Unfreeze,
    Wish,
)
from services.table.due import vacancies
from services.table.events import ClockSet, Frozen, PauseAsked, PauseBegan, PauseOver, Unfrozen
from services.table.evolve import ceremony_of
from services.table.pausing import PAUSE_MS
from services.table.refusals import NothingToDoError, PausedError, PauseNotPossibleError, TableFrozenError
from services.table.state import Pause, Stage
from services.table.wire import write_delta, write_view
from shared.rules.actions import Undo
from shared.rules.options import make_options
from tests.support.following import Client
from tests.support.tables import PEOPLE, PureTable, seated
from tests.unit.table.test_life import to_the_next_match

HOUSE = "house:one"


def friends(*people: str, private: bool = True, **options: object) -> PureTable:
    """A table that friends made, in its first deal; where no names are given all four sit there."""
    made = make_options({"preset": "sahrat", "target": 50, **options})
    table = PureTable(made, seats=seated(*people) if people else (), private=private)
    for number, (_, vacancy) in enumerate(vacancies(table.state)):
        table.apply(TakeVacancy(vacancy, f"house:{number}", "Kitt"))
    for seat in table.state.seats:
        if seat.away:
            table.apply(Presence(seat.account, away=False))
    table.settle()
    table.now_ms += 1_234
    return table


def want(table: PureTable, *people: str, wish: Wish = Wish.PAUSE) -> tuple[object, ...]:
    """What the last of their wishes makes."""
    events: tuple[object, ...] = ()
    for account in people or PEOPLE:
        events = table.apply(Ask(account, wish))
    return events


def test_a_match_is_paused_once_the_last_agrees_and_goes_on_with_the_clock_that_it_had() -> None:
    table = friends()
    left_ms = table.left_ms
    assert want(table, "ada", "bayan", "cem") == (PauseAsked(2, True),)
    table.now_ms += 1_000
    assert want(table, "dana") == (PauseAsked(3, True), PauseBegan(table.now_ms + PAUSE_MS), Frozen(table.now_ms))
    assert table.state.deadline_ms is None
    table.now_ms += 77_777
    assert want(table, "bayan", wish=Wish.END_PAUSE) == (
        Unfrozen(),
        ClockSet(table.now_ms + left_ms - 1_000),
        PauseOver(),
    )
    assert (table.state.pause, table.state.standstill) == (Pause(used=True), None)


def test_who_asked_comes_first_whoever_agrees() -> None:
    table = friends()
    want(table, "cem", "ada", "dana")
    assert list(table.state.pause.agreed) == [2, 0, 3]
    want(table, "cem", wish=Wish.END_PAUSE)
    assert list(table.state.pause.agreed) == [0, 3]


def test_while_it_lasts_nobody_plays_and_no_clock_runs_out() -> None:
    table = friends()
    deadline_ms = table.state.deadline_ms
    assert deadline_ms is not None
    want(table)
    table.now_ms = deadline_ms
    with pytest.raises(PausedError):
        table.apply(Play(PEOPLE[table.deal.turn], 1, 1, Undo(table.deal.turn)))
    with pytest.raises(NothingToDoError):
        table.apply(ClockOut(deadline_ms))


def test_a_pause_ends_by_itself_at_its_millisecond_and_not_before_and_once() -> None:
    table = friends()
    want(table)
    until_ms, left_ms = table.state.pause.until_ms, table.state.standstill
    assert left_ms is not None
    table.now_ms = until_ms - 1
    with pytest.raises(NothingToDoError):
        table.apply(PauseOut(until_ms))
    table.now_ms = until_ms
    assert isinstance(table.apply(PauseOut(until_ms))[-1], PauseOver)
    with pytest.raises(NothingToDoError):
        table.apply(PauseOut(until_ms))


def test_there_is_one_in_a_match_and_none_elsewhere() -> None:
    table = friends()
    with pytest.raises(PauseNotPossibleError):
        want(table, wish=Wish.END_PAUSE)
    want(table)
    for account in PEOPLE:
        with pytest.raises(PauseNotPossibleError):
            want(table, account)
    want(table, "ada", wish=Wish.END_PAUSE)
    for wish in (Wish.PAUSE, Wish.END_PAUSE):
        with pytest.raises(PauseNotPossibleError):
            want(table, wish=wish)
    with pytest.raises(PauseNotPossibleError):
        want(friends(private=False))


def test_a_wish_for_a_pause_may_be_taken_back_and_said_again_changes_nothing() -> None:
    table = friends()
    want(table, "ada")
    with pytest.raises(NothingToDoError):
        want(table, "ada")
    assert want(table, "ada", wish=Wish.END_PAUSE) == (PauseAsked(0, False),)
    want(table, "bayan", "cem", "dana")
    assert not table.state.pause.until_ms


def test_house_bots_are_not_asked_nor_who_has_left_nor_who_is_stood_in_for() -> None:
    table = friends("ada", "", "cem", "dana")
    table.apply(Ask("dana", Wish.LEAVE))
    want(table, "cem")
    assert not table.state.pause.until_ms
    assert isinstance(want(table, "ada")[-1], Frozen)


def test_who_wanted_it_may_say_so_again_once_the_one_who_did_not_is_gone() -> None:
    table = friends()
    want(table, "ada", "bayan", "cem")
    table.apply(Ask("dana", Wish.LEAVE))
    assert isinstance(want(table, "bayan")[-1], Frozen)


def test_in_a_pause_one_may_leave_and_a_house_bot_may_take_the_place() -> None:
    table = friends()
    want(table)
    table.apply(Ask("ada", Wish.LEAVE))
    table.apply(TakeVacancy(vacancies(table.state)[0][1], HOUSE, "Kitt"))
    want(table, "bayan", wish=Wish.END_PAUSE)
    assert table.state.seats[0].stand_in == HOUSE


def test_graces_stand_still_in_a_pause() -> None:
    table = friends()
    want(table)
    table.apply(Presence("ada", away=True))
    table.now_ms += PAUSE_MS - 1
    table.apply(Ask("bayan", Wish.END_PAUSE))
    assert table.state.seats[0].grace_until_ms >= table.now_ms + 60_000


def test_an_outage_shortens_no_pause_and_no_turn() -> None:
    table = friends()
    left_ms = table.left_ms
    want(table)
    until_ms, since_ms = table.state.pause.until_ms, table.now_ms + 5_000
    table.now_ms += 65_000
    table.apply(Resume(since_ms))
    assert table.state.pause.until_ms == until_ms + 60_000
    for account in PEOPLE:
        table.apply(Presence(account, away=False))
    want(table, "ada", wish=Wish.END_PAUSE)
    assert table.left_ms == left_ms


def test_an_operator_has_a_paused_table_stand_still_or_end_and_no_player_ends_that() -> None:
    table = friends()
    want(table)
    with pytest.raises(NothingToDoError):
        table.apply(Unfreeze())
    assert table.apply(Freeze()) == (PauseOver(),)
    assert table.state.is_frozen
    with pytest.raises(TableFrozenError):
        want(table, "ada", wish=Wish.END_PAUSE)
    table.apply(Unfreeze())
    assert table.state.deadline_ms is not None
    other = friends()
    want(other)
    other.apply(Abort())
    assert (other.state.stage, other.state.pause) == (Stage.CLOSED, Pause())


def test_each_match_of_a_series_has_a_pause(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", "target": 50}), private=True)
    table.settle()
    want(table)
    want(table, "ada", wish=Wish.END_PAUSE)
    to_the_next_match(table, rng)
    assert table.state.pause == Pause()
    assert isinstance(want(table)[-1], Frozen)


def test_a_pause_between_deals_holds_the_shuffle_too() -> None:
    table = PureTable(make_options({"preset": "banakil202"}), private=True)
    table.clients = frozenset({0, 1, 2, 3})
    while ceremony_of(table.state).step is not CeremonyStep.CUTTING:
        table.settle_once()
    left_ms = (ceremony_of(table.state).deadline_ms or 0) - table.now_ms
    want(table)
    table.now_ms += 100_000
    want(table, "dana", wish=Wish.END_PAUSE)
    assert ceremony_of(table.state).deadline_ms == table.now_ms + left_ms
    table.settle()
    assert table.state.stage is Stage.DEAL


def test_who_follows_the_deltas_sees_what_a_snapshot_shows(rng: random.Random) -> None:
    table = friends("ada", "", "cem", "", preset="banakil202", format="best_of_3")
    client = Client()
    client.view.CopyFrom(write_view(table.state, None))
    began = len(table.steps)
    want(table, "ada", "cem")
    table.apply(Freeze())
    table.apply(Unfreeze())
    table.play(rng)
    while table.state.match.winner is None:
        table.ring()
        table.play(rng)
    table.ring()
    table.settle()
    table.ring()
    table.settle()
    want(table, "cem", "ada")
    table.apply(Abort())
    for step in table.steps[began:]:
        client.take_delta(write_delta(step, None))
        assert client.view == write_view(step.after, None)
