"""The facts of a table's life: each once, public, and with an id that its repetition shares."""

import random

import pytest
from banakil.events.v1.facts_pb2 import Fact

from services.table.commands import Ask, TakeVacancy, Wish
from services.table.events import SeatLeft
from services.table.facts import facts_of
from services.table.stored import read_seat, write_seat
from services.table.wire import write_view
from shared.codec.facts import fact_subject
from shared.rules.options import make_options
from tests.support.local_shuffle import NOW_MS
from tests.support.tables import TABLE_ID, PureTable, seated


def facts(table: PureTable) -> list[Fact]:
    return [fact for entry in table.entries for fact in entry.facts]


def kinds(table: PureTable) -> list[str]:
    return [str(fact.WhichOneof("fact")) for fact in facts(table)]


def test_each_vacant_seat_is_told_of_with_the_id_that_it_may_be_taken_by() -> None:
    table = PureTable(seats=seated("ada", "", "cem", ""))
    assert kinds(table) == ["seat_vacated", "seat_vacated"]
    assert [(fact.seat_vacated.seat, fact.seat_vacated.vacancy_id) for fact in facts(table)] == [
        (1, "vacancy:1"),
        (3, "vacancy:3"),
    ]


def test_bots_play_vacant_seats_as_well_as_was_wished_and_a_players_place_as_is_usual() -> None:
    seats = seated("ada", "", "cem", "robo", bots=[3])
    table = PureTable(seats=[*seats[:1], seats[1]._replace(bot_level=5), *seats[2:]])
    table.apply(TakeVacancy("vacancy:1", "house:one", "Moza"))
    (left,) = table.apply(Ask("cem", Wish.LEAVE))
    assert isinstance(left, SeatLeft)
    levels = [fact.seat_vacated.bot_level for fact in facts(table) if fact.HasField("seat_vacated")]
    assert levels == [5, 0]
    table.apply(TakeVacancy(left.vacancy, "house:two", "Noura"))
    assert [seat.bot_level for seat in write_view(table.state, None).seats] == [0, 5, 3, 0]
    assert [read_seat(write_seat(seat)) for seat in table.state.seats] == list(table.state.seats)
    assert read_seat(["", "", "vacant", "vacancy:1"]) == seats[1]  # as it was written before there were levels


def test_a_match_starts_for_others_when_all_are_seated() -> None:
    table = PureTable(seats=seated("ada", "", "cem", "robo", bots=[3]))
    table.apply(TakeVacancy("vacancy:1", "house:one", "Kitt"))
    assert kinds(table) == ["seat_vacated", "match_started"]
    seats = facts(table)[-1].match_started.seats
    assert [(seat.account_id, seat.display_name, seat.bot) for seat in seats] == [
        ("ada", "Ada", False),
        ("", "Kitt", True),
        ("cem", "Cem", False),
        ("robo", "Robo", True),
    ]


@pytest.mark.parametrize("options", [{"format": "single"}, {"format": "best_of_3"}], ids=str)
def test_a_series_is_told_in_order_and_every_deal_and_match_once(options: dict[str, str], rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "target": 50, **options}))
    table.play_on(rng)
    told = [kind for kind in kinds(table) if kind != "deal_ended"]
    matches = sum(table.state.series.wins)
    assert told == ["match_started", "match_ended"] * matches + ["table_closed"]
    ended = [fact.match_ended for fact in facts(table) if fact.HasField("match_ended")]
    assert [fact.match_no for fact in ended] == list(range(1, matches + 1))
    assert len({fact.match_id for fact in ended}) == matches
    deals = [fact.deal_ended for fact in facts(table) if fact.HasField("deal_ended")]
    assert [deal.deal_no for deal in deals if deal.match_id == ended[-1].match_id] == list(
        range(1, ended[-1].last_deal_no + 1)
    )


def test_the_totals_that_a_match_ends_with_are_the_sums_of_its_deals(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 100}))
    table.play_on(rng)
    teams = [fact.deal_ended.team_half_points for fact in facts(table) if fact.HasField("deal_ended")]
    (ended,) = [fact.match_ended for fact in facts(table) if fact.HasField("match_ended")]
    assert list(ended.total_half_points) == [sum(team) for team in zip(*teams, strict=True)]
    assert ended.total_half_points[ended.winner_team] >= 200


def test_ids_differ_and_are_the_same_when_a_step_is_told_again(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", "target": 50}))
    table.play_on(rng)
    ids = [fact.fact_id for fact in facts(table)]
    assert len(set(ids)) == len(ids)
    again = [fact for step, entry in zip(table.steps, table.entries, strict=True)
             for fact in facts_of(step, entry.at_ms)]  # fmt: skip
    assert again == facts(table)


def test_every_fact_says_when_and_of_which_table_and_has_a_subject(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 50}))
    table.play_on(rng)
    for fact in facts(table):
        assert fact.table_id == TABLE_ID
        assert NOW_MS <= fact.at_ms <= table.now_ms
        assert fact_subject(fact) == f"banakil.facts.{fact.WhichOneof('fact')}"
        assert len(fact.SerializeToString()) < 2_000
