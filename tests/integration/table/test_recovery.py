"""A process that dies at any moment: nothing answered is lost, the cards are the same, the clock is credited."""

import asyncio
import json
import random

import pytest

from services.table.actor import ASK_AGAIN_MS
from services.table.commands import Play, Presence
from services.table.due import NeedsClosedSet, NeedsCommitment, NeedsDeck, NeedsOutcome, NeedsStock
from services.table.events import AwayChanged, ClockSet
from services.table.journal import JournalError
from services.table.sole_ownership import BEAT_MS
from services.table.state import Stage, TableState
from services.table.stored import read_event
from services.table.tables import LOAD_AGAIN_MS
from shared.rules.actions import Timeout
from shared.rules.options import make_options
from tests.support.journals import Kept
from tests.support.kit import PATIENCE_S
from tests.support.local_shuffle import NOW_MS, LocalShuffle
from tests.support.play import Temper, next_action
from tests.support.table_process import TableProcess, throw
from tests.support.tables import TABLE_ID, table_id_of

OUTAGE_MS = 3_700
LIVELY = Temper(meld=0.8, amend=0.8, take=0.5, undo=0.3, timeout=0.05, mischief=0.1)


def but_for_an_outage(state: TableState) -> TableState:
    """What an outage must leave as it is: all but the clock, who is there, and the revision of noting these."""
    seats = tuple(seat._replace(away=False, grace_until_ms=0) for seat in state.seats)
    return state._replace(seats=seats, deadline_ms=None, revision=0)


async def move(process: TableProcess, rng: random.Random) -> None:
    """One thing that happens: a move, mischief, or the clock."""
    state = await process.state()
    if state.stage is Stage.DEAL and state.deal is not None:
        action = next_action(rng, state.deal, LIVELY)
        if not isinstance(action, Timeout):
            await asyncio.gather(process.act(action), return_exceptions=True)
            await process.settle()
            return
    if state.stage is not Stage.CLOSED:
        await process.ring()


@pytest.mark.parametrize("values", [{"preset": "sahrat"}, {"preset": "banakil202", "format": "best_of_3"}], ids=str)
async def test_a_table_goes_on_where_it_was_killed(kept: Kept, rng: random.Random, values: dict[str, object]) -> None:
    options = make_options({**values, "target": 50, "mode": "duel"})
    now_ms, shuffle = NOW_MS, LocalShuffle()
    known: TableState | None = None
    for life in range(12):
        async with TableProcess(kept, shuffle, now_ms=now_ms, beats=True) as process:
            if life == 0:
                await process.make(options)
            state = await process.state()
            if known is not None:
                assert but_for_an_outage(state) == but_for_an_outage(known)
                if known.deadline_ms is not None:
                    assert state.deadline_ms is not None
                    credited_ms = state.deadline_ms - known.deadline_ms
                    assert OUTAGE_MS <= credited_ms <= OUTAGE_MS + BEAT_MS
                    assert not any(seat.away is False for seat in state.seats)
            for _ in range(rng.randrange(1, 25)):
                await move(process, rng)
                await process.pass_time(rng.randrange(900))
            known = await process.state()
            await process.kill()
            now_ms = process.clock.now_ms() + OUTAGE_MS


async def test_a_move_that_was_being_written_is_there_or_not_and_its_resend_is_answered_either_way(
    kept: Kept, rng: random.Random
) -> None:
    """Killed after ever so many turns of the loop, while a command is under way."""
    now_ms, outcomes = NOW_MS, set()
    for life in range(25):
        async with TableProcess(kept, now_ms=now_ms) as process:
            if life == 0:
                await process.make(make_options({"preset": "sahrat", "mode": "duel", "target": 1000}))
            before = await process.state()
            while before.stage is not Stage.DEAL or before.deal is None or before.deal.phase == "draw":
                await process.ring()
                before = await process.state()
            deal = before.deal
            command = Play(before.seats[deal.turn].account, before.deal_no, deal.turn_no, throw(before))
            sent = asyncio.ensure_future(process.tables.submit(TABLE_ID, command, f"move:{life}", b"body"))
            for _ in range(life):
                await asyncio.sleep(0)
            answered = sent.done()
            await process.kill()
            now_ms = process.clock.now_ms() + 1
        async with TableProcess(kept, now_ms=now_ms) as process:
            after = await process.state()
            applied = after.deal is None or after.deal.turn_no > deal.turn_no
            assert applied or not answered
            outcomes.add(applied)
            first = await process.tables.submit(TABLE_ID, command, f"move:{life}", b"body")
            again = await process.tables.submit(TABLE_ID, command, f"move:{life}", b"body")
            assert first == again
            assert (first <= after.revision) == applied
            await process.kill()
            now_ms = process.clock.now_ms() + 1
    assert True in outcomes


