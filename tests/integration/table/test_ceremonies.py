"""Shuffles at live tables, by a clock that moves when told to: deadlines, restarts between any two steps, the cut."""

import pytest

from services.table.ceremony import CONTRIBUTION_MS, CUT_MS, PROMISE_MS, Ceremony, CeremonyStep
from services.table.due import NeedsClosedSet, NeedsCommitment, NeedsDeck, NeedsOutcome
from services.table.evolve import ceremony_of
from services.table.state import Stage
from shared.rules.options import make_options
from tests.support.journals import Kept
from tests.support.local_shuffle import NOW_MS, LocalShuffle
from tests.support.table_process import TableProcess

ALL = frozenset(range(4))
CUT_DUE = make_options({"preset": "banakil202"})


async def ceremony(process: TableProcess) -> Ceremony:
    return ceremony_of(await process.state())


async def dealt(process: TableProcess) -> Ceremony:
    """The shuffle of the deal that is being played."""
    state = await process.state()
    assert state.stage is Stage.DEAL
    assert state.fair is not None
    return state.fair


async def test_who_sends_nothing_is_waited_for_to_the_last_millisecond_and_takes_no_part(process: TableProcess) -> None:
    process.clients = frozenset({1, 2})
    await process.make()
    await process.pass_time(PROMISE_MS - 1)
    assert (await ceremony(process)).step is CeremonyStep.PROMISING
    await process.pass_time(1)
    fair = await dealt(process)
    assert [receipt.seat for receipt in fair.contribution_receipts] == [1, 2]


async def test_who_promised_and_shows_nothing_makes_the_attempt_void_and_is_shut_out(process: TableProcess) -> None:
    process.shuffle.hold(NeedsClosedSet)
    await process.make()
    process.clients = frozenset({0, 1, 2})
    process.shuffle.release(NeedsClosedSet)
    await process.settle()
    assert (await ceremony(process)).step is CeremonyStep.OPENING
    await process.pass_time(CONTRIBUTION_MS - 1)
    assert (await ceremony(process)).context.attempt == 0
    await process.pass_time(1)
    fair = await dealt(process)
    assert (fair.context.attempt, fair.void) == (1, ((0, (3,)),))
    assert [receipt.seat for receipt in fair.contribution_receipts] == [0, 1, 2]


async def test_with_everybody_there_no_time_passes(process: TableProcess) -> None:
    await process.make()
    await dealt(process)
    assert process.clock.now_ms() == NOW_MS


async def test_the_cut_is_waited_for_to_the_last_millisecond_and_then_automatic(process: TableProcess) -> None:
    process.cuts = False
    await process.make(CUT_DUE)
    await process.pass_time(CUT_MS - 1)
    assert (await ceremony(process)).step is CeremonyStep.CUTTING
    await process.pass_time(1)
    fair = await dealt(process)
    assert (fair.cut, fair.automatic_cut) == (0, 53)


@pytest.mark.parametrize("held", [NeedsCommitment, NeedsClosedSet, NeedsOutcome, NeedsDeck])
@pytest.mark.parametrize("options", [make_options({"preset": "sahrat"}), CUT_DUE], ids=["no cut", "a cut"])
async def test_a_shuffle_goes_on_where_a_process_was_killed_whatever_it_waited_for(
    kept: Kept, held: type, options: object
) -> None:
    """What clients had sent is forgotten with the process, and they send it again."""
    shuffle = LocalShuffle()
    shuffle.hold(held)
    async with TableProcess(kept, shuffle) as process:
        await process.make(options)  # type: ignore[arg-type]  # options all the same
        before = await ceremony(process)
        await process.kill()
    shuffle.release(held)
    async with TableProcess(kept, shuffle, now_ms=NOW_MS + 60_000) as process:
        fair = await dealt(process)
        assert fair.context == before.context
        assert [receipt.seat for receipt in fair.contribution_receipts] == [0, 1, 2, 3]
        for name in ("commitment", "closed", "transcript"):
            assert getattr(before, name) in (b"", getattr(fair, name))


async def test_a_cut_that_was_made_outlives_the_process(kept: Kept) -> None:
    shuffle = LocalShuffle()
    shuffle.hold(NeedsClosedSet)
    async with TableProcess(kept, shuffle) as process:
        await process.make(CUT_DUE)
        assert (await ceremony(process)).cut == 53
        await process.kill()
    shuffle.release(NeedsClosedSet)
    async with TableProcess(kept, shuffle) as process:
        process.clients = ALL
        fair = await dealt(process)
        assert (fair.cut, fair.automatic_cut) == (53, 0)


async def test_clients_that_do_not_come_back_after_a_restart_are_waited_for_the_whole_time(kept: Kept) -> None:
    shuffle = LocalShuffle()
    shuffle.hold(NeedsOutcome)
    async with TableProcess(kept, shuffle) as process:
        await process.make()
        await process.kill()
    shuffle.release(NeedsOutcome)
    silent = TableProcess(kept, shuffle, now_ms=NOW_MS + 60_000)
    silent.clients = frozenset()
    async with silent as process:
        await process.pass_time(CONTRIBUTION_MS - 1)
        assert (await ceremony(process)).step is CeremonyStep.OPENING
        await process.pass_time(1)
        assert (await dealt(process)).void == ((0, (0, 1, 2, 3)),)
