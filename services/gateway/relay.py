"""The gateway's end of a Relay (table.proto): every player's watch, actions and contributions over one stream.

While the stream is down, they end with ``AwayError``, as calls of their own would; it is opened anew for
the next one that asks.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

import grpc
from banakil.table.v1 import contributing_pb2
from banakil.table.v1 import table_pb2 as wire

from shared.kit.status import DEPENDENCY_AWAY, ApiError, AwayError, FullError
from shared.kit.tasks import spawn

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

MOST_UNREAD: Final = 512
"""Updates of one watch that its reader has not taken."""
MOST_IN_A_BATCH: Final = 500
RETRY_AFTER_MS: Final = 250
_STATUS: Final = {status.value[0]: status for status in grpc.StatusCode}


class RelayedWatch:
    """One player's Watch: an async iterator of encoded ``WatchResponse``s. Raises :class:`ApiError` as it ends."""

    def __init__(self, line: _Line, key: int) -> None:
        self._line = line
        self._key = key
        self._updates: deque[bytes] = deque()
        self._more = asyncio.Event()
        self._ended: ApiError | None = None
        self._over = False

    def put(self, update: bytes) -> None:
        """An update has come."""
        if len(self._updates) >= MOST_UNREAD:
            self.end(FullError("OVERLOADED", "too slow", retry_after_ms=RETRY_AFTER_MS))
            self._line.unwatch(self._key)
            return
        self._updates.append(update)
        self._more.set()

    def end(self, error: ApiError | None) -> None:
        """Nothing more comes; with an error, not even what is there is worth reading."""
        self._over, self._ended = True, self._ended or error
        self._more.set()

    def cancel(self) -> None:
        """Watch no longer."""
        if not self._over:
            self._line.unwatch(self._key)
            self.end(None)

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


class Relay:
    """Opens a line to the table service when one is needed."""

    def __init__(self, stub: TableServiceAsyncStub) -> None:
        self._stub = stub
        self._line: _Line | None = None

    def watch(self, token: str, table_id: str, last_revision: int) -> RelayedWatch:
        """The player's view of a table."""
        request = wire.WatchRequest(table_id=table_id, last_revision=last_revision)
        return self._open().watch(token, request)

    async def act(self, token: str, request: wire.ActRequest) -> wire.ActResponse:
        """Play an action. Raises :class:`ApiError`; where it is :class:`AwayError` it may have been played."""
        acted: wire.ActResponse = await self._open().ask(wire.RelayItem(token=token, act=request))
        return acted

    async def contribute(self, token: str, request: contributing_pb2.ContributeRequest) -> None:
        """Add to a shuffle. Raises as :meth:`act` does."""
        await self._open().ask(wire.RelayItem(token=token, contribute=request))

    async def close(self) -> None:
        """End the line."""
        if self._line is not None:
            await self._line.close()

    def _open(self) -> _Line:
        if self._line is None or self._line.is_down:
            self._line = _Line(self._stub)
        return self._line


class _Line:
    """One open stream."""

    def __init__(self, stub: TableServiceAsyncStub) -> None:
        self._keys = itertools.count(1)
        self._unsent: list[wire.RelayItem] = []
        self._more = asyncio.Event()
        self._watches: dict[int, RelayedWatch] = {}
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self.is_down = False
        self._task = spawn(self._run(stub), "relay")

    def watch(self, token: str, request: wire.WatchRequest) -> RelayedWatch:
        """Begin a watch."""
        key = next(self._keys)
        watch = self._watches[key] = RelayedWatch(self, key)
        self._send(wire.RelayItem(key=key, token=token, watch=request))
        return watch

    def unwatch(self, key: int) -> None:
        """End a watch."""
        if self._watches.pop(key, None) is not None:
            self._send(wire.RelayItem(key=key, unwatch=True))

    async def ask(self, item: wire.RelayItem) -> Any:
        """Send what has one answer, and give that. Raises :class:`ApiError`."""
        item.key = next(self._keys)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[item.key] = answer
        self._send(item)
        try:
            return await answer
        finally:
            self._asked.pop(item.key, None)

    async def close(self) -> None:
        """End it."""
        self._task.cancel()
        await asyncio.wait([self._task])

    def _send(self, item: wire.RelayItem) -> None:
        self._unsent.append(item)
        self._more.set()

    async def _requests(self) -> AsyncIterator[wire.RelayRequest]:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._unsent:
                batch, self._unsent = self._unsent[:MOST_IN_A_BATCH], self._unsent[MOST_IN_A_BATCH:]
                yield wire.RelayRequest(items=batch)

    async def _run(self, stub: TableServiceAsyncStub) -> None:
        try:
            async for batch in stub.Relay(self._requests(), wait_for_ready=True):
                for answer in batch.answers:
                    self._take(answer)
        except grpc.aio.AioRpcError:
            pass
        finally:
            self.is_down = True
            away = AwayError(DEPENDENCY_AWAY, "the table service is away", retry_after_ms=RETRY_AFTER_MS)
            for watch in self._watches.values():
                watch.end(away)
            for waiting in self._asked.values():
                if not waiting.done():
                    waiting.set_exception(away)

    def _take(self, answer: wire.RelayAnswer) -> None:
        what: Any = answer.WhichOneof("answer")
        if what == "update":
            watch = self._watches.get(answer.key)
            if watch is not None:
                watch.put(answer.update)
        elif what in {"acted", "contributed"}:
            self._resolve(answer.key, getattr(answer, what), None)
        elif what == "ended":
            self._end(answer.key, None)
        elif what == "refused":
            error = _error(answer.refused)
            self._end(answer.key, error)
            self._resolve(answer.key, None, error)

    def _end(self, key: int, error: ApiError | None) -> None:
        watch = self._watches.pop(key, None)
        if watch is not None:
            watch.end(error)

    def _resolve(self, key: int, answer: object, error: ApiError | None) -> None:
        waiting = self._asked.get(key)
        if waiting is None or waiting.done():
            return
        if error is None:
            waiting.set_result(answer)
        else:
            waiting.set_exception(error)


def _error(refusal: wire.RelayAnswer.Refusal) -> ApiError:
    retry_after_ms = refusal.retry_after_ms if refusal.HasField("retry_after_ms") else None
    status = _STATUS.get(refusal.status, grpc.StatusCode.INTERNAL)
    return ApiError(refusal.code, refusal.message, retry_after_ms=retry_after_ms, status=status)
