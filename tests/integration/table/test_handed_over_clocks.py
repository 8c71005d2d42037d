"""Every timed rule while a process hands its table over in the last millisecond: never early, and once (R9.4).

Graces begin anew then: test_graces.py.
"""

import random
from collections.abc import Callable

import pytest

from services.table.ceremony import CUT_MS
from services.table.commands import Ask, Wish
from services.table.pausing import PAUSE_MS
from services.table.sole_ownership import BEAT_MS
from services.table.state import RESULT_MS, Stage, TableState
from services.table.swapping import SWAP_MS
from shared.rules.options import make_options
from tests.support.journals import Kept, append_all
from tests.support.table_process import TableProcess
from tests.support.tables import PEOPLE, PureTable
from tests.unit.table.test_shuffling import CUTTING
from tests.unit.table.test_shuffling import at as at_step

OUTAGE_MS = 45_000
SERIES = {"preset": "banakil202", "format": "best_of_3", "target": 50}


def turn(_: random.Random) -> PureTable:
    table = PureTable()
    table.settle()
    return table


def discard(rng: random.Random) -> PureTable:
    table = turn(rng)
    table.ring()
    return table


def cut(_: random.Random) -> PureTable:
    return at_step(CUTTING, options=make_options({"preset": "banakil202"}))


def cut_in_a_duel(_: random.Random) -> PureTable:
    return at_step(CUTTING, options=make_options({"preset": "banakil202", "mode": "duel"}))


def result(rng: random.Random) -> PureTable:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.settle()
    table.play(rng)
    table.settle()
    assert table.state.stage is Stage.RESULT
    return table


def swap(rng: random.Random) -> PureTable:
    table = PureTable(make_options(SERIES))
    while table.state.stage is not Stage.SWAP:
        table.play(rng)
        table.ring()
    table.settle()
    return table


def pause(_: random.Random) -> PureTable:
    table = PureTable(private=True)
    table.settle()
    for account in PEOPLE:
        table.apply(Ask(account, Wish.PAUSE))
    return table


def due_ms(state: TableState) -> int | None:
    """When the clock that runs is out: the pause's, the cut's, or the table's own."""
    if state.pause.until_ms:
        return state.pause.until_ms
    ceremony = state.next_fair
    if state.stage is Stage.CEREMONY and ceremony is not None and ceremony.step is CUTTING:
        return ceremony.deadline_ms
    return state.deadline_ms


def moment_of(state: TableState) -> tuple[object, ...]:
    """Where a match stands."""
    return state.stage, state.match_no, state.deal_no, state.pause, None if state.deal is None else state.deal.time_up


async def left_ms(process: TableProcess) -> int:
    until_ms = due_ms(await process.state())
    assert until_ms is not None
    return until_ms - process.clock.now_ms()


def process_of(kept: Kept, table: PureTable, now_ms: int) -> TableProcess:
    process = TableProcess(kept, table.shuffle, now_ms=now_ms, beats=True)
    process.cuts = False
    return process


async def ended(process: TableProcess, *, killed: bool) -> int:
    """It lets go of the table, or dies; the moment at which the next one begins."""
    await (process.kill() if killed else process.stop())
    return process.clock.now_ms() + OUTAGE_MS


@pytest.mark.parametrize("killed", [False, True], ids=["handed over", "killed"])
@pytest.mark.parametrize(
    ("begun", "whole_ms"),
    [
        (turn, 20_000),
        (discard, 5_000),
        (cut, CUT_MS),
        (cut_in_a_duel, CUT_MS),
        (result, RESULT_MS),
        (swap, SWAP_MS),
        (pause, PAUSE_MS),
    ],
)
async def test_what_is_left_of_a_clock_is_handed_over_and_it_rings_then_and_once(
    kept: Kept, rng: random.Random, begun: Callable[[random.Random], PureTable], whole_ms: int, killed: bool
) -> None:
    table = begun(rng)
    async with kept.opened() as journal:
        await append_all(journal, table)
    async with process_of(kept, table, table.now_ms) as process:
        assert await left_ms(process) == whole_ms
        await process.pass_time(whole_ms - 1)
        now_ms = await ended(process, killed=killed)
    async with process_of(kept, table, now_ms) as process:
        left = await left_ms(process)
        assert 1 <= left <= 1 + BEAT_MS
        before = due_ms(await process.state())
        await process.pass_time(left - 1)
        assert due_ms(await process.state()) == before
        await process.pass_time(1)
        after = await process.state()
        assert due_ms(after) != before
        now_ms = await ended(process, killed=killed)
    async with process_of(kept, table, now_ms) as process:
        assert moment_of(await process.state()) == moment_of(after)
