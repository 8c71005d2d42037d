"""Results are kept alike on every database: each match's once, with its people's counts."""

import asyncio

import pytest
from banakil.events.v1 import facts_pb2 as wire

from services.wallet.app import MIGRATIONS
from services.wallet.days import Days
from services.wallet.facts import FactHandler, read_result
from services.wallet.grants import Grants
from services.wallet.ledger import Ledger
from services.wallet.store import ModeStats, OtherResultError, Results
from shared.codec.facts import fact_subject
from shared.kit.clock import VirtualClock
from shared.kit.database import Database
from shared.kit.inbox import Fact
from shared.kit.migrations import migrate
from tests.support.purses import SIZES
from tests.support.wallet import HOUSE_BOT, match_ended

CLOCK = VirtualClock()


@pytest.fixture
async def results(database: Database) -> Results:
    await migrate(database, MIGRATIONS)
    return Results(database)


class Taker:
    """Takes facts in as the inbox does, each in a transaction of its own."""

    def __init__(self, database: Database, results: Results) -> None:
        self._database = database
        grants = Grants(Ledger(database, CLOCK), CLOCK, Days(180), SIZES)
        self._handler = FactHandler(results, grants)

    async def take(self, fact: wire.Fact) -> bool:
        """Whether it had an effect."""
        arrived = Fact(fact_subject(fact), fact.fact_id, fact.SerializeToString())
        async with self._database.transaction() as connection:
            after = await self._handler.take_in(connection, arrived)
        if after is not None:
            after()
        return after is not None


@pytest.fixture
def taker(database: Database, results: Results) -> Taker:
    return Taker(database, results)


async def test_a_result_is_found_as_it_was_told(taker: Taker, results: Results) -> None:
    fact = match_ended(target=300, discard_seconds=9)
    assert await results.find(fact.match_ended.match_id) is None
    assert await taker.take(fact)
    assert await results.find(fact.match_ended.match_id) == read_result(fact)


async def test_people_are_counted_and_bots_are_not(taker: Taker, results: Results) -> None:
    await taker.take(match_ended(1, winner=0))
    await taker.take(match_ended(2, winner=1))
    await taker.take(match_ended(3, winner=0))
    assert await results.stats("ada") == [ModeStats("sahrat", "partners", 3, 2)]
    assert await results.stats("bob") == [ModeStats("sahrat", "partners", 3, 1)]
    assert await results.stats("robo") == await results.stats("") == await results.stats("nobody") == []


async def test_each_rule_set_and_mode_is_counted_apart(taker: Taker, results: Results) -> None:
    duel = (("ada", False), HOUSE_BOT)
    await taker.take(match_ended(1))
    await taker.take(match_ended(2, duel, mode="duel", winner=1))
    await taker.take(match_ended(3, duel, mode="duel", target=300))
    await taker.take(match_ended(4, preset="banakil202"))
    assert await results.stats("ada") == [
        ModeStats("banakil202", "partners", 1, 1),
        ModeStats("sahrat", "duel", 2, 1),
        ModeStats("sahrat", "partners", 1, 1),
    ]


async def test_scenario_5_an_end_that_is_told_again_counts_once_under_whatever_id(
    taker: Taker, results: Results
) -> None:
    assert await taker.take(match_ended())
    for again in (match_ended(), match_ended(fact_id="another"), match_ended(fact_id="late", at_ms=2**40)):
        assert not await taker.take(again)
    assert await results.stats("ada") == [ModeStats("sahrat", "partners", 1, 1)]


async def test_scenario_5_ends_that_are_told_at_once_count_once(taker: Taker, results: Results) -> None:
    effects = await asyncio.gather(*(taker.take(match_ended(fact_id=f"{n}")) for n in range(8)))
    assert sorted(effects) == [False] * 7 + [True]
    assert await results.stats("ada") == [ModeStats("sahrat", "partners", 1, 1)]


async def test_a_second_result_of_a_match_is_refused_and_the_first_stays(taker: Taker, results: Results) -> None:
    await taker.take(match_ended(winner=0))
    with pytest.raises(OtherResultError):
        await taker.take(match_ended(winner=1, fact_id="another"))
    kept = await results.find(f"{1:032x}")
    assert kept is not None
    assert kept.winner_team == 0
    assert await results.stats("bob") == [ModeStats("sahrat", "partners", 1, 0)]


async def test_matches_that_share_players_in_any_order_end_at_once(taker: Taker, results: Results) -> None:
    forward = tuple((name, False) for name in ("ada", "bob", "cy", "dee"))
    facts = [match_ended(n, forward if n % 2 else forward[::-1]) for n in range(1, 21)]
    assert await asyncio.gather(*map(taker.take, facts)) == [True] * 20
    for name, _ in forward:
        assert [(stats.played, stats.won) for stats in await results.stats(name)] == [(20, 10)]


async def test_other_facts_have_no_effect(taker: Taker) -> None:
    assert not await taker.take(wire.Fact(fact_id="1", table_closed=wire.TableClosed()))
    assert not await taker.take(wire.Fact(fact_id="2", deal_ended=wire.DealEnded(match_id=f"{1:032x}")))
