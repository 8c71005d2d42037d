"""A result is read from what a table tells, or refused for what makes no sense."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from banakil.events.v1 import facts_pb2 as wire

from services.wallet.facts import read_result
from services.wallet.results import BadResultError, ResultSeat
from shared.codec.errors import MalformedError
from shared.rules.options import make_options
from tests.support.wallet import ENDED_MS, HOUSE_BOT, TABLE_ID, match_ended


def test_a_result_is_read_as_it_was_told() -> None:
    result = read_result(match_ended(target=300))
    assert (result.match_id, result.series_id, result.match_no) == (f"{1:032x}", f"{1:032x}", 1)
    assert result.options == make_options({"preset": "sahrat", "target": 300})
    assert result.seats == (
        ResultSeat("ada", bot=False),
        ResultSeat("bob", bot=False),
        ResultSeat("", bot=True),
        ResultSeat("robo", bot=True),
    )
    assert (result.half_points, result.winner_team, result.last_deal_no) == ((310, -24), 0, 7)
    assert (result.table_id, result.ended_ms) == (TABLE_ID, ENDED_MS)


def test_the_seats_of_a_team_take_turns() -> None:
    result = read_result(match_ended(winner=1))
    assert [result.has_won(seat) for seat in range(4)] == [False, True, False, True]


def _set(name: str, value: object) -> Callable[[wire.Fact], None]:
    return lambda fact: setattr(fact.match_ended, name, value)


@pytest.mark.parametrize(
    "spoil",
    [
        _set("match_id", "f" * 31),
        _set("match_id", "F" * 32),
        _set("series_id", ""),
        _set("match_no", 0),
        _set("match_no", 4),
        _set("winner_team", 2),
        _set("last_deal_no", 0),
        lambda fact: setattr(fact, "table_id", "a table"),
        lambda fact: setattr(fact, "at_ms", 0),
        lambda fact: fact.match_ended.total_half_points.append(1),
        lambda fact: fact.match_ended.total_half_points.__setitem__(0, 2**31 - 1),
        lambda fact: fact.match_ended.seats.pop(),
        lambda fact: fact.match_ended.seats.add(account_id="eve"),
        lambda fact: setattr(fact.match_ended.seats[1], "account_id", "ada"),
        lambda fact: setattr(fact.match_ended.seats[1], "account_id", ""),
        lambda fact: setattr(fact.match_ended.seats[1], "account_id", "a" * 65),
        lambda fact: setattr(fact.match_ended.seats[1], "account_id", "a\0"),
    ],
)
def test_what_makes_no_sense_is_refused(spoil: Callable[[wire.Fact], None]) -> None:
    fact = match_ended()
    spoil(fact)
    with pytest.raises(BadResultError):
        read_result(fact)


def test_rules_that_cannot_be_read_are_refused() -> None:
    fact = match_ended()
    fact.match_ended.options.Clear()
    with pytest.raises(MalformedError):
        read_result(fact)


def test_a_repetition_has_the_digest_of_the_first_whenever_it_comes() -> None:
    first = read_result(match_ended())
    assert read_result(match_ended(fact_id="another", at_ms=ENDED_MS + 9)).digest() == first.digest()


def test_any_other_result_has_another_digest() -> None:
    first = read_result(match_ended())
    others = [
        read_result(match_ended(2)),
        read_result(match_ended(winner=1)),
        read_result(match_ended(totals=(310, -23))),
        read_result(match_ended(seats=(HOUSE_BOT, ("bob", False), ("ada", False), ("robo", True)))),
        read_result(match_ended(seats=(("ada", True), ("bob", False), HOUSE_BOT, ("robo", True)))),
        read_result(match_ended(target=300)),
        replace(first, table_id="another"),
        replace(first, last_deal_no=8),
        replace(first, match_no=2),
        replace(first, series_id="0" * 32),
    ]
    assert len({each.digest() for each in (first, *others)}) == len(others) + 1
