"""A match as its journal tells it: the deals whose secret is out, each with its own actions."""

import random

from services.table.due import NeedsReveal
from services.table.journal import Journal
from shared.rules.options import make_options
from tests.support.journals import append_all
from tests.support.play import Temper
from tests.support.tables import TABLE_ID, PureTable, match_of


async def test_a_match_is_told_by_its_revealed_deals(journal: Journal, rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.withheld = (NeedsReveal,)
    for _ in range(3):
        table.play(rng, Temper(timeout=0.1))
        table.ring()
    await append_all(journal, table)
    match_id = match_of(TABLE_ID)
    found = await journal.match_record(match_id)
    assert found is not None
    assert found[1] == []
    table.withheld = ()
    table.apply(table.shuffle.answer(table.state, NeedsReveal(table.state.unrevealed[0], match_over=False)))
    table.settle()
    await append_all(journal, table)
    found = await journal.match_record(match_id)
    assert found is not None
    told, deals = found
    assert told.table_id == TABLE_ID
    assert [deal.deal_no for deal in deals] == [1, 2, 3]
    for deal in deals:
        actions = [entry.action for entry in table.entries if entry.action and entry.deal_no == deal.deal_no]
        assert list(deal.actions) == actions
        assert f'"deal_no": {deal.deal_no}' in deal.fair_json


async def test_a_secret_revealed_after_the_next_match_began_belongs_to_its_own_match(
    journal: Journal, rng: random.Random
) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", "target": 50}))
    table.withheld = (NeedsReveal,)
    first_match = table.state.match_id
    while table.state.match_id == first_match:
        table.play(rng)
        table.ring()
        table.settle()
    owed = [ctx.deal_no for ctx in table.state.unrevealed]
    assert owed
    table.withheld = ()
    table.settle()
    await append_all(journal, table)
    found = await journal.match_record(first_match)
    assert found is not None
    assert found[0].match_id == first_match
    assert [deal.deal_no for deal in found[1]] == owed
    later = await journal.match_record(table.state.match_id)
    assert later is not None
    assert (later[0].match_id, later[1]) == (table.state.match_id, [])


async def test_of_a_match_with_no_card_dealt_there_is_nothing_to_tell(journal: Journal) -> None:
    table = PureTable()
    await append_all(journal, table)
    assert await journal.match_record(match_of(TABLE_ID)) is None
    assert await journal.table_of(match_of(TABLE_ID)) == TABLE_ID


async def test_a_match_that_was_never_played_is_unknown(journal: Journal) -> None:
    await append_all(journal, PureTable())
    assert await journal.match_record(bytes(16)) is None
    assert await journal.table_of(bytes(16)) is None
