"""What became of a match: of the present one, of those before it in its series, and of one that nobody knows."""

import random
from functools import partial

from banakil.table.v1 import standing_pb2 as wire

from services.table.commands import Abort, Funded
from services.table.journal import Journal
from services.table.refusals import UnknownTableError
from services.table.standing import FUNDING, PLAYING, UNKNOWN, VOID, match_standing
from services.table.state import MissingStake, Obstacle, TableState
from shared.rules.options import make_options
from tests.support.journals import append_all
from tests.support.tables import PureTable

COINS = {"preset": "sahrat", "mode": "duel", "target": 50, "stake": 25}


async def look(table: PureTable) -> TableState:
    return table.state


async def gone() -> TableState:
    raise UnknownTableError


def won(table: TableState) -> wire.GetMatchStandingResponse:
    assert table.match.winner is not None
    return wire.GetMatchStandingResponse(
        standing=wire.MATCH_STANDING_WON, winner_team=table.match.winner, last_deal_no=table.deal_no
    )


async def test_the_present_match_is_told_as_it_stands(journal: Journal) -> None:
    table = PureTable(make_options(COINS))
    asked = partial(match_standing, journal, partial(look, table), table.state.match_id)
    assert await asked() == FUNDING
    table.apply(Funded(table.state.match_id))
    assert await asked() == PLAYING
    table.settle()
    table.apply(Abort())
    assert await asked() == VOID
    assert await match_standing(journal, partial(look, table), bytes(16)) == UNKNOWN
    assert await match_standing(journal, gone, bytes(16)) == UNKNOWN


async def test_each_match_of_a_series_is_told_as_it_ended(journal: Journal, rng: random.Random) -> None:
    table = PureTable(make_options({**COINS, "format": "best_of_3"}))
    table.play_on(rng)
    await append_all(journal, table)
    ends = {step.after.match_id: step.after for step in table.steps if step.after.match.winner is not None}
    assert len(ends) >= 2
    for match_id, end in ends.items():
        assert await match_standing(journal, partial(look, table), match_id) == won(end)


async def test_a_match_is_won_whose_series_could_not_be_funded_again(journal: Journal, rng: random.Random) -> None:
    table = PureTable(make_options({**COINS, "format": "best_of_3"}))
    while table.state.match.winner is None:
        table.play(rng)
        if table.state.match.winner is None:
            table.ring()
    first = table.state
    table.shuffle.missing = (MissingStake(0, Obstacle.TOO_FEW_COINS),)
    table.play_on(rng)
    await append_all(journal, table)
    assert await match_standing(journal, partial(look, table), first.match_id) == won(first)
    assert await match_standing(journal, partial(look, table), table.state.match_id) == VOID
