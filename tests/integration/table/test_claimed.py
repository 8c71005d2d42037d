"""A table that this process has no claim to: it applies nothing there, and says who asks to come again."""

import pytest

from services.table.commands import Play
from services.table.due import NeedsDeck
from services.table.refusals import DrainingError
from tests.support.journals import Kept
from tests.support.local_shuffle import NOW_MS, LocalShuffle
from tests.support.table_process import TableProcess, throw
from tests.support.tables import TABLE_ID, table_id_of


async def test_a_table_of_rules_that_the_process_does_not_know_is_left_to_others(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        actor = await process.make()
        await process.make(table_id=table_id_of(2))
        revision = actor.state.revision
    await kept.execute("UPDATE tables SET rules_version = 1000000 WHERE table_id = :table", table=TABLE_ID)
    async with TableProcess(kept, now_ms=NOW_MS + 60_000) as process:
        assert [table.state.table_id for table in process.tables.all()] == [table_id_of(2)]
        with pytest.raises(DrainingError):
            await process.state()
    await kept.execute("UPDATE tables SET rules_version = 1")
    async with TableProcess(kept, now_ms=NOW_MS + 60_000) as process:
        assert (await process.state()).revision == revision + 1


async def test_a_table_that_was_claimed_by_another_applies_nothing_and_tells_its_callers_to_come_again(
    kept: Kept,
) -> None:
    async with TableProcess(kept) as process:
        actor = await process.make()
        state = actor.state
        assert actor.epoch == 1
        await kept.execute("UPDATE tables SET epoch = 5")
        assert state.deal is not None
        move = Play("ada", state.deal_no, state.deal.turn_no, throw(state))
        with pytest.raises(DrainingError) as refused:
            await actor.submit(move, "ada:1", b"")
        assert refused.value.retry_after_ms
        assert actor.is_fenced
        assert await process.journal.find_command(TABLE_ID, "ada:1") is None
        assert await process.act(throw(state), command_id="ada:1") > state.revision
        assert (await process.actor()).epoch == 5


async def test_a_table_asks_under_the_epoch_of_its_last_claim(kept: Kept) -> None:
    shuffle = LocalShuffle()
    shuffle.hold(NeedsDeck)
    async with TableProcess(kept, shuffle) as process:
        await process.make()
        assert shuffle.epochs == {1}
        await process.kill()
    await kept.execute("UPDATE tables SET epoch = 5")
    async with TableProcess(kept, shuffle):
        assert isinstance(shuffle.asked[-1], NeedsDeck)
        assert shuffle.epochs == {1, 5}