async def test_the_clock_never_rings_early_nor_twice_however_often_the_process_dies(kept: Kept) -> None:
    """A turn of 20 s that is cut into pieces by outages has 20 s of life before it is over."""
    now_ms, lived_ms = NOW_MS, 0
    for life in range(6):
        async with TableProcess(kept, now_ms=now_ms, beats=True) as process:
            if life == 0:
                await process.make()
            state = await process.state()
            assert state.deal is not None
            if not state.deal.time_up:
                assert lived_ms < 20_000 + life * BEAT_MS
                await process.pass_time(4_300)
                lived_ms += 4_300
            await process.kill()
            now_ms = process.clock.now_ms() + 1_000_000
    assert lived_ms >= 20_000
    rows = await kept.rows("SELECT command_id, action FROM entries WHERE action <> ''")
    assert len(rows) == 1
    assert rows[0][1] == "- timeout"


async def test_an_outage_that_hits_while_a_process_comes_back_is_credited_as_well(kept: Kept) -> None:
    """Each process is killed a little later on its way back, before or after the clock got its time back."""
    async with TableProcess(kept, beats=True) as process:
        deadline_ms = (await process.make()).state.deadline_ms
        assert deadline_ms is not None
        await process.kill()
    now_ms = NOW_MS
    for turns in range(40):
        now_ms += OUTAGE_MS
        process = TableProcess(kept, now_ms=now_ms, beats=True)
        coming_back = asyncio.ensure_future(process.__aenter__())
        for _ in range(turns):
            await asyncio.sleep(0)
        await process.kill()
        await asyncio.wait([coming_back])
    async with TableProcess(kept, now_ms=now_ms + OUTAGE_MS, beats=True) as process:
        assert (await process.state()).deadline_ms == deadline_ms + 41 * OUTAGE_MS


async def test_a_process_whose_journal_is_away_does_not_come_up(kept: Kept) -> None:
    async with TableProcess(kept, beats=True) as process:
        await process.make()
        await process.kill()
    await kept.execute("ALTER TABLE entries RENAME TO away")
    process = TableProcess(kept, now_ms=NOW_MS + OUTAGE_MS, beats=True)
    with pytest.raises(JournalError):
        await process.__aenter__()
    await process.kill()
    assert await kept.rows("SELECT * FROM beats WHERE at_ms > 0") == [(1, NOW_MS)]


