"""Watchers of one table: what each is sent, and that none waits for another."""

import asyncio
import random

import pytest
from banakil.table.v1 import table_pb2
from banakil.table.v1.saying_pb2 import Said

from services.table.commands import Ask, Presence, Wish
from services.table.ring import Ring, Step
from services.table.spectating import MOST_OF_ACCOUNT, MOST_SPECTATORS, Spectating
from services.table.state import Stage
from services.table.watching import MOST_UNSENT, StreamWatcher, Watchers
from services.table.wire import write_view
from shared.kit.clock import VirtualClock
from shared.kit.status import ApiError, FullError, StaleError
from shared.rules.options import SAHRAT, Options, make_options
from tests.support.kit import PATIENCE_S
from tests.support.tables import PEOPLE, PureTable


class Room:
    """Watchers of a table whose presence is noted and not applied."""

    def __init__(self, spectating: Spectating | None = None, options: Options = SAHRAT) -> None:
        self.table = PureTable(options)
        self.table.settle()
        self.clock = VirtualClock(self.table.now_ms)
        self.noted: list[tuple[str, bool]] = []
        self.watchers = Watchers(self.clock, lambda account, away, _: self.noted.append((account, away)), spectating)
        self.ring = Ring()
        for step in self.table.steps:
            self.ring.add(step)

    def watch(self, seat: int, last_revision: int = 0) -> StreamWatcher:
        watcher = StreamWatcher(seat, PEOPLE[seat])
        self.watchers.open(self.table.state, self.ring, watcher, last_revision)
        return watcher

    def spectate(self, account: str, last_revision: int = 0) -> StreamWatcher:
        watcher = StreamWatcher(None, account)
        self.watchers.open(self.table.state, self.ring, watcher, last_revision)
        return watcher

    def step(self) -> Step:
        self.table.apply(Presence("dana", away=not self.table.state.seats[3].away))
        step = self.table.steps[-1]
        self.ring.add(step)
        self.watchers.tell(step)
        return step


async def received(watcher: StreamWatcher, count: int) -> list[table_pb2.WatchResponse]:
    updates = watcher.updates()
    return [table_pb2.WatchResponse.FromString(await anext(updates)) for _ in range(count)]


async def end_of(watcher: StreamWatcher) -> ApiError | None:
    """What a stream ends with; None where it just ends."""
    try:
        async for _ in watcher.updates():
            pass
    except ApiError as error:
        return error
    return None


async def test_a_watch_begins_with_a_snapshot_and_goes_on_with_deltas() -> None:
    room = Room()
    watcher = room.watch(0)
    head = room.table.state.revision
    step = room.step()
    first, second = await received(watcher, 2)
    assert (first.snapshot.revision, first.snapshot.viewer_seat) == (head, 0)
    assert second.delta.revision == step.revision == head + 1
    assert (first.server_now_ms, first.remaining_ms) == (room.clock.now_ms(), 20_000)


async def test_a_watch_that_knows_a_revision_gets_what_it_missed() -> None:
    room = Room()
    for _ in range(3):
        room.step()
    head = room.table.state.revision
    deltas = await received(room.watch(0, head - 2), 2)
    assert [update.delta.revision for update in deltas] == [head - 1, head]


async def test_a_watch_that_missed_nothing_is_told_so_at_once_with_the_clock() -> None:
    room = Room()
    head = room.table.state.revision
    (update,) = await received(room.watch(0, head), 1)
    assert (update.heartbeat.head_revision, update.remaining_ms) == (head, 20_000)


async def test_a_revision_from_the_future_gets_a_snapshot() -> None:
    room = Room()
    (update,) = await received(room.watch(0, room.table.state.revision + 1), 1)
    assert update.HasField("snapshot")


async def test_a_newer_watch_of_a_seat_ends_the_older_and_the_seat_was_never_away() -> None:
    room = Room()
    older, newer = room.watch(1), room.watch(1)
    error = await end_of(older)
    assert isinstance(error, StaleError)
    assert error.code == "WATCH_SUPERSEDED"
    room.watchers.close(older)
    assert ("bayan", True) not in room.noted
    room.watchers.close(newer)
    assert room.noted[-1] == ("bayan", True)
    assert room.watchers.count == 0


async def test_a_slow_watcher_is_ended_and_the_others_are_sent_everything() -> None:
    room = Room()
    slow, quick = room.watch(0), room.watch(1)
    updates = quick.updates()
    await anext(updates)
    for _ in range(MOST_UNSENT):
        step = room.step()
        update = table_pb2.WatchResponse.FromString(await anext(updates))
        assert update.delta.revision == step.revision
    error = await end_of(slow)
    assert isinstance(error, FullError)
    assert (error.code, error.retry_after_ms) == ("OVERLOADED", 1_000)
    room.step()
    await anext(updates)


async def test_a_stream_that_was_ended_keeps_nothing() -> None:
    room = Room()
    slow = room.watch(0)
    for _ in range(MOST_UNSENT + 5):
        room.step()
    assert slow.is_idle


async def test_heartbeats_carry_the_head_revision_to_those_who_wait_for_nothing() -> None:
    room = Room()
    idle, busy = room.watch(0), room.watch(1)
    await received(idle, 1)
    room.clock.advance(1_234)
    room.watchers.beat(room.table.state)
    (beat,) = await received(idle, 1)
    assert (beat.heartbeat.head_revision, beat.remaining_ms) == (room.table.state.revision, 20_000 - 1_234)
    room.watchers.beat(room.table.state)
    (snapshot,) = await received(busy, 1)
    assert snapshot.HasField("snapshot")
    assert busy.is_idle


