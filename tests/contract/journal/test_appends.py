"""What every journal promises its tables: order, once only, fencing, facts in the same transaction, the way back."""

import asyncio
import random

import pytest

from services.table.commands import Presence
from services.table.events import Dealt, Moved
from services.table.journal import CommandTakenError, Entry, FencedError, Journal, JournalError, StoredCommand
from services.table.replaying import replayed
from services.table.state import Stage
from shared.rules import events as rules
from shared.rules.options import make_options
from tests.support.journals import Kept, append_all, loaded
from tests.support.kit import PATIENCE_S
from tests.support.local_shuffle import NOW_MS
from tests.support.play import Temper
from tests.support.tables import TABLE_ID, PureTable, seated, table_id_of


def dealt() -> PureTable:
    table = PureTable()
    table.settle()
    return table


async def test_a_table_that_was_never_made_is_not_there(journal: Journal) -> None:
    assert await journal.load(TABLE_ID) is None
    assert await journal.find_command(TABLE_ID, "create") is None
    assert await journal.live_tables() == []
    assert await journal.match_record(bytes(16)) is None
    assert await journal.last_beat_ms() == 0


async def test_what_could_be_no_id_is_found_nowhere(journal: Journal) -> None:
    """Callers may send any text as an id."""
    await journal.append(PureTable().entries[0])
    for text in ("", "\0", f"{TABLE_ID}\0", "x" * 10_000, "نور", "'"):
        assert await journal.load(text) is None
        assert await journal.find_command(TABLE_ID, text) is None


async def test_a_table_is_at_each_moment_what_its_entries_made(journal: Journal, rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "target": 1000}), seats=seated("ada", "b", "cem", "نور"))
    table.play(rng, Temper(meld=0.6, take=0.6, undo=0.3, timeout=0.1), most=60)
    for entry, step in zip(table.entries, table.steps, strict=True):
        await journal.append(entry)
        if rng.random() < 0.2:
            assert await loaded(journal) == step.after
    assert await loaded(journal) == table.state
    stored = await journal.load(TABLE_ID)
    assert stored is not None
    assert stored.last_ms == table.entries[-1].at_ms


async def test_a_later_deal_is_loaded_from_its_start(journal: Journal, rng: random.Random) -> None:
    """What comes before is not even read, and the table is the same as replayed from its making."""
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    for _ in range(2):
        table.play(rng)
        table.ring()
    table.play(rng, most=30)
    await append_all(journal, table)
    stored = await journal.load(TABLE_ID)
    assert stored is not None
    start = max(number for number, entry in enumerate(table.entries) if Dealt in map(type, entry.events))
    assert stored.start is not None
    assert stored.start.deal_no == 3
    assert [entry.revision for entry in stored.entries] == [entry.revision for entry in table.entries[start + 1 :]]
    assert replayed(stored) == table.state


