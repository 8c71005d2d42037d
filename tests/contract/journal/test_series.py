"""The record of a series, put together from the journal and then from the archive, on every database."""

import json
import random
from collections.abc import Awaitable, Callable

import pytest

from services.table.due import NeedsReveal
from services.table.events import SeatsSwapped
from services.table.journal import Journal
from services.table.records import find_record
from services.table.refusals import UnknownMatchError, UnknownTableError
from services.table.series_records import find_series
from services.table.state import Stage, TableState
from services.table.swapping import seat_after
from shared.rules.options import make_options
from tests.support.journals import append_all
from tests.support.local_shuffle import NOW_MS
from tests.support.tables import PEOPLE, PureTable, table_id_of

SERIES = make_options({"preset": "banakil202", "target": 50, "format": "best_of_3"})
LATE_MS = NOW_MS + 10**10


def at(*tables: PureTable) -> Callable[[str], Awaitable[TableState]]:
    """Where a table stands, as the process that runs it knows."""

    async def state_of(table_id: str) -> TableState:
        for table in tables:
            if table.state.table_id == table_id:
                return table.state
        raise UnknownTableError

    return state_of


async def test_a_series_is_its_matches_and_who_swapped_and_the_archive_tells_the_same(
    journal: Journal, rng: random.Random
) -> None:
    table = PureTable(SERIES)
    table.play_on(rng)
    await append_all(journal, table)
    series_id = table.state.series_id
    live = await find_series(journal, at(table), series_id)
    record = json.loads(live[0])
    assert live[1]
    assert record["players"] == [name.title() for name in PEOPLE]
    assert len(record["matches"]) == sum(table.state.series.wins)
    events = [event for step in table.steps for event in step.events]
    swapped = {event.team for event in events if isinstance(event, SeatsSwapped)}
    assert [match.get("swapped", []) for match in record["matches"]][:2] == [[], sorted(swapped)]
    assert [table.state.seats[seat_after(events, seat)].account for seat in range(4)] == list(PEOPLE)
    for number, match in enumerate(record["matches"], 1):
        assert {deal["fair"]["match_no"] for deal in match["deals"]} == {number}
        alone, _ = await find_record(journal, at(table), bytes.fromhex(match["deals"][0]["fair"]["match"]))
        assert json.loads(alone)["deals"] == match["deals"]
    assert await journal.archive(LATE_MS, 1) == 1
    assert await find_series(journal, at(), series_id) == live
    for unknown in (table.state.match_id, bytes(16)):
        with pytest.raises(UnknownMatchError):
            await find_series(journal, at(), unknown)


async def test_of_a_series_under_way_what_is_revealed_is_told(journal: Journal, rng: random.Random) -> None:
    table = PureTable(SERIES)
    with pytest.raises(UnknownMatchError):
        await find_series(journal, at(table), table.state.series_id)
    while table.state.stage is not Stage.SWAP:
        table.play(rng)
        table.ring()
    table.settle()
    table.ring()
    table.settle()
    table.withheld = (NeedsReveal,)
    table.play(rng)
    await append_all(journal, table)
    record, complete = await find_series(journal, at(table), table.state.series_id)
    matches = json.loads(record)["matches"]
    assert not complete
    assert len(matches[0]["deals"]) == len({ctx.deal_no for step in table.steps for ctx in step.after.unrevealed})
    assert [match["deals"] for match in matches[1:]] == [[]]
    with pytest.raises(UnknownMatchError):
        await find_series(journal, at(table), table.state.match_id)


async def test_a_single_matchs_series_is_that_match(journal: Journal, rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 50}), table_id=table_id_of(7))
    table.play_on(rng)
    await append_all(journal, table)
    match_id = table.state.match_id
    live = await find_record(journal, at(table), match_id)
    assert await find_series(journal, at(table), match_id) == live
    await journal.archive(LATE_MS, 1)
    assert await find_series(journal, at(), match_id) == live
