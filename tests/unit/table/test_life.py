"""A table's life from seating to closing, as the pure core decides it."""

import random

import pytest

from services.table.ceremony import CeremonyStep
from services.table.commands import NextMatch, Presence, Resume, TakeVacancy
from services.table.decide import match_is_due
from services.table.due import NeedsReveal
from services.table.events import CeremonyBegan, ClockSet, Closed, MatchBegan, ResultShown, Revealed, SeatTaken
from services.table.evolve import ceremony_of
from services.table.refusals import NothingToDoError, TableClosedError, UnknownVacancyError, VacancyTakenError
from services.table.state import RESULT_MS, Occupant, Stage
from shared.kit.clock import Pace
from shared.rules.match import next_starter
from shared.rules.options import SAHRAT, make_options
from tests.support.local_shuffle import LocalShuffle
from tests.support.tables import PureTable, seated

SHORT = {"target": 50}


def test_a_table_of_people_begins_its_first_ceremony_at_once() -> None:
    table = PureTable()
    assert table.state.stage is Stage.CEREMONY
    assert (table.state.deal_no, table.state.revision, table.state.deadline_ms) == (0, 1, None)
    assert ceremony_of(table.state).context.deal_no == 1


def test_a_table_waits_until_the_last_vacancy_is_taken() -> None:
    table = PureTable(seats=seated("ada", "", "cem", ""))
    assert table.state.stage is Stage.SEATING
    assert table.apply(TakeVacancy("vacancy:1", "house:one", "Kitt")) == (
        SeatTaken(1, "house:one", "Kitt", Occupant.HOUSE_BOT),
    )
    assert table.state.stage is Stage.SEATING
    events = table.apply(TakeVacancy("vacancy:3", "house:two", "Hal"))
    assert events[1:] == (CeremonyBegan(1, 0, None),)
    assert [seat.occupant for seat in table.state.seats] == [Occupant.PERSON, Occupant.HOUSE_BOT] * 2
    assert table.state.seats[1].vacancy == "vacancy:1"


def test_a_vacancy_works_once_and_an_account_has_one_seat() -> None:
    table = PureTable(seats=seated("ada", "", "", ""))
    table.apply(TakeVacancy("vacancy:1", "house:one", "Kitt"))
    for vacancy, account in (("vacancy:1", "house:two"), ("vacancy:1", "house:one"), ("vacancy:2", "house:one")):
        with pytest.raises(VacancyTakenError):
            table.apply(TakeVacancy(vacancy, account, "Hal"))
    for vacancy in ("", "vacancy:9", "vacancy:0"):
        with pytest.raises(UnknownVacancyError):
            table.apply(TakeVacancy(vacancy, "house:two", "Hal"))


def test_a_deal_begins_with_the_cards_and_the_starter_of_the_shuffle_and_a_running_clock() -> None:
    table = PureTable(shuffle=LocalShuffle(starter=2))
    table.settle()
    assert table.state.stage is Stage.DEAL
    assert (table.deal.starter, table.deal.turn, table.deal.turn_no) == (2, 2, 1)
    assert table.left_ms == SAHRAT.turn_seconds * 1000


