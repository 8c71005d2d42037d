"""The tables of a process: made once, loaded once, let go when over, and sent elsewhere when the process stops."""

import asyncio
import random

import pytest

from services.table.commands import Play, Presence
from services.table.due import NeedsReveal
from services.table.refusals import (
    DrainingError,
    OverloadedError,
    TableClosedError,
    UnknownTableError,
)
from services.table.sole_ownership import BEAT_MS
from services.table.state import Stage
from services.table.tables import Tables
from services.table.watching import HEARTBEAT_MS
from shared.kit.clock import Pace
from shared.rules.actions import Draw
from shared.rules.options import make_options
from tests.support.journals import Kept
from tests.support.kit import PATIENCE_S
from tests.support.table_process import TableProcess, play_to_the_end, throw
from tests.support.tables import TABLE_ID, creation, table_id_of


async def test_a_table_that_is_not_there_is_unknown_and_leaves_nothing_behind(process: TableProcess) -> None:
    for number in range(50):
        for question in (process.tables.get, process.tables.state_of):
            with pytest.raises(UnknownTableError):
                await question(table_id_of(number))
    assert process.tables.all() == []
    assert len(process.tables._locks) == 0


async def test_a_closed_table_is_let_go_and_still_answers(kept: Kept, rng: random.Random) -> None:
    async with TableProcess(kept, beats=True) as process:
        await play_to_the_end(process, rng)
        await process.pass_time(HEARTBEAT_MS + BEAT_MS)
        assert process.tables.all() == []
        await answers_as_closed(process)
        await process.pass_time(HEARTBEAT_MS + BEAT_MS)
        assert process.tables.all() == []
    async with TableProcess(kept, beats=True) as process:
        assert process.tables.all() == []
        await answers_as_closed(process)


async def answers_as_closed(process: TableProcess) -> None:
    assert (await process.state()).stage is Stage.CLOSED
    assert await asyncio.wait_for(process.tables.create(TABLE_ID, creation(), b"made"), PATIENCE_S) == 1
    with pytest.raises(TableClosedError):
        await asyncio.wait_for(process.tables.submit(TABLE_ID, Play("ada", 1, 1, Draw(0)), "late", b""), PATIENCE_S)


async def test_a_table_goes_on_after_closing_until_its_secrets_are_out(
    beating: TableProcess, rng: random.Random
) -> None:
    beating.shuffle.hold(NeedsReveal)
    await play_to_the_end(beating, rng)
    await beating.pass_time(HEARTBEAT_MS + BEAT_MS)
    assert len(beating.tables.all()) == 1
    beating.shuffle.release(NeedsReveal)
    await beating.settle()
    assert (await beating.state()).unrevealed == ()
    await beating.pass_time(HEARTBEAT_MS + BEAT_MS)
    assert beating.tables.all() == []


async def test_what_is_late_is_asked_for_once_and_what_no_longer_matters_not_at_all(
    process: TableProcess, rng: random.Random
) -> None:
    process.shuffle.hold(NeedsReveal)
    await process.make(make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 5}))
    for _ in range(60):
        await process.ring()
        if (await process.state()).stage is Stage.RESULT:
            break
    before = len(process.shuffle.asked)
    await process.ring()
    await process.settle()
    kinds = [type(due) for due in process.shuffle.asked[before:]]
    assert kinds.count(NeedsReveal) <= 1


async def test_when_a_process_lets_go_a_command_in_hand_is_answered_and_all_others_sent_elsewhere(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        actor = await process.make()
        state = actor.state
        in_hand = asyncio.ensure_future(process.act(throw(state)))
        behind = [asyncio.ensure_future(actor.submit(Presence("ada", away=False), f"p:{n}", b"")) for n in range(3)]
        for _ in range(3):
            await asyncio.sleep(0)
        await process.stop()
        answers = await asyncio.wait_for(asyncio.gather(in_hand, *behind, return_exceptions=True), PATIENCE_S)
        assert answers[0] == state.revision + 1
        assert {type(answer) for answer in answers[1:]} == {DrainingError}
        another = Presence("ada", away=False)
        with pytest.raises(DrainingError):
            await asyncio.wait_for(process.tables.submit(TABLE_ID, another, "late", b""), PATIENCE_S)
        with pytest.raises(DrainingError):
            await asyncio.wait_for(process.tables.create(table_id_of(1), creation(), b""), PATIENCE_S)
    async with TableProcess(kept) as process:
        assert (await process.state()).deal == actor.state.deal != state.deal


async def test_a_race_to_make_and_to_load_a_table_ends_in_one_table(process: TableProcess) -> None:
    """A client may ask for a table whose making is not answered yet: nobody may run it twice."""

    async def ask() -> object:
        while True:
            try:
                return (await process.tables.get(TABLE_ID)).actor
            except UnknownTableError:
                await asyncio.sleep(0)

    found = asyncio.gather(ask(), ask())
    await process.tables.create(TABLE_ID, creation(), b"made")
    actors = {id(actor) for actor in await found}
    assert actors == {id(await process.actor())}
    await process.settle()
    assert (await process.state()).stage is Stage.DEAL


async def test_no_table_is_made_while_the_facts_of_others_cannot_be_told(process: TableProcess) -> None:
    room = [False]
    tables = Tables(process.journal, process.clock, Pace(), process.shuffle.ask, lambda: room[0])
    with pytest.raises(OverloadedError):
        await tables.create(TABLE_ID, creation(), b"made")
    assert await process.journal.load(TABLE_ID) is None
    room[0] = True
    assert await tables.create(TABLE_ID, creation(), b"made") == 1
    await tables.stop()
