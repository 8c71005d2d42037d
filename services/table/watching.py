"""Who watches a table: one bounded queue each, filled as steps happen, so that a slow one holds up nobody."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Final, Protocol, TypeAlias

from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.saying_pb2 import Said

from services.table.ring import Ring, Step
from services.table.seats import seat_to_watch
from services.table.spectating import Spectating
from services.table.state import Stage, TableState
from services.table.swapping import seat_after
from services.table.wire import seen_apart, write_delta, write_view
from shared.kit.clock import Clock
from shared.kit.status import ApiError, FullError, NotAllowedError, StaleError
from shared.rules.views import Viewer

MOST_UNSENT: Final = 256
"""Updates that wait for a slow viewer before it is told to come again."""
HEARTBEAT_MS: Final = 5_000

Who: TypeAlias = tuple[bool, str]
"""By what a newer Watch is known to be of the same viewer: whether it spectates, and its account."""


class Watcher(Protocol):
    """Somebody who watches."""

    viewer: Viewer
    account: str
    """Who that is; empty for who has no seat."""

    def put(self, update: bytes) -> None:
        """Take an update (an encoded ``WatchResponse``) to be sent, or end where too many wait."""

    def end(self, error: ApiError | None) -> None:
        """End: with an error at once, without one when all has been sent. The first end counts."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits to be sent."""


class StreamWatcher:
    """One open Watch with a stream of its own."""

    def __init__(self, viewer: Viewer, account: str) -> None:
        self.viewer = viewer
        self.account = account
        self._updates: deque[bytes] = deque()
        self._more = asyncio.Event()
        self._ended: ApiError | None = None
        self._finished = False

    def put(self, update: bytes) -> None:
        """See ``Watcher``."""
        if self._finished:
            return
        if len(self._updates) >= MOST_UNSENT:
            self.end(FullError("OVERLOADED", "too slow: watch anew", retry_after_ms=1_000))
            return
        self._updates.append(update)
        self._more.set()

    def end(self, error: ApiError | None) -> None:
        """See ``Watcher``."""
        if self._finished:
            return
        self._finished = True
        self._ended = error
        if error is not None:
            self._updates.clear()
        self._more.set()

    @property
    def is_idle(self) -> bool:
        """See ``Watcher``."""
        return not self._updates

    async def updates(self) -> AsyncIterator[bytes]:
        """The updates as they come; raises the error that the stream is ended with."""
        while True:
            while self._updates:
                yield self._updates.popleft()
            if self._ended is not None:
                raise self._ended
            if self._finished:
                return
            self._more.clear()
            await self._more.wait()


