"""Watches of live tables: whoever comes back, at whatever revision, ends up with what it would have seen all along."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
from banakil.table.v1 import table_pb2, views_pb2

from services.table.commands import Presence
from services.table.events import AwayChanged
from services.table.ring import KEPT_STEPS
from services.table.sole_ownership import BEAT_MS
from services.table.state import Stage
from services.table.watching import HEARTBEAT_MS, MOST_UNSENT, StreamWatcher
from services.table.wire import write_view
from shared.rules.actions import Timeout
from shared.rules.options import make_options
from shared.rules.views import Viewer
from tests.support.following import Client
from tests.support.journals import Kept
from tests.support.kit import PATIENCE_S
from tests.support.local_shuffle import NOW_MS
from tests.support.play import Temper, next_action
from tests.support.table_process import TableProcess, end_of, play_to_the_end, sent, throw, watch

LIVELY = Temper(meld=0.8, amend=0.8, take=0.5, undo=0.3, timeout=0.1, mischief=0.0)


def copy(view: views_pb2.View) -> views_pb2.View:
    return views_pb2.View.FromString(view.SerializeToString())


async def play(process: TableProcess, rng: random.Random, moves: int) -> AsyncIterator[None]:
    """Plays on, stopping after each move."""
    for _ in range(moves):
        state = await process.state()
        if state.stage is Stage.DEAL and state.deal is not None:
            action = next_action(rng, state.deal, LIVELY)
            if isinstance(action, Timeout):
                await process.ring()
            else:
                await process.act(action)
                await process.settle()
        else:
            await process.ring()
        yield


async def test_a_client_that_comes_back_at_any_revision_has_the_view_of_one_that_never_left(
    process: TableProcess, rng: random.Random
) -> None:
    await process.make(make_options({"preset": "sahrat", "target": 1000}), *"ABCD")
    table = await process.live()
    stayed = {viewer: (watch(table, viewer), Client()) for viewer in (None, 0, 1, 2, 3)}
    await process.settle()
    history: dict[int, dict[Viewer, views_pb2.View]] = {}
    async for _ in play(process, rng, 90):
        for viewer, (watcher, client) in stayed.items():
            for update in await sent(watcher):
                client.take(update)
                history.setdefault(client.revision, {})[viewer] = views_pb2.View.FromString(
                    client.view.SerializeToString()
                )
            assert client.view == write_view(table.state, viewer)
    head = table.state.revision
    cuts = [revision for revision in history if len(history[revision]) == 5]
    assert len(cuts) > KEPT_STEPS
    for cut in cuts:
        viewer = rng.choice((None, 0, 1, 2, 3))
        back = watch(table, viewer, cut)
        client = Client()
        client.view.CopyFrom(history[cut][viewer])
        updates = await sent(back)
        for update in updates:
            client.take(update)
        assert client.view == history[head][viewer]
        kinds = {table_pb2.WatchResponse.FromString(update).WhichOneof("update") for update in updates}
        assert kinds == {"heartbeat"} if cut == head else kinds <= {"delta"} or head - cut > KEPT_STEPS
        assert ("snapshot" in kinds) == (head - cut > KEPT_STEPS)
        table.watchers.close(back)


async def test_after_a_restart_a_client_goes_on_with_the_same_cards(kept: Kept, rng: random.Random) -> None:
    """One that had seen all gets what came after; one that had missed something gets a snapshot."""
    client = Client()
    async with TableProcess(kept) as process:
        await process.make()
        watcher = watch(await process.live(), 0)
        async for _ in play(process, rng, 20):
            pass
        for update in await sent(watcher):
            client.take(update)
        before = copy(client.view)
        await process.kill()
    async with TableProcess(kept, now_ms=NOW_MS + 100_000) as process:
        for last_revision, kind in ((client.revision, "delta"), (client.revision - 1, "snapshot")):
            client.view = copy(before)
            client.view.revision = last_revision
            (update, *_) = await sent(watch(await process.live(), 0, last_revision))
            assert table_pb2.WatchResponse.FromString(update).WhichOneof("update") == kind
            client.take(update)
            assert (client.view.deal, client.view.match) == (before.deal, before.match)
            assert client.revision == before.revision + 1


async def test_an_open_watch_is_presence_and_it_is_journalled_once(kept: Kept, process: TableProcess) -> None:
    await process.make()
    table = await process.live()

    async def away() -> list[bool]:
        await process.settle()
        return [seat.away for seat in (await process.state()).seats]

    assert await away() == [True] * 4
    first = watch(table, 1)
    assert await away() == [True, False, True, True]
    second = watch(table, 1)
    assert await end_of(first) == "WATCH_SUPERSEDED"
    table.watchers.close(first)
    revision = table.state.revision
    assert await away() == [True, False, True, True]
    assert table.state.revision == revision
    table.watchers.close(second)
    assert await away() == [True] * 4
    rows = await kept.rows("SELECT events FROM entries WHERE events LIKE '%AwayChanged%' ORDER BY revision")
    assert [row[0] for row in rows] == ['[["AwayChanged",1,false,0]]', f'[["AwayChanged",1,true,{NOW_MS + 60_000}]]']


async def test_a_viewer_sees_who_comes_and_goes(process: TableProcess) -> None:
    await process.make()
    table = await process.live()
    seated_at = table.state.revision
    watcher, client = watch(table, 0), Client()
    other = watch(table, 2)
    await process.settle()
    table.watchers.close(other)
    await process.settle()
    for update in await sent(watcher):
        client.take(update)
    assert [seat.away for seat in client.view.seats] == [False, True, True, True]
    changes = [event for step in table.actor.ring.since(seated_at) or () for event in step.events]
    assert changes == [AwayChanged(0, False, 0), AwayChanged(2, False, 0), AwayChanged(2, True, NOW_MS + 60_000)]


async def test_one_who_comes_and_goes_in_a_rush_leaves_no_crowd_of_commands(process: TableProcess) -> None:
    await process.make()
    table = await process.live()
    revision = table.state.revision
    for _ in range(500):
        table.watchers.close(watch(table, 1))
    last = watch(table, 1)
    await process.settle()
    assert table.state.seats[1].away is False
    assert table.state.revision <= revision + 2
    table.watchers.close(last)


async def test_a_slow_watcher_is_ended_and_its_seat_is_away_once_its_stream_is_gone(process: TableProcess) -> None:
    await process.make()
    table = await process.live()
    slow, quick, client = watch(table, 0), watch(table, 1), Client()
    for number in range(MOST_UNSENT + 2):
        await table.actor.submit(Presence("cem", away=bool(number % 2)), f"presence:{number}", b"")
        for update in await sent(quick):
            client.take(update)
    assert client.revision == table.state.revision
    assert await end_of(slow) == "OVERLOADED"
    table.watchers.close(slow)
    await process.settle()
    assert table.state.seats[0].away


async def test_every_five_seconds_a_quiet_stream_says_which_revision_is_the_last(beating: TableProcess) -> None:
    await beating.make()
    table = await beating.live()
    watcher = watch(table, 0)
    await beating.settle()
    await sent(watcher)
    await beating.pass_time(HEARTBEAT_MS + BEAT_MS)
    (beat,) = map(table_pb2.WatchResponse.FromString, await sent(watcher))
    assert beat.heartbeat.head_revision == table.state.revision
    assert 20_000 - HEARTBEAT_MS - BEAT_MS <= beat.remaining_ms <= 20_000


async def test_a_watch_sees_its_table_to_the_end_and_then_ends(process: TableProcess, rng: random.Random) -> None:
    client = Client()

    async def follow(watcher: StreamWatcher) -> None:
        async for update in watcher.updates():
            client.take(update)

    await process.make(make_options({"preset": "sahrat", "target": 50, "mode": "duel"}))
    watching = asyncio.ensure_future(follow(watch(await process.live(), 0)))
    await play_to_the_end(process, rng)
    await asyncio.wait_for(watching, PATIENCE_S)
    assert client.view.stage == views_pb2.STAGE_CLOSED
    assert client.view == write_view(await process.state(), 0)


async def test_watchers_of_a_table_whose_journal_failed_are_told_to_come_again(
    kept: Kept, process: TableProcess
) -> None:
    actor = await process.make()
    table = await process.live()
    watcher = watch(table, 0)
    await process.settle()
    await kept.execute("ALTER TABLE entries RENAME TO away")
    with pytest.raises(Exception, match="OperationalError"):
        await process.act(throw(actor.state))
    await kept.execute("ALTER TABLE away RENAME TO entries")
    fresh = await process.live()
    assert await end_of(watcher) == "OVERLOADED"
    table.watchers.close(watcher)
    await process.settle()
    assert fresh.state.seats[0].away
    again = watch(fresh, 0, actor.state.revision)
    await process.settle()
    assert [seat.away for seat in fresh.state.seats] == [False, True, True, True]
    revisions = [table_pb2.WatchResponse.FromString(update).delta.revision for update in await sent(again)]
    assert revisions == [fresh.state.revision - 1, fresh.state.revision]