async def test_the_new_stock_of_a_reshuffle_is_loaded_with_its_order(journal: Journal, rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    while table.state.deal is None or not table.deal.reshuffles_used:
        table.play(rng, Temper(meld=0.0, amend=0.0, take=0.0, mischief=0.0), most=10)
    await append_all(journal, table)
    assert await loaded(journal) == table.state
    reshuffled = [entry for entry in table.entries if Moved in map(type, entry.events) and entry.hidden]
    assert [len(entry.hidden) for entry in reshuffled] == [len(table.deal.stock) + drawn_since(table)]


def drawn_since(table: PureTable) -> int:
    moves = [event.event for step in table.steps for event in step.events if isinstance(event, Moved)]
    last = max(number for number, move in enumerate(moves) if isinstance(move, rules.Reshuffled))
    return sum(isinstance(move, rules.Drew) for move in moves[last:])


async def test_entries_follow_one_another_without_a_gap(journal: Journal) -> None:
    table = dealt()
    first, second, third, *_ = table.entries
    with pytest.raises(FencedError):
        await journal.append(second)
    await journal.append(first)
    with pytest.raises(FencedError):
        await journal.append(third)
    await journal.append(second)
    assert await loaded(journal) == table.steps[1].after


async def test_an_owner_that_has_fallen_behind_appends_nothing(journal: Journal) -> None:
    table = dealt()
    await append_all(journal, table)
    stale = table.entries[1]._replace(command_id="another")
    with pytest.raises(FencedError):
        await journal.append(stale)
    with pytest.raises(FencedError):
        await journal.append(table.entries[0]._replace(command_id="create again"))
    assert await journal.find_command(TABLE_ID, "another") is None
    assert await loaded(journal) == table.state


async def test_a_command_id_is_taken_once_in_a_table_and_free_in_another(journal: Journal) -> None:
    table, other = dealt(), PureTable(table_id=table_id_of(1))
    await append_all(journal, table)
    table.apply(Presence("ada", away=False))
    again = table.entries[-1]._replace(command_id=table.entries[0].command_id)
    with pytest.raises(CommandTakenError):
        await journal.append(again)
    await journal.append(table.entries[-1])
    await journal.append(other.entries[0])
    assert other.entries[0].command_id == table.entries[0].command_id
    assert await loaded(journal) == table.state


async def test_an_applied_command_is_found_however_long_ago_it_was(journal: Journal, rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.play(rng)
    table.ring()
    table.settle()
    await append_all(journal, table)
    for entry in table.entries:
        found = await journal.find_command(TABLE_ID, entry.command_id)
        assert found == StoredCommand(entry.command_digest, entry.revision)
    stored = await journal.load(TABLE_ID)
    assert stored is not None
    assert set(stored.commands) == {entry.command_id for entry in table.entries[-1:]}
    assert await journal.find_command(table_id_of(7), table.entries[0].command_id) is None


async def test_who_does_not_own_the_table_appends_nothing(kept: Kept, journal: Journal) -> None:
    """Neither who owned it before the last claim, nor anybody under an epoch that nobody was given."""
    table = dealt()
    await journal.append(table.entries[0])
    await kept.execute("UPDATE tables SET epoch = 7")
    for epoch in (1, 6, 8):
        with pytest.raises(FencedError):
            await journal.append(table.entries[1]._replace(epoch=epoch))
    assert await loaded(journal) == table.steps[0].after
    await journal.append(table.entries[1]._replace(epoch=7))
    stored = await journal.load(TABLE_ID)
    assert stored is not None
    assert (stored.epoch, replayed(stored)) == (7, table.steps[1].after)


async def test_who_makes_a_table_owns_it(kept: Kept, journal: Journal) -> None:
    for number, owner in enumerate((None, "pod 1")):
        table = PureTable(table_id=table_id_of(number))
        table.settle()
        first, second, *_ = table.entries
        await journal.append(first._replace(owner=owner))
        await journal.append(second)
    assert await kept.rows("SELECT owner, rules_version FROM tables ORDER BY table_id") == [(None, 1), ("pod 1", 1)]


async def test_two_entries_of_one_table_at_once_go_in_one_after_the_other(journal: Journal) -> None:
    table = dealt()
    appends = [journal.append(entry) for entry in table.entries[:3]]
    assert await asyncio.gather(*appends) == [None] * 3
    twice = [journal.append(table.entries[3]) for _ in range(2)]
    answers = await asyncio.gather(*twice, return_exceptions=True)
    assert [type(answer) for answer in answers] == [type(None), FencedError]
    assert await loaded(journal) == table.steps[3].after


async def test_many_tables_at_once_each_have_their_own_answer(journal: Journal) -> None:
    """One that was fenced off and one whose command came before fail alone, in whatever batch they are."""
    tables = [PureTable(table_id=table_id_of(number)) for number in range(40)]
    await asyncio.gather(*(journal.append(table.entries[0]) for table in tables))
    for table in tables:
        table.settle()
    entries: list[Entry] = [table.entries[1] for table in tables]
    entries[7] = tables[7].entries[2]
    entries[23] = entries[23]._replace(command_id=tables[23].entries[0].command_id)
    answers = await asyncio.gather(*map(journal.append, entries), return_exceptions=True)
    assert [type(answer) for answer in answers] == [
        {7: FencedError, 23: CommandTakenError}.get(number, type(None)) for number in range(40)
    ]
    for number, table in enumerate(tables):
        revision = 1 if number in (7, 23) else 2
        assert await loaded(journal, table.state.table_id) == table.steps[revision - 1].after


async def test_an_append_whose_caller_has_gone_away_harms_no_other(journal: Journal) -> None:
    tables = [PureTable(table_id=table_id_of(number)) for number in range(8)]
    appends = [asyncio.ensure_future(journal.append(table.entries[0])) for table in tables]
    await asyncio.sleep(0)
    appends[3].cancel()
    answers = await asyncio.gather(*appends, return_exceptions=True)
    assert [answer for number, answer in enumerate(answers) if number != 3] == [None] * 7
    assert await loaded(journal, tables[3].state.table_id) == tables[3].state


async def test_facts_are_in_the_outbox_with_their_entry_or_not_at_all(kept: Kept, journal: Journal) -> None:
    table = PureTable(seats=seated("ada", "", "", "dana"))
    (entry,) = table.entries
    assert len(entry.facts) == 2
    await journal.append(entry)
    rows = await kept.rows("SELECT message_id, subject, payload, created_ms FROM outbox ORDER BY id")
    assert rows == [
        (fact.fact_id, "banakil.facts.seat_vacated", fact.SerializeToString(), NOW_MS) for fact in entry.facts
    ]
    assert kept.wakes == 1
    fenced = PureTable(table_id=table_id_of(3), seats=seated("ada", "", "cem", "dana"))
    with pytest.raises(JournalError):
        await journal.append(fenced.entries[0]._replace(revision=2))
    assert await kept.rows("SELECT count(*) FROM outbox") == [(2,)]


async def test_the_outbox_is_woken_for_facts_only(kept: Kept, journal: Journal) -> None:
    table = PureTable()
    await journal.append(table.entries[0])
    assert table.entries[0].facts
    woken = kept.wakes
    table.settle()
    for entry in table.entries[1:]:
        assert not entry.facts
        await journal.append(entry)
    assert kept.wakes == woken


async def test_a_table_lives_until_it_is_closed_and_its_last_secret_is_out(
    journal: Journal, rng: random.Random
) -> None:
    table, other = PureTable(make_options({"preset": "sahrat", "target": 50})), PureTable(table_id=table_id_of(1))
    await append_all(journal, other)
    table.play_on(rng)
    for entry, step in zip(table.entries, table.steps, strict=True):
        await journal.append(entry)
        over = step.after.stage is Stage.CLOSED and not step.after.unrevealed
        if over or rng.random() < 0.05:
            assert await journal.live_tables() == sorted([other.state.table_id] + [TABLE_ID] * (not over))
    assert await loaded(journal) == table.state


async def test_the_last_sign_of_life_is_kept(kept: Kept) -> None:
    async with kept.opened() as journal:
        await journal.beat(5)
        await journal.beat(7)
        assert await journal.last_beat_ms() == 7
    async with kept.opened() as journal:
        assert await journal.last_beat_ms() == 7


async def test_what_was_answered_is_there_for_the_next_process(kept: Kept, rng: random.Random) -> None:
    table = PureTable()
    table.play(rng, most=10)
    async with kept.opened() as journal:
        await append_all(journal, table)
    async with kept.opened() as journal:
        assert await loaded(journal) == table.state


async def test_appends_that_came_before_the_end_are_written_and_later_ones_refused(kept: Kept) -> None:
    tables = [PureTable(table_id=table_id_of(number)) for number in range(300)]
    async with kept.opened() as journal:
        appends = [asyncio.ensure_future(journal.append(table.entries[0])) for table in tables]
        await asyncio.sleep(0)
    assert await asyncio.gather(*appends) == [None] * 300
    with pytest.raises(JournalError):
        await asyncio.wait_for(journal.append(PureTable(table_id=table_id_of(999)).entries[0]), PATIENCE_S)
    with pytest.raises(JournalError):
        await asyncio.wait_for(journal.load(TABLE_ID), PATIENCE_S)