async def test_two_hundred_tables_come_back_at_once(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        made = [process.make(table_id=table_id_of(number)) for number in range(200)]
        await asyncio.gather(*made)
        await process.settle()
        states = [await process.state(table_id_of(number)) for number in range(200)]
        await process.kill()
    async with TableProcess(kept, now_ms=NOW_MS + 10_000) as process:
        assert len(process.tables.all()) == 200
        for number, state in enumerate(states):
            after = await process.state(table_id_of(number))
            assert but_for_an_outage(after) == but_for_an_outage(state)
            assert after.deadline_ms == NOW_MS + 30_000


async def test_a_table_that_cannot_be_read_keeps_no_other_from_going_on(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        for number in range(3):
            await process.make(table_id=table_id_of(number))
        await process.kill()
    await kept.execute("UPDATE entries SET sealed = x'00' WHERE table_id = :id", id=table_id_of(1))
    async with TableProcess(kept, now_ms=NOW_MS + 10_000) as process:
        assert {table.state.table_id for table in process.tables.all()} == {table_id_of(0), table_id_of(2)}
        await process.act(throw(await process.state(table_id_of(2))), table_id=table_id_of(2))


async def test_what_a_table_waited_for_is_asked_for_again_by_the_next_process(kept: Kept) -> None:
    shuffle = LocalShuffle()
    now_ms = NOW_MS
    steps = (NeedsCommitment, NeedsClosedSet, NeedsOutcome, NeedsDeck)
    for kind in steps:
        shuffle.hold(kind)
    async with TableProcess(kept, shuffle) as process:
        await process.make()
        await process.kill()
    for kind in steps:
        shuffle.release(kind)
        now_ms += 1_000
        async with TableProcess(kept, shuffle, now_ms=now_ms) as process:
            stage = (await process.state()).stage
            assert stage is (Stage.DEAL if kind is NeedsDeck else Stage.CEREMONY)
            if kind is NeedsDeck:
                await reach_a_reshuffle(process, shuffle)
            await process.kill()
    shuffle.release(NeedsStock)
    async with TableProcess(kept, shuffle, now_ms=now_ms + 1_000_000) as process:
        state = await process.state()
        assert state.deal is not None
        assert len(state.deal.stock) > 0
        assert state.deadline_ms == process.clock.now_ms() + 20_000


async def reach_a_reshuffle(process: TableProcess, shuffle: LocalShuffle) -> None:
    shuffle.hold(NeedsStock)
    while (state := await process.state()).deal is not None and not state.deal.reshuffle_due:
        await process.ring()
    assert state.deadline_ms is None


async def test_an_unknown_commit_has_the_table_loaded_anew_and_the_command_answered(kept: Kept) -> None:
    """The disk fails under one command: who sent it is told to send it again, and then it is applied once."""
    async with TableProcess(kept) as process:
        actor = await process.make()
        state = actor.state
        await kept.execute("ALTER TABLE entries RENAME TO away")
        with pytest.raises(JournalError):
            await asyncio.wait_for(process.act(throw(state), command_id="ada:1"), PATIENCE_S)
        assert actor.broken_ms == NOW_MS
        await kept.execute("ALTER TABLE away RENAME TO entries")
        revision = await asyncio.wait_for(process.act(throw(state), command_id="ada:1"), PATIENCE_S)
        fresh = await process.actor()
        assert fresh is not actor
        assert fresh.state.revision == revision
        assert len(process.tables.all()) == 1


async def test_a_broken_table_comes_back_though_nobody_asks_and_its_clock_gets_the_time_back(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        actor = await process.make()
        deadline_ms = actor.state.deadline_ms
        assert deadline_ms is not None
        await process.pass_time(5_000)
        await kept.execute("ALTER TABLE entries RENAME TO away")
        with pytest.raises(JournalError):
            await process.act(throw(actor.state))
        await process.pass_time(30_000)
        await kept.execute("ALTER TABLE away RENAME TO entries")
        await process.pass_time(2 * LOAD_AGAIN_MS)
        fresh = await process.actor()
        assert fresh.broken_ms is None
        assert fresh.state.deadline_ms is not None
        assert 30_000 <= fresh.state.deadline_ms - deadline_ms <= 30_000 + 2 * LOAD_AGAIN_MS
        await process.ring()
        assert fresh.state.deal is not None
        assert fresh.state.deal.time_up


async def test_an_answer_that_a_table_refuses_is_asked_for_again(kept: Kept) -> None:
    shuffle = LocalShuffle(decks={1: bytes(106)})
    async with TableProcess(kept, shuffle) as process:
        await process.make()
        assert (await process.state()).stage is Stage.CEREMONY
        del shuffle.decks[1]
        await process.pass_time(ASK_AGAIN_MS - 1)
        assert (await process.state()).stage is Stage.CEREMONY
        await process.pass_time(1)
        assert (await process.state()).stage is Stage.DEAL


async def test_a_wall_clock_that_is_set_back_makes_no_turn_endless(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        actor = await process.make()
        process.clock._epoch_ms -= 7_000
        await process.pass_time(20_000)
        assert actor.state.deal is not None
        assert not actor.state.deal.time_up
        await process.pass_time(7_000)
        assert actor.state.deal.time_up


async def test_a_wall_clock_that_jumps_ahead_ends_no_turn_early(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        actor = await process.make()
        process.clock._epoch_ms += 3_600_000
        await process.pass_time(19_999)
        assert actor.state.deal is not None
        assert not actor.state.deal.time_up
        await process.pass_time(1)
        assert actor.state.deal.time_up


async def test_the_journal_says_of_an_outage_no_more_than_who_left_and_the_new_clock(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        await process.make()
        await process.tables.submit(TABLE_ID, Presence("cem", away=False), "presence:1", b"")
        await process.kill()
    async with TableProcess(kept, now_ms=NOW_MS + 10_000):
        rows = await kept.rows("SELECT events FROM entries ORDER BY revision DESC LIMIT 1")
    events = [read_event(value) for value in json.loads(str(rows[0][0]))]
    fresh = [AwayChanged(seat, True, NOW_MS + 70_000) for seat in range(4)]
    assert events == [*fresh, ClockSet(NOW_MS + 30_000)]


async def test_a_command_whose_answer_was_lost_was_applied_once_and_its_sender_never_notices(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        actor = await process.make()
        state = actor.state
        process.answers_lost = 1
        revision = await asyncio.wait_for(process.act(throw(state), command_id="ada:1"), PATIENCE_S)
        assert actor.broken_ms == NOW_MS
        await process.settle()
        assert revision == state.revision + 1
        deal = (await process.state()).deal
        assert deal is not None
        assert deal.turn_no == 2
        assert await kept.rows("SELECT count(*) FROM entries WHERE command_id = 'ada:1'") == [(1,)]


async def test_a_table_whose_making_was_not_answered_is_made_and_runs(kept: Kept) -> None:
    async with TableProcess(kept, answers_lost=1) as process:
        await process.make()
        assert (await process.state()).stage is Stage.DEAL
        assert len(process.tables.all()) == 1


async def test_an_outage_whose_credit_was_not_answered_is_credited_once(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        deadline_ms = (await process.make()).state.deadline_ms
        assert deadline_ms is not None
        await process.kill()
    async with TableProcess(kept, now_ms=NOW_MS + OUTAGE_MS, answers_lost=1) as process:
        await process.pass_time(4 * LOAD_AGAIN_MS)
        state = await process.state()
        assert process.answers_lost == 0
        assert state.deadline_ms is not None
        assert OUTAGE_MS <= state.deadline_ms - deadline_ms <= OUTAGE_MS + LOAD_AGAIN_MS
