"""Of a table that is over the records of its matches are kept; after a further time nothing is."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from services.table.archiving import BATCH, Archiving, Keep
from services.table.due import NeedsReveal
from services.table.journal import FencedError, Journal
from services.table.records import record_json
from shared.kit.clock import VirtualClock
from shared.rules.options import make_options
from tests.support.journals import Kept, append_all, loaded
from tests.support.local_shuffle import NOW_MS
from tests.support.tables import PureTable, table_id_of

SHORT = make_options({"preset": "sahrat", "mode": "duel", "target": 50})
SERIES = make_options({"preset": "banakil202", "mode": "duel", "target": 50, "format": "best_of_3"})
LATE_MS = NOW_MS + 10**10


def played(rng: random.Random, number: int, *, series: bool = False) -> PureTable:
    table = PureTable(SERIES if series else SHORT, table_id=table_id_of(number))
    table.play_on(rng)
    return table


async def append_each(journal: Journal, tables: Sequence[PureTable]) -> None:
    """All at once, which share their commits."""
    await asyncio.gather(*(append_all(journal, table) for table in tables))


async def records_of(journal: Journal, table: PureTable) -> dict[bytes, str]:
    records = {}
    for match_id in {entry.match_id for entry in table.entries}:
        found = await journal.match_record(match_id)
        assert found is not None
        records[match_id] = record_json(*found)
    return records


async def test_a_table_that_is_over_becomes_the_records_of_its_matches(
    kept: Kept, journal: Journal, rng: random.Random
) -> None:
    table, going_on = played(rng, 0, series=True), PureTable(table_id=table_id_of(1))
    going_on.settle()
    await append_each(journal, [table, going_on])
    records = await records_of(journal, table)
    assert len(records) in (2, 3)
    assert await journal.archive(LATE_MS, 10) == 1
    assert {match_id: await journal.archived(match_id) for match_id in records} == records
    for match_id in records:
        assert await journal.table_of(match_id) is None
        assert await journal.match_record(match_id) is None
    assert await journal.load(table.state.table_id) is None
    assert await journal.find_command(table.state.table_id, table.entries[0].command_id) is None
    assert await kept.rows("SELECT DISTINCT table_id FROM entries") == [(going_on.state.table_id,)]
    assert await loaded(journal, going_on.state.table_id) == going_on.state
    assert await journal.archived(going_on.state.match_id) is None
    assert await journal.archive(LATE_MS, 10) == 0


async def test_no_table_is_archived_early_nor_while_a_secret_of_it_is_owed(
    journal: Journal, rng: random.Random
) -> None:
    over, owing = played(rng, 0), PureTable(SHORT, table_id=table_id_of(1))
    owing.withheld = (NeedsReveal,)
    owing.play_on(rng)
    await append_each(journal, [over, owing])
    assert await journal.archive(over.entries[-1].at_ms - 1, 10) == 0
    assert await journal.archive(over.entries[-1].at_ms, 10) == 1
    assert await journal.archive(LATE_MS, 10) == 0
    owing.withheld = ()
    owing.settle()
    await append_all(journal, owing)
    assert await journal.archive(LATE_MS, 10) == 1


async def test_so_many_tables_at_once_the_oldest_first(journal: Journal, rng: random.Random) -> None:
    tables = [played(rng, number) for number in range(4)]
    for number, table in enumerate(tables):
        last = table.entries[-1]
        table.entries[-1] = last._replace(at_ms=last.at_ms + 10**6 * (3 - number))
    await append_each(journal, tables)
    assert [await journal.archive(LATE_MS, 3) for _ in range(3)] == [3, 1, 0]
    assert await journal.archive(LATE_MS, 3) == 0


async def test_an_archived_table_cannot_be_made_again_nor_written_to(journal: Journal, rng: random.Random) -> None:
    table = played(rng, 0)
    await append_all(journal, table)
    await journal.archive(LATE_MS, 1)
    last = table.entries[-1]
    for entry in (table.entries[0], last._replace(revision=last.revision + 1, command_id="late")):
        with pytest.raises(FencedError):
            await journal.append(entry)
    assert await journal.live_tables() == []
    assert await journal.load(table.state.table_id) is None


async def test_a_table_that_cannot_be_read_is_left_as_it_is_and_keeps_no_other_back(
    kept: Kept, journal: Journal, rng: random.Random
) -> None:
    broken, sound = played(rng, 0), played(rng, 1)
    await append_each(journal, [broken, sound])
    spoil = "UPDATE entries SET events = 'spoilt' WHERE table_id = :table AND action = ''"
    await kept.execute(spoil, table=broken.state.table_id)
    assert await journal.archive(LATE_MS, 10) == 2
    assert await journal.archived(sound.state.match_id) is not None
    assert await journal.archived(broken.state.match_id) is None
    assert await kept.rows("SELECT DISTINCT table_id FROM entries") == [(broken.state.table_id,)]
    assert await journal.archive(LATE_MS, 10) == 0


async def test_two_processes_that_archive_at_once_make_each_record_once(
    kept: Kept, journal: Journal, rng: random.Random
) -> None:
    tables = [played(rng, number) for number in range(6)]
    await append_each(journal, tables)
    records = [await records_of(journal, table) for table in tables]
    async with kept.opened() as other:
        while any(await asyncio.gather(*(one.archive(LATE_MS, 4) for one in (journal, other) * 2))):
            pass
    for record in records:
        assert {match_id: await journal.archived(match_id) for match_id in record} == record
    assert await kept.rows("SELECT count(*) FROM archives") == [(6,)]


async def test_the_work_is_done_in_batches_and_records_are_forgotten_after_their_time(
    kept: Kept, journal: Journal, rng: random.Random
) -> None:
    table, clock = played(rng, 0), VirtualClock(NOW_MS)
    last = table.entries[-1].at_ms
    await append_all(journal, table)
    for number in range(1, BATCH + 5):  # tables that were archived long ago
        await kept.execute(
            "INSERT INTO tables (table_id, epoch, revision, live) VALUES (:id, 1, 9, FALSE)", id=table_id_of(number)
        )
        await kept.execute(
            "INSERT INTO archives (match_id, table_id, ended_ms, record) VALUES (:id, :table, 5, '{}')",
            id=f"{number:032}", table=table_id_of(number),
        )  # fmt: skip
    archiving = Archiving(journal, kept.database.turn, clock, Keep(60_000, 3_600_000))
    clock.advance(max(0, last - clock.now_ms()) + 59_999)
    await archiving.look()
    assert await journal.load(table.state.table_id) is not None
    assert await kept.rows("SELECT count(*) FROM tables") == [(1,)]
    assert await kept.rows("SELECT count(*) FROM archives") == [(0,)]
    clock.advance(1)
    await archiving.look()
    assert await journal.load(table.state.table_id) is None
    assert await journal.archived(table.state.match_id) is not None
    clock.advance(3_540_000)
    await archiving.look()
    assert await journal.archived(table.state.match_id) is None
    assert await kept.rows("SELECT count(*) FROM tables") == [(0,)]
