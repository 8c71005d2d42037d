"""One open Relay stream (table.proto) as its caller sees it: watches, and requests with one answer."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import grpc
from banakil.table.v1 import spectating_pb2
from banakil.table.v1 import table_pb2 as wire

from shared.kit.clients import received
from shared.kit.relaying import Outgoing, refused_with
from shared.kit.status import DEPENDENCY_AWAY, ApiError, AwayError, FullError
from shared.kit.tasks import spawn

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

MOST_UNREAD: Final = 512
"""Updates of one watch that its reader has not taken."""
MOST_IN_A_BATCH: Final = 100
"""Items, with a token each: a message may have 256 KiB."""
MOST_UNSENT: Final = 20_000
"""Of a line whose other end takes none: it is then down."""
RETRY_AFTER_MS: Final = 250

Moved: TypeAlias = "Callable[[RelayedWatch, str, ApiError], None]"


class ElsewhereError(Exception):
    """Another process runs the table: ask at its address."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


class LineDownError(AwayError):
    """The stream has ended before there was an answer."""

    def __init__(self) -> None:
        super().__init__(DEPENDENCY_AWAY, "the table service is away", retry_after_ms=RETRY_AFTER_MS)


class RelayedWatch:
    """One player's Watch: an async iterator of encoded ``WatchResponse``s. Raises :class:`ApiError` as it ends."""

    def __init__(self, token: str, request: wire.WatchRequest | spectating_pb2.SpectateRequest, moved: Moved) -> None:
        """``moved``: is told of a process that the table is at instead, or that it is no longer where it was."""
        self.token = token
        self.request = request
        self.hops = 0
        """How often it was sent on before it brought anything."""
        self._moved = moved
        self._line: RelayLine | None = None
        self._key = 0
        self._updates: deque[bytes] = deque()
        self._more = asyncio.Event()
        self._ended: ApiError | None = None
        self._over = False
        self._began = False

    def opened(self, line: RelayLine, key: int) -> None:
        """It is on its way on a line."""
        self._line, self._key = line, key

    def put(self, update: bytes) -> None:
        """An update has come."""
        self._began = True
        if len(self._updates) >= MOST_UNREAD:
            self._leave()
            self.end(FullError("OVERLOADED", "too slow", retry_after_ms=RETRY_AFTER_MS))
            return
        self._updates.append(update)
        self._more.set()

    def refused(self, error: ApiError, owner_address: str) -> None:
        """The table is not run there, or no longer; else nothing more is to be seen."""
        if error.status is grpc.StatusCode.UNAVAILABLE and not self._over:
            self._moved(self, owner_address, error)
        else:
            self.end(error)

    @property
    def may_be_sent_on(self) -> bool:
        """Whether its reader need not know that it was sent on: nothing has come of it yet."""
        return not self._began

    def end(self, error: ApiError | None) -> None:
        """Nothing more comes; with an error, not even what is there is worth reading."""
        self._over, self._ended = True, self._ended or error
        self._more.set()

    def cancel(self) -> None:
        """Watch no longer."""
        if not self._over:
            self._leave()
            self.end(None)

    def _leave(self) -> None:
        if self._line is not None:
            self._line.unwatch(self._key)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The updates as they come."""
        while True:
            while self._updates and self._ended is None:
                yield self._updates.popleft()
            if self._ended is not None:
                raise self._ended
            if self._over:
                return
            self._more.clear()
            await self._more.wait()


class RelayLine:
    """One open stream. ``on_down`` is called when it has ended."""

    def __init__(
        self,
        stub: TableServiceAsyncStub,
        *,
        wait_for_ready: bool = False,
        on_down: Callable[[], None] = lambda: None,
    ) -> None:
        self._keys = itertools.count(1)
        self._outgoing: Outgoing[wire.RelayItem] = Outgoing(MOST_IN_A_BATCH, MOST_UNSENT)
        self._watches: dict[int, RelayedWatch] = {}
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._on_down = on_down
        self.is_down = False
        self._task = spawn(self._run(stub, wait_for_ready), "relay")

    def watch(self, watch: RelayedWatch) -> None:
        """Begin a watch."""
        key = next(self._keys)
        self._watches[key] = watch
        watch.opened(self, key)
        request = watch.request
        if isinstance(request, wire.WatchRequest):
            item = wire.RelayItem(key=key, token=watch.token, watch=request)
        else:
            item = wire.RelayItem(key=key, token=watch.token, spectate=request)
        self._outgoing.put(item)

    def unwatch(self, key: int) -> None:
        """End a watch."""
        if self._watches.pop(key, None) is not None:
            self._outgoing.put(wire.RelayItem(key=key, unwatch=True))

    async def ask(self, item: wire.RelayItem) -> Any:
        """Send what has one answer, and give that. Raises :class:`ApiError`, :class:`ElsewhereError`."""
        item.key = next(self._keys)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[item.key] = answer
        self._outgoing.put(item)
        try:
            return await answer
        finally:
            self._asked.pop(item.key, None)

    async def close(self) -> None:
        """End it."""
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _requests(self) -> AsyncIterator[wire.RelayRequest]:
        async for batch in self._outgoing.batches():
            yield wire.RelayRequest(items=batch, reads_also_keys=True)

    async def _run(self, stub: TableServiceAsyncStub, wait_for_ready: bool) -> None:
        try:
            async for batch in received(stub.Relay(self._requests(), wait_for_ready=wait_for_ready)):
                for answer in batch.answers:
                    self._take(answer)
        except ApiError:
            pass
        finally:
            self.is_down = True
            self._outgoing.stop()
            self._on_down()
            for watch in self._watches.values():
                watch.refused(LineDownError(), "")
            for waiting in self._asked.values():
                if not waiting.done():
                    waiting.set_exception(LineDownError())

    def _take(self, answer: wire.RelayAnswer) -> None:
        what: Any = answer.WhichOneof("answer")
        if what == "update":
            update = answer.update
            for key in (answer.key, *answer.also_keys):
                watch = self._watches.get(key)
                if watch is not None:
                    watch.put(update)
        elif what in {"acted", "contributed", "asked", "said"}:
            self._resolve(answer.key, getattr(answer, what), None)
        elif what == "ended":
            watch = self._watches.pop(answer.key, None)
            if watch is not None:
                watch.end(None)
        elif what == "refused":
            self._refuse(answer.key, refused_with(answer.refused), answer.refused.owner_address)

    def _refuse(self, key: int, error: ApiError, owner_address: str) -> None:
        watch = self._watches.pop(key, None)
        if watch is not None:
            watch.refused(error, owner_address)
        self._resolve(key, None, ElsewhereError(owner_address) if owner_address else error)

    def _resolve(self, key: int, answer: object, error: Exception | None) -> None:
        waiting = self._asked.get(key)
        if waiting is None or waiting.done():
            return
        if error is None:
            waiting.set_result(answer)
        else:
            waiting.set_exception(error)
