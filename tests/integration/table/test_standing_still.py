"""A table that an operator stops, over the death of the process that runs it; and the record of one that it ends."""

import json

import pytest

from services.table.commands import Abort, Freeze, Unfreeze
from services.table.live import ABANDONED_MS
from services.table.records import find_record
from services.table.refusals import TableFrozenError
from services.table.state import Stage
from tests.support.journals import Kept
from tests.support.table_process import TableProcess, throw
from tests.support.tables import TABLE_ID

LEFT_MS = 4_321


async def nobody_comes(process: TableProcess) -> None:
    """For so long that a table is given up."""
    table = await process.live()
    table.look_after()
    await process.pass_time(ABANDONED_MS)
    table.look_after()
    await process.settle()


async def test_a_frozen_table_stays_so_over_a_kill_and_its_clock_has_the_same_time_when_it_goes_on(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        await process.make()
        deadline_ms = (await process.state()).deadline_ms
        assert deadline_ms is not None
        await process.pass_time(deadline_ms - process.clock.now_ms() - LEFT_MS)
        await process.tables.submit(TABLE_ID, Freeze(), "freeze", b"")
        await process.pass_time(100_000)
        now_ms = process.clock.now_ms() + 50_000
        await process.kill()
    async with TableProcess(kept, now_ms=now_ms) as process:
        state = await process.state()
        assert (state.standstill is not None, state.stage) == (True, Stage.DEAL)
        with pytest.raises(TableFrozenError):
            await process.act(throw(state))
        await nobody_comes(process)
        assert (await process.state()).stage is Stage.DEAL
        await process.tables.submit(TABLE_ID, Unfreeze(), "unfreeze", b"")
        state = await process.state()
        assert state.deadline_ms == process.clock.now_ms() + LEFT_MS
        await process.act(throw(state))


@pytest.mark.parametrize("aborted", [True, False])
async def test_a_table_that_ends_in_mid_deal_has_a_record_with_that_deal_as_far_as_it_came(
    kept: Kept, aborted: bool
) -> None:
    """Whether an operator ended it, or nobody was there; even where the process dies before the secret is out."""
    async with TableProcess(kept) as process:
        await process.make()
        await process.act(throw(await process.state()))
        if aborted:
            await process.tables.submit(TABLE_ID, Abort(), "abort", b"")
        else:
            await nobody_comes(process)
        assert (await process.state()).stage is Stage.CLOSED
        match_id = (await process.state()).match_id
        await process.kill()
    async with TableProcess(kept, now_ms=process.clock.now_ms() + 1_000) as process:
        await process.settle()
        assert (await process.state()).unrevealed == ()
        record, complete = await find_record(process.journal, process.tables.state_of, match_id)
        assert complete
        [deal] = json.loads(record)["deals"]
        assert "discard" in deal["actions"][0]
        assert (await process.live()).is_over