def test_after_a_deal_its_result_is_shown_for_eight_seconds_and_then_the_next_deal_follows(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.play(rng)
    assert table.left_ms == RESULT_MS == 8_000
    assert table.state.last is not None
    assert table.state.last.deal_no == 1
    starter = table.deal.starter
    began = CeremonyBegan(2, 0, next_starter(starter, SAHRAT))
    assert [step.events[-1] for step in table.steps if began in step.events] == [began]
    assert (table.state.stage, ceremony_of(table.state).step) == (Stage.RESULT, CeremonyStep.SETTLED)
    assert table.ring() == (ClockSet(None), ResultShown())
    assert (table.state.stage, table.state.deal, table.state.deadline_ms) == (Stage.CEREMONY, None, None)
    table.settle()
    assert table.state.stage is Stage.DEAL
    assert table.deal.starter == next_starter(starter, SAHRAT)


def test_pace_divides_the_turn_and_the_result(rng: random.Random) -> None:
    table = PureTable(pace=Pace(100))
    table.settle()
    assert table.left_ms == 200
    table.play(rng)
    assert table.left_ms == 80


@pytest.mark.parametrize("preset", ["sahrat", "banakil202"])
@pytest.mark.parametrize("mode", ["partners", "duel"])
def test_a_match_is_played_to_its_end_and_the_table_closes(rng: random.Random, preset: str, mode: str) -> None:
    table = PureTable(make_options({"preset": preset, "mode": mode, **SHORT}))
    table.play_on(rng)
    state = table.state
    assert state.match.winner is not None
    assert state.series.winner == state.match.winner
    assert state.match.deals == state.deal_no
    assert state.unrevealed == ()
    assert [type(event) for event in table.steps[-1].events] == [ClockSet, Closed]
    assert (state.deal, state.deadline_ms) == (None, None)


def test_a_series_gives_each_match_a_fresh_id_and_ends_at_two_wins(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", **SHORT}))
    series_id = table.state.series_id
    table.play_on(rng)
    began = [event.match_id for step in table.steps for event in step.events if isinstance(event, MatchBegan)]
    ids = [series_id, *began]
    assert table.state.match_id == ids[-1]
    assert len(set(ids)) == len(ids) == sum(table.state.series.wins) in (2, 3)
    assert max(table.state.series.wins) == 2
    assert table.state.series_id == series_id
    contexts = {ctx for step in table.steps for ctx in step.after.unrevealed}
    assert {ctx.match_no for ctx in contexts} == set(range(1, len(ids) + 1))
    for ctx in contexts:
        assert (ctx.series, ctx.match) == (series_id, ids[ctx.match_no - 1])


def test_a_later_match_counts_from_nothing_and_its_first_deal_is_number_one(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", **SHORT}))
    to_the_next_match(table, rng)
    assert (table.state.match.totals, table.state.match.deals, table.state.match.winner) == ((0, 0), 0, None)
    assert (table.state.deal_no, table.state.match_no, table.state.stage) == (1, 2, Stage.DEAL)


def test_the_winners_lowest_seat_starts_a_later_match_where_the_host_cut(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", **SHORT}))
    winner = to_the_next_match(table, rng)
    assert table.deal.starter == winner


def test_a_dealer_is_drawn_anew_for_each_match_where_that_is_the_rule(rng: random.Random) -> None:
    """The fair shuffle derives a starter in deal 1 of every such match, and a record with another is refused."""
    table = PureTable(
        make_options({"preset": "sahrat", "format": "best_of_3", **SHORT}), shuffle=LocalShuffle(starter=3)
    )
    to_the_next_match(table, rng)
    assert table.deal.starter == 3


def to_the_next_match(table: PureTable, rng: random.Random) -> int:
    """Plays a series' first match, and on to the second's first turn. The winner of the first."""
    while not match_is_due(table.state):
        table.play(rng)
        table.ring()
    winner = table.state.match.winner
    assert winner is not None
    table.settle()
    return winner


def test_the_next_match_waits_for_the_end_of_the_result_screen(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", **SHORT}))
    while table.state.match.winner is None:
        table.play(rng)
        if table.state.match.winner is None:
            table.ring()
    with pytest.raises(NothingToDoError):
        table.apply(NextMatch(bytes(16)))
    table.ring()
    if table.state.stage is Stage.SWAP:
        with pytest.raises(NothingToDoError):
            table.apply(NextMatch(bytes(16)))
        table.ring()
    assert match_is_due(table.state)
    table.apply(NextMatch(bytes(16)))
    with pytest.raises(NothingToDoError):
        table.apply(NextMatch(bytes(15) + b"1"))


def test_a_closed_table_takes_nothing_more(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", **SHORT}), seats=seated("ada", "", "cem", "dana"))
    table.apply(TakeVacancy("vacancy:1", "house:one", "Kitt"))
    table.play_on(rng)
    for command in (Presence("ada", away=False), Resume(0), NextMatch(bytes(16))):
        with pytest.raises(NothingToDoError):
            table.apply(command)
    with pytest.raises(TableClosedError):
        table.apply(TakeVacancy("vacancy:1", "house:two", "Hal"))


def test_every_secret_is_revealed_once_its_deal_is_over_and_even_after_closing(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", **SHORT}))
    table.withheld = (NeedsReveal,)
    table.play_on(rng)
    assert [ctx.deal_no for ctx in table.state.unrevealed] == list(range(1, table.state.deal_no + 1))
    table.withheld = ()
    table.settle()
    assert table.state.unrevealed == ()
    revealed = [event.deal_no for step in table.steps for event in step.events if isinstance(event, Revealed)]
    assert revealed == list(range(1, table.state.deal_no + 1))
