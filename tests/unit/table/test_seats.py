"""Who has a seat, who plays it, and what becomes of one whose player is gone (R10), as the pure core decides it."""

import random

import pytest

from services.table.commands import Ask, Play, Presence, TakeVacancy, Wish
from services.table.due import vacancies
from services.table.events import AwayChanged, SeatLeft, StandInTook
from services.table.evolve import ceremony_of
from services.table.live import is_presence
from services.table.refusals import (
    NothingToDoError,
    NotSeatedError,
    SeatLeftError,
    StandInPlaysError,
    TableClosedError,
    UnknownVacancyError,
    VacancyTakenError,
)
from services.table.seats import seat_to_play, seat_to_watch
from services.table.shuffling import awaited_seats
from services.table.state import Occupant, Stage
from services.table.wire import write_view
from shared.rules.actions import Draw
from shared.rules.options import make_options
from tests.support.tables import PEOPLE, PureTable, seated
from tests.unit.table.test_life import to_the_next_match

HOUSE = "house:one"
SERIES = {"preset": "banakil202", "format": "best_of_3", "target": 50}


def playing(**options: object) -> PureTable:
    """A table in its first deal, where everybody is there."""
    table = PureTable(make_options({"preset": "sahrat", "target": 50, **options}))
    for account in PEOPLE[: table.state.options.seats]:
        table.apply(Presence(account, away=False))
    table.settle()
    return table


def leave(table: PureTable, account: str = "ada") -> str:
    """The vacancy that it makes."""
    table.apply(Ask(account, Wish.LEAVE))
    return dict(vacancies(table.state)).get(PEOPLE.index(account), "")


def test_who_leaves_keeps_the_seat_in_name_and_a_house_bot_is_asked_for_at_once() -> None:
    table = playing()
    hand = table.deal.hands[0]
    (event,) = table.apply(Ask("ada", Wish.LEAVE))
    assert isinstance(event, SeatLeft)
    left, fact = table.entries[-1].facts
    assert left.player_left.account_id == "ada"
    assert (fact.seat_vacated.vacancy_id, fact.seat_vacated.seat) == (event.vacancy, 0)
    assert table.apply(TakeVacancy(event.vacancy, HOUSE, "Kitt")) == (StandInTook(0, HOUSE, "Kitt"),)
    seat = write_view(table.state, None).seats[0]
    assert (seat.account_id, seat.display_name, seat.stand_in_name) == ("ada", "Ada", "Kitt")
    assert (seat.occupant, seat.left, seat.away) == (4, True, True)
    assert table.deal.hands[0] == hand
    assert seat_to_play(table.state, HOUSE) == seat_to_watch(table.state, HOUSE) == 0


def test_who_has_left_neither_looks_nor_plays_nor_wishes_and_nobody_elses_clock_changes() -> None:
    table = playing()
    left_ms = table.left_ms
    vacancy = leave(table)
    for _ in range(2):
        with pytest.raises(SeatLeftError):
            seat_to_watch(table.state, "ada")
        for command in (Ask("ada", Wish.LEAVE), Play("ada", 1, 1, Draw(0))):
            with pytest.raises(SeatLeftError):
                table.apply(command)
        with pytest.raises(NothingToDoError):
            table.apply(Presence("ada", away=False))
        assert table.left_ms == left_ms
        if not table.state.seats[0].stand_in:
            table.apply(TakeVacancy(vacancy, HOUSE, "Kitt"))
    assert seat_to_play(table.state, HOUSE) == 0


def test_a_seat_that_was_left_is_played_by_the_clock_until_a_bot_comes() -> None:
    table = playing()
    leave(table, PEOPLE[table.deal.turn])
    table.ring()
    table.ring()
    assert table.deal.turn_no == 2


def test_at_a_coin_table_no_bot_is_asked_for() -> None:
    table = playing(stake=50)
    assert leave(table) == ""
    assert [fact.WhichOneof("fact") for fact in table.entries[-1].facts] == ["player_left"]
    with pytest.raises(SeatLeftError):
        seat_to_watch(table.state, "ada")


