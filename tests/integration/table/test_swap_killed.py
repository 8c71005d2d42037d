"""The swap of seats on a real journal: processes that are killed or stopped between any two of its steps."""

import random
import uuid

import pytest
from banakil.table.v1.table_pb2 import WatchResponse

from services.table.commands import Ask, Wish
from services.table.state import Seat, Stage, TeamSwap
from services.table.swapping import SWAP_MS
from services.table.watching import StreamWatcher
from shared.rules.options import make_options
from tests.support.journals import Kept, append_all
from tests.support.table_process import TableProcess
from tests.support.tables import PEOPLE, TABLE_ID, PureTable

SERIES = make_options({"preset": "banakil202", "format": "best_of_3", "target": 50})
OUTAGE_MS = 45_000


@pytest.fixture
async def swapping(kept: Kept, rng: random.Random) -> PureTable:
    """A table at which seats may be swapped, in its journal."""
    table = PureTable(SERIES)
    while table.state.stage is not Stage.SWAP:
        table.play(rng)
        table.ring()
    table.settle()
    async with kept.opened() as journal:
        await append_all(journal, table)
    return table


def accounts(seats: tuple[Seat, ...]) -> list[str]:
    return [seat.account for seat in seats]


async def wish(process: TableProcess, account: str, command_id: str = "") -> int:
    return await process.tables.submit(TABLE_ID, Ask(account, Wish.SWAP), command_id or str(uuid.uuid4()), b"swap")


async def watch(process: TableProcess, seat: int) -> StreamWatcher:
    table = await process.live()
    watcher = StreamWatcher(seat, table.state.seats[seat].account)
    table.watchers.open(table.state, table.actor.ring, watcher, 0)
    return watcher


async def last_snapshot(watcher: StreamWatcher) -> WatchResponse:
    updates = watcher.updates()
    while True:
        update = WatchResponse.FromString(await anext(updates))
        if watcher.is_idle:
            return update


async def test_a_swap_outlives_kills_between_its_steps_and_loses_no_time(kept: Kept, swapping: PureTable) -> None:
    now_ms = swapping.now_ms
    left_ms = SWAP_MS
    for number, account in enumerate(("ada", "cem", "bayan")):
        async with TableProcess(kept, swapping.shuffle, now_ms=now_ms, beats=True) as process:
            state = await process.state()
            assert state.stage is Stage.SWAP
            assert state.deadline_ms is not None
            assert left_ms <= state.deadline_ms - process.clock.now_ms() <= left_ms + 1_000
            await wish(process, account, f"wish {number}")
            await process.pass_time(1_000)
            state = await process.state()
            assert state.deadline_ms is not None
            left_ms = state.deadline_ms - process.clock.now_ms()
            await (process.kill() if number % 2 else process.stop())
            now_ms = process.clock.now_ms() + OUTAGE_MS
    async with TableProcess(kept, swapping.shuffle, now_ms=now_ms) as process:
        state = await process.state()
        assert accounts(state.seats) == ["cem", "bayan", "ada", "dana"]
        assert state.swap == (TeamSwap(2, agreed=True), TeamSwap(1))
        revision = state.revision
        assert await wish(process, "ada", "wish 0") < revision  # it was applied, whoever asks again
        await wish(process, "dana")
        await process.settle()
        state = await process.state()
        assert (state.stage, state.match_no) == (Stage.DEAL, 2)
        assert accounts(state.seats) == ["cem", "dana", "ada", "bayan"]
        assert state.host_seat == 2


async def test_each_viewer_is_told_by_a_snapshot_and_stays_whoever_it_was(kept: Kept, swapping: PureTable) -> None:
    async with TableProcess(kept, swapping.shuffle, now_ms=swapping.now_ms) as process:
        watchers = [await watch(process, seat) for seat in range(4)]
        await process.settle()
        for account in ("dana", "bayan"):
            await wish(process, account)
        await process.settle()
        views = [(await last_snapshot(watcher)).snapshot for watcher in watchers]
        assert [view.viewer_seat for view in views] == [0, 3, 2, 1]
        assert [view.seats[view.viewer_seat].account_id for view in views] == list(PEOPLE)
        table = await process.live()
        table.watchers.close(watchers[1])
        await process.settle()
        assert [seat.account for seat in table.state.seats if seat.away] == ["bayan"]
        await process.pass_time(SWAP_MS)
        assert (await process.state()).match_no == 2


async def test_the_last_millisecond_counts_and_the_swap_ends_by_itself(kept: Kept, swapping: PureTable) -> None:
    async with TableProcess(kept, swapping.shuffle, now_ms=swapping.now_ms) as process:
        await wish(process, "cem")
        await process.pass_time(SWAP_MS - 1)
        assert (await process.state()).stage is Stage.SWAP
        await process.pass_time(1)
        state = await process.state()
        assert (state.match_no, accounts(state.seats)) == (2, list(PEOPLE))