class Watchers:
    """All who watch one table: the players of its seats, and spectators."""

    def __init__(
        self, clock: Clock, presence: Callable[[str, bool, bool], None], spectating: Spectating | None = None
    ) -> None:
        """``presence``: is told of an account, whether it is away, and whether that is of our making. ``spectating``:
        counts what the tables of this process have of spectators together."""
        self._clock = clock
        self._presence = presence
        self._spectating = spectating or Spectating()
        self._all: dict[Watcher, None] = {}
        self._newest: dict[Who, Watcher] = {}
        """A seat's player and the house bot in its place may both be there for a moment."""
        self.spectators = 0
        """How many of them look on and are nobody's presence."""

    @property
    def count(self) -> int:
        """How many watch."""
        return len(self._all)

    def is_there(self, account: str) -> bool:
        """Whether an account watches as a player."""
        return (False, account) in self._newest

    def open(self, table: TableState, ring: Ring, watcher: Watcher, last_revision: int) -> None:
        """Begin a Watch with what was missed since ``last_revision`` (a heartbeat where nothing was), or a snapshot.

        A viewer that is no seat's is a spectator. An account's newer Watch ends its older, as spectator or as player.
        Raises ``FullError`` where too many spectate.
        """
        viewer = watcher.viewer
        older = self._newest.get(_who(watcher))
        if older is not None:
            self._remove(older)
            older.end(StaleError("WATCH_SUPERSEDED", "a newer Watch of this account goes on"))
        self._add(watcher)
        if viewer is not None:
            self._presence(watcher.account, False, False)
        missed = ring.since(last_revision) if last_revision else None
        if missed is None:
            watcher.put(self._snapshot(table, viewer))
        elif not missed:
            watcher.put(self._sign_of_life(table))
        for step in missed or ():
            watcher.put(self._delta(step, table, viewer))
        if table.stage is Stage.CLOSED:
            self._remove(watcher)
            watcher.end(None)

    def close(self, watcher: Watcher, *, is_ours: bool = False) -> None:
        """A Watch is over; its account is away unless another goes on. ``is_ours``: something of ours has ended it."""
        if watcher not in self._all:
            return
        self._remove(watcher)
        if watcher.viewer is not None:
            self._presence(watcher.account, True, is_ours)

    def tell(self, step: Step) -> None:
        """Send a step to everybody, encoded once for all who see it alike."""
        if step.moves_players:
            self._move(step)
            return
        apart = seen_apart(step)
        alike: bytes | None = None
        for watcher in self._all:
            if apart is None or watcher.viewer in apart:
                watcher.put(self._delta(step, step.after, watcher.viewer))
                continue
            if alike is None:
                alike = self._delta(step, step.after, None)
            watcher.put(alike)
        if step.after.seats is not step.states[0].seats:
            self._part_with(step.after)
        if step.after.stage is Stage.CLOSED:
            self.end_all(None)

    def _part_with(self, table: TableState) -> None:
        """End the Watches of those who have no business with their seat any more: who left, and bots in whose place its
        player is back."""
        for watcher in [watcher for watcher in self._all if watcher.viewer is not None]:
            try:
                seat_to_watch(table, watcher.account)
            except NotAllowedError as error:
                self._remove(watcher)
                watcher.end(error)

    def say(self, table: TableState, said: Said) -> None:
        """Send what somebody says to everybody, encoded once."""
        message = self._message(table)
        message.said.CopyFrom(said)
        update = message.SerializeToString()
        for watcher in self._all:
            watcher.put(update)

    def beat(self, table: TableState) -> None:
        """A sign of life to those who wait for nothing, with the revision by which a lost update is noticed."""
        sign = self._sign_of_life(table)
        for watcher in self._all:
            if watcher.is_idle:
                watcher.put(sign)

    def _move(self, step: Step) -> None:
        """Players sit elsewhere: who watches goes along, and sees the table anew from there."""
        public = self._snapshot(step.after, None)
        for watcher in self._all:
            if watcher.viewer is None:
                watcher.put(public)
            else:
                watcher.viewer = seat_after(step.events, watcher.viewer)
                watcher.put(self._snapshot(step.after, watcher.viewer))

    def end_all(self, error: ApiError | None) -> None:
        """End every Watch. Nobody is away for that: the table is over, or goes on elsewhere."""
        everybody = list(self._all)
        for watcher in everybody:
            self._remove(watcher)
            watcher.end(error)

    def _add(self, watcher: Watcher) -> None:
        """Raises ``FullError``."""
        if watcher.viewer is None:
            self._spectating.come(watcher.account, self.spectators)
            self.spectators += 1
        self._all[watcher] = None
        self._newest[_who(watcher)] = watcher

    def _remove(self, watcher: Watcher) -> None:
        del self._all[watcher]
        del self._newest[_who(watcher)]
        if watcher.viewer is None:
            self._spectating.go(watcher.account)
            self.spectators -= 1

    def _sign_of_life(self, table: TableState) -> bytes:
        message = self._message(table)
        message.heartbeat.head_revision = table.revision
        message.spectators = self.spectators
        return message.SerializeToString()

    def _snapshot(self, table: TableState, viewer: Viewer) -> bytes:
        message = self._message(table)
        message.snapshot.CopyFrom(write_view(table, viewer))
        message.spectators = self.spectators
        return message.SerializeToString()

    def _delta(self, step: Step, table: TableState, viewer: Viewer) -> bytes:
        message = self._message(table)
        write_delta(step, viewer, message.delta)
        return message.SerializeToString()

    def _message(self, table: TableState) -> wire.WatchResponse:
        """With the clocks as they are at the table now, and no update yet."""
        now_ms = self._clock.now_ms()
        message = wire.WatchResponse(server_now_ms=now_ms)
        if table.deadline_ms is not None:
            message.remaining_ms = max(0, table.deadline_ms - now_ms)
        if table.next_fair is not None and table.next_fair.deadline_ms is not None:
            message.ceremony_remaining_ms = max(0, table.next_fair.deadline_ms - now_ms)
        return message


def _who(watcher: Watcher) -> Who:
    return watcher.viewer is None, watcher.account