def test_a_vacancy_is_taken_once_and_not_by_somebody_who_has_a_seat() -> None:
    table = playing()
    vacancy = leave(table)
    with pytest.raises(UnknownVacancyError):
        table.apply(TakeVacancy(f"{vacancy}0", HOUSE, "Kitt"))
    with pytest.raises(VacancyTakenError):
        table.apply(TakeVacancy(vacancy, "bayan", "Kitt"))
    table.apply(TakeVacancy(vacancy, HOUSE, "Kitt"))
    for account in (HOUSE, "house:two"):
        with pytest.raises(VacancyTakenError):
            table.apply(TakeVacancy(vacancy, account, "Hal"))


def test_who_left_comes_back_to_a_later_match_and_has_the_seat_at_once(rng: random.Random) -> None:
    table = PureTable(make_options(SERIES))
    vacancy = leave(table)
    table.apply(TakeVacancy(vacancy, HOUSE, "Kitt"))
    assert 0 not in awaited_seats(table.state)
    to_the_next_match(table, rng)
    assert not table.state.seats[0].left
    with pytest.raises(StandInPlaysError):
        seat_to_play(table.state, "ada")
    assert table.apply(Presence("ada", away=False)) == (AwayChanged(0, False, 0),)
    assert seat_to_play(table.state, "ada") == 0
    with pytest.raises(NotSeatedError):
        seat_to_watch(table.state, HOUSE)
    with pytest.raises(UnknownVacancyError):
        table.apply(TakeVacancy(vacancy, HOUSE, "Kitt"))
    assert table.state.seats[0].plays is Occupant.PERSON


def test_a_seat_that_was_left_takes_no_part_in_shuffles() -> None:
    table = PureTable(seats=seated())
    assert awaited_seats(table.state) == {0, 1, 2, 3}
    leave(table)
    assert awaited_seats(table.state) == {1, 2, 3}
    assert ceremony_of(table.state).context.attempt == 0


def test_a_closed_table_grants_no_wish_and_a_decided_one_wants_no_bot(rng: random.Random) -> None:
    table = playing()
    while table.state.match.winner is None:
        table.play(rng)
        if table.state.match.winner is None:
            table.ring()
            table.settle()
    assert leave(table) == ""
    table.ring()
    assert table.state.stage is Stage.CLOSED
    with pytest.raises(TableClosedError):
        table.apply(Ask("bayan", Wish.LEAVE))
    with pytest.raises(NotSeatedError):
        table.apply(Ask("eve", Wish.LEAVE))


def test_a_bot_that_has_left_comes_back_to_the_next_match_as_anybody_does(rng: random.Random) -> None:
    table = PureTable(make_options(SERIES), seats=seated(*PEOPLE, bots=[0]))
    table.settle()
    assert not is_presence(table.state, "ada", away=False)
    table.apply(TakeVacancy(leave(table), HOUSE, "Kitt"))
    to_the_next_match(table, rng)
    with pytest.raises(StandInPlaysError):
        seat_to_play(table.state, "ada")
    assert is_presence(table.state, "ada", away=False)
    table.apply(Presence("ada", away=False))
    assert seat_to_play(table.state, "ada") == 0
    assert not is_presence(table.state, "ada", away=True)


def test_scenario_8_a_match_that_all_have_left_is_played_to_its_end_by_house_bots(rng: random.Random) -> None:
    table = playing()
    for number, account in enumerate(PEOPLE):
        table.apply(TakeVacancy(leave(table, account), f"house:{number}", "Kitt"))
    assert not table.state.is_abandoned
    table.play_on(rng)
    assert (table.state.stage, table.state.match.winner is None) == (Stage.CLOSED, False)
    ended = next(fact.match_ended for entry in table.entries for fact in entry.facts if fact.HasField("match_ended"))
    assert [(seat.account_id, seat.bot) for seat in ended.seats] == [(account, False) for account in PEOPLE]


def test_scenario_8_a_coin_table_that_all_have_left_is_there_for_nobody() -> None:
    """The clock plays on, but laying nothing nobody ever wins; so it is closed like any other that nobody is at."""
    table = playing(stake=50)
    for account in PEOPLE:
        assert not table.state.is_abandoned
        leave(table, account)
    assert table.state.is_abandoned
