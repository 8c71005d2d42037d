"""Who watches a table: one bounded queue each, filled as steps happen, so that a slow one holds up nobody."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Final, Protocol

from banakil.table.v1 import table_pb2 as wire

from services.table.ring import Ring, Step
from services.table.seats import seat_to_watch
from services.table.state import Stage, TableState
from services.table.wire import seen_apart, write_delta, write_view
from shared.kit.clock import Clock
from shared.kit.status import ApiError, FullError, NotAllowedError, StaleError
from shared.rules.views import Viewer

MOST_UNSENT: Final = 256
"""Updates that wait for a slow viewer before it is told to come again."""
MOST_WATCHERS: Final = 64
"""Of one table."""
HEARTBEAT_MS: Final = 5_000


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
    """All who watch one table."""

    def __init__(self, clock: Clock, presence: Callable[[str, bool], None]) -> None:
        self._clock = clock
        self._presence = presence
        self._all: list[Watcher] = []
        self._by_account: dict[str, Watcher] = {}
        """A seat's player and the house bot in its place may both be there for a moment."""

    @property
    def count(self) -> int:
        """How many watch."""
        return len(self._all)

    def open(self, table: TableState, ring: Ring, watcher: Watcher, last_revision: int) -> None:
        """Begin a Watch with what was missed since ``last_revision`` (a heartbeat where nothing was), or a snapshot.

        An account's newer Watch ends its older. Raises ``FullError`` where too many watch.
        """
        viewer, account = watcher.viewer, watcher.account
        older = self._by_account.pop(account, None)
        if older is not None:
            self._all.remove(older)
            older.end(StaleError("WATCH_SUPERSEDED", "a newer Watch of this account goes on"))
        elif len(self._all) >= MOST_WATCHERS:
            raise FullError("OVERLOADED", "too many watch this table", retry_after_ms=5_000)
        self._all.append(watcher)
        if account:
            self._by_account[account] = watcher
            self._presence(account, False)
        missed = ring.since(last_revision) if last_revision else None
        if missed is None:
            watcher.put(self._message(table, snapshot=write_view(table, viewer)))
        elif not missed:
            watcher.put(self._sign_of_life(table))
        for step in missed or ():
            watcher.put(self._message(table, delta=write_delta(step, viewer)))
        if table.stage is Stage.CLOSED:
            watcher.end(None)

    def close(self, watcher: Watcher) -> None:
        """A Watch is over; its seat is away unless another goes on."""
        if watcher not in self._all:
            return
        self._all.remove(watcher)
        account = watcher.account
        if self._by_account.get(account) is watcher:
            del self._by_account[account]
            self._presence(account, True)

    def tell(self, step: Step) -> None:
        """Send a step to everybody, encoded once for all who see it alike."""
        apart = seen_apart(step)
        alike: bytes | None = None
        for watcher in self._all:
            if apart is None or watcher.viewer in apart:
                watcher.put(self._message(step.after, delta=write_delta(step, watcher.viewer)))
                continue
            if alike is None:
                alike = self._message(step.after, delta=write_delta(step, None))
            watcher.put(alike)
        if step.after.seats is not step.states[0].seats:
            self._part_with(step.after)
        if step.after.stage is Stage.CLOSED:
            self.end_all(None)

    def _part_with(self, table: TableState) -> None:
        """End the Watches of those who have no business with their seat any more: who left, and bots in whose place its
        player is back."""
        for account, watcher in list(self._by_account.items()):
            try:
                seat_to_watch(table, account)
            except NotAllowedError as error:
                del self._by_account[account]
                self._all.remove(watcher)
                watcher.end(error)

    def beat(self, table: TableState) -> None:
        """A sign of life to those who wait for nothing, with the revision by which a lost update is noticed."""
        sign = self._sign_of_life(table)
        for watcher in self._all:
            if watcher.is_idle:
                watcher.put(sign)

    def end_all(self, error: ApiError | None) -> None:
        """End every Watch."""
        for watcher in self._all:
            watcher.end(error)

    def _sign_of_life(self, table: TableState) -> bytes:
        return self._message(table, heartbeat=wire.Heartbeat(head_revision=table.revision))

    def _message(self, table: TableState, **update: object) -> bytes:
        now_ms = self._clock.now_ms()
        message = wire.WatchResponse(server_now_ms=now_ms, **update)  # type: ignore[arg-type]  # one of the updates
        if table.deadline_ms is not None:
            message.remaining_ms = max(0, table.deadline_ms - now_ms)
        if table.next_fair is not None and table.next_fair.deadline_ms is not None:
            message.ceremony_remaining_ms = max(0, table.next_fair.deadline_ms - now_ms)
        return message.SerializeToString()