async def test_a_clock_that_is_late_has_nothing_left_and_never_less() -> None:
    room = Room()
    room.clock.advance(60_000)
    (update,) = await received(room.watch(0), 1)
    assert (update.HasField("remaining_ms"), update.remaining_ms) == (True, 0)


async def test_no_more_than_so_many_spectate_at_one_table_and_seats_are_not_counted() -> None:
    room = Room()
    for number in range(MOST_SPECTATORS):
        room.spectate(f"s{number}")
    with pytest.raises(FullError) as refused:
        room.spectate("one more")
    assert (refused.value.code, refused.value.retry_after_ms) == ("TOO_MANY_SPECTATORS", 10_000)
    room.spectate("s7")  # who is there already may come anew
    for seat in range(4):
        room.watch(seat)
    assert (room.watchers.spectators, room.watchers.count) == (MOST_SPECTATORS, MOST_SPECTATORS + 4)


async def test_an_account_spectates_at_so_many_tables_and_may_leave_one_for_another() -> None:
    spectating = Spectating()
    rooms = [Room(spectating) for _ in range(MOST_OF_ACCOUNT + 1)]
    first, *_ = [room.spectate("ada") for room in rooms[:-1]]
    with pytest.raises(FullError, match="TOO_MANY_SPECTATORS"):
        rooms[-1].spectate("ada")
    rooms[-1].spectate("bayan")
    rooms[0].watchers.close(first)
    rooms[-1].spectate("ada")
    rooms[1].watchers.end_all(None)
    rooms[0].spectate("ada")
    with pytest.raises(FullError):
        rooms[1].spectate("ada")


async def test_a_spectator_is_nobodys_presence_and_its_newer_stream_ends_the_older() -> None:
    room = Room()
    player = room.watch(1)
    older = room.spectate(PEOPLE[1])
    newer = room.spectate(PEOPLE[1])
    error = await end_of(older)
    assert isinstance(error, StaleError)
    room.watchers.close(older)
    assert room.watchers.spectators == 1
    room.watchers.close(newer)
    assert room.watchers.spectators == 0
    assert room.noted == [(PEOPLE[1], False)]
    room.step()
    assert (await received(player, 2))[1].HasField("delta")


async def test_a_move_is_encoded_once_for_all_who_look_on() -> None:
    room = Room()
    watchers = [room.spectate(f"s{number}") for number in range(MOST_SPECTATORS)]
    streams = [watcher.updates() for watcher in watchers]
    for stream in streams:
        await anext(stream)
    room.step()
    room.watchers.say(room.table.state, Said(seat=2, phrase_id="heart"))
    for _ in range(2):
        first, *others = [await anext(stream) for stream in streams]
        assert all(update is first for update in others)


async def test_what_is_said_is_sent_to_all_as_no_revision() -> None:
    room = Room()
    everybody = [room.watch(0), room.watch(2), room.spectate("eve")]
    room.watchers.say(room.table.state, Said(seat=2, phrase_id="heart"))
    for watcher in everybody:
        assert (await received(watcher, 2))[1].said == Said(seat=2, phrase_id="heart")


async def test_spectators_are_counted_in_snapshots_and_heartbeats() -> None:
    room = Room()
    room.spectate("eve")
    player = room.watch(0)
    assert (await received(player, 1))[0].spectators == 1
    room.spectate("zeina")
    room.watchers.beat(room.table.state)
    assert (await received(player, 1))[0].spectators == 2


async def test_the_streams_of_a_closed_table_end_once_all_is_sent() -> None:
    room = Room()
    watcher = room.watch(0)
    room.watchers.tell(room.table.steps[-1])
    room.watchers.end_all(None)
    assert (room.watchers.count, room.noted) == (
        0,
        [(PEOPLE[0], False)],
    )  # and nobody has left
    assert await asyncio.wait_for(end_of(watcher), PATIENCE_S) is None


async def test_a_watch_of_a_closed_table_is_its_last_view_and_ends() -> None:
    room = Room()
    closed = room.table.state._replace(stage=Stage.CLOSED, deal=None, deadline_ms=None)
    watcher = StreamWatcher(0, "ada")
    room.watchers.open(closed, Ring(), watcher, 0)
    assert room.watchers.count == 0
    updates = [update async for update in watcher.updates()]
    (update,) = map(table_pb2.WatchResponse.FromString, updates)
    assert not update.HasField("remaining_ms")
    assert update.HasField("snapshot")


async def test_when_players_have_swapped_seats_each_sees_the_table_from_the_new_one(rng: random.Random) -> None:
    room = Room(options=make_options({"preset": "banakil202", "format": "best_of_3", "target": 50}))
    while room.table.state.stage is not Stage.SWAP:
        room.table.play(rng)
        room.table.ring()
    head = room.table.state.revision
    watchers = [*map(room.watch, range(3)), room.spectate("eve")]
    for account in ("ada", "cem"):
        room.table.apply(Ask(account, Wish.SWAP))
        room.ring.add(room.table.steps[-1])
        room.watchers.tell(room.table.steps[-1])
    for watcher, seat in zip(watchers, (2, 1, 0, None), strict=True):
        assert watcher.viewer == seat
        first, asked, swapped = await received(watcher, 3)
        assert (first.snapshot.revision, asked.delta.revision, swapped.snapshot.revision) == (head, head + 1, head + 2)
        assert swapped.snapshot == write_view(room.table.state, seat)
    room.watchers.close(watchers[0])
    assert room.noted[-1] == ("ada", True)
    (again,) = await received(room.watch(1, head + 1), 1)
    assert again.HasField("snapshot")
