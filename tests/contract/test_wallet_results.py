"""Results are kept alike on every database: each match's once, with its people's counts."""

import pytest
from banakil.events.v1 import facts_pb2 as wire

from services.wallet.facts import read_result
from services.wallet.store import OtherResultError
from tests.support.wallet import HOUSE_BOT, TABLE_ID, Scoring, match_ended


async def test_a_result_is_found_as_it_was_told(scoring: Scoring) -> None:
    fact = match_ended(target=300, discard_seconds=9)
    assert await scoring.scores.results.find(fact.match_ended.match_id) is None
    assert await scoring.take(fact)
    assert await scoring.scores.results.find(fact.match_ended.match_id) == read_result(fact)


async def test_people_are_counted_and_bots_are_not(scoring: Scoring) -> None:
    await scoring.take(match_ended(1, winner=0))
    await scoring.take(match_ended(2, winner=1))
    await scoring.take(match_ended(3, winner=0))
    assert await scoring.counts("ada") == [("sahrat", "partners", 3, 2)]
    assert await scoring.counts("bob") == [("sahrat", "partners", 3, 1)]
    assert await scoring.counts("robo") == await scoring.counts("") == await scoring.counts("nobody") == []


async def test_each_rule_set_and_mode_is_counted_apart(scoring: Scoring) -> None:
    duel = (("ada", False), HOUSE_BOT)
    await scoring.take(match_ended(1))
    await scoring.take(match_ended(2, duel, mode="duel", winner=1))
    await scoring.take(match_ended(3, duel, mode="duel", target=300))
    await scoring.take(match_ended(4, preset="banakil202"))
    assert await scoring.counts("ada") == [
        ("banakil202", "partners", 1, 1),
        ("sahrat", "duel", 2, 1),
        ("sahrat", "partners", 1, 1),
    ]


async def test_scenario_5_an_end_that_is_told_again_counts_once_under_whatever_id(scoring: Scoring) -> None:
    assert await scoring.take(match_ended())
    for again in (match_ended(), match_ended(fact_id="another"), match_ended(fact_id="late", at_ms=2**40)):
        assert not await scoring.take(again)
    assert await scoring.counts("ada") == [("sahrat", "partners", 1, 1)]


async def test_scenario_5_ends_that_are_told_at_once_count_once(scoring: Scoring) -> None:
    effects = await scoring.take_all(match_ended(fact_id=f"{n}") for n in range(8))
    assert sorted(effects) == [False] * 7 + [True]
    assert await scoring.counts("ada") == [("sahrat", "partners", 1, 1)]


async def test_a_second_result_of_a_match_is_refused_and_the_first_stays(scoring: Scoring) -> None:
    await scoring.take(match_ended(winner=0))
    with pytest.raises(OtherResultError):
        await scoring.take(match_ended(winner=1, fact_id="another"))
    kept = await scoring.scores.results.find(f"{1:032x}")
    assert kept is not None
    assert kept.winner_team == 0
    assert await scoring.counts("bob") == [("sahrat", "partners", 1, 0)]


async def test_matches_that_share_players_in_any_order_end_at_once(scoring: Scoring) -> None:
    forward = tuple((name, False) for name in ("ada", "bob", "cy", "dee"))
    facts = [match_ended(n, forward if n % 2 else forward[::-1]) for n in range(1, 21)]
    assert await scoring.take_all(facts) == [True] * 20
    for name, _ in forward:
        assert await scoring.counts(name) == [("sahrat", "partners", 20, 10)]


async def test_other_facts_have_no_effect(scoring: Scoring) -> None:
    assert not await scoring.take(wire.Fact(fact_id="1", table_id=TABLE_ID, table_closed=wire.TableClosed()))
    assert not await scoring.take(wire.Fact(fact_id="2", deal_ended=wire.DealEnded(match_id=f"{1:032x}")))
