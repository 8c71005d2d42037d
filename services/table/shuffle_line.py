"""The line to the shuffle service: what all tables ask of it, over one Relay (relay.proto)."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

from banakil.shuffle.v1 import relay_pb2

from shared.kit.clients import DEADLINE_MS, received
from shared.kit.clock import Clock, Timer
from shared.kit.relaying import Outgoing, refused_with
from shared.kit.status import DEPENDENCY_AWAY, ApiError, AwayError
from shared.kit.tasks import cancel_and_wait, spawn

if TYPE_CHECKING:
    from banakil.shuffle.v1.relay_pb2_grpc import RelayServiceAsyncStub

MOST_IN_A_BATCH: Final = 100
MOST_UNSENT: Final = 20_000
"""As many as there are tables in a process: each asks for one thing at a time."""
RETRY_AFTER_MS: Final = 250


class _Asked:
    """What waits for its answer."""

    __slots__ = ("answer", "late_ms")

    def __init__(self, answer: "asyncio.Future[Any]", late_ms: int) -> None:
        self.answer = answer
        self.late_ms = late_ms


class ShuffleLine:
    """Opens a stream when one is needed. While it is down, what is asked ends with ``AwayError``."""

    def __init__(self, stub: "RelayServiceAsyncStub", clock: Clock) -> None:
        self._stub = stub
        self._clock = clock
        self._keys = itertools.count(1)
        self._outgoing = _outgoing()
        self._asked: dict[int, _Asked] = {}
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def __aenter__(self) -> "ShuffleLine":
        """A resource for :meth:`App.enter`."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the stream."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            await cancel_and_wait(self._task)

    async def ask(self, item: relay_pb2.RelayItem) -> Any:
        """The answer. Raises :class:`ApiError`: as refused, or ``AwayError`` where none came in 3 s."""
        if self._closed:
            raise _away()
        item.key = next(self._keys)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[item.key] = _Asked(answer, self._clock.monotonic_ms() + DEADLINE_MS)
        self._outgoing.put(item)
        if self._task is None:
            self._task = spawn(self._run(), "shuffle line")
        if self._timer is None:
            self._timer = self._clock.call_at(self._clock.monotonic_ms() + DEADLINE_MS, self._give_up)
        try:
            return await answer
        finally:
            self._asked.pop(item.key, None)

    async def _run(self) -> None:
        try:
            async for batch in received(self._stub.Relay(_requests(self._outgoing))):
                for answer in batch.answers:
                    self._take(answer)
        except ApiError:
            pass
        finally:
            self._task = None
            self._outgoing.stop()
            self._outgoing = _outgoing()
            for asked in self._asked.values():
                _fail(asked, _away())

    def _take(self, answer: relay_pb2.RelayAnswer) -> None:
        asked = self._asked.get(answer.key)
        what: Any = answer.WhichOneof("answer")
        if asked is None or asked.answer.done():
            return
        if what == "refused":
            _fail(asked, refused_with(answer.refused))
        else:
            asked.answer.set_result(getattr(answer, what) if what else None)

    def _give_up(self) -> None:
        """No longer wait for what is late; the first that was asked is the first to be."""
        self._timer = None
        now_ms = self._clock.monotonic_ms()
        for asked in self._asked.values():
            if asked.late_ms > now_ms:
                self._timer = self._clock.call_at(asked.late_ms, self._give_up)
                return
            _fail(asked, _away())


def _outgoing() -> Outgoing[relay_pb2.RelayItem]:
    return Outgoing(MOST_IN_A_BATCH, MOST_UNSENT)


async def _requests(outgoing: Outgoing[relay_pb2.RelayItem]) -> AsyncIterator[relay_pb2.RelayRequest]:
    async for batch in outgoing.batches():
        yield relay_pb2.RelayRequest(items=batch)


def _fail(asked: _Asked, error: ApiError) -> None:
    if not asked.answer.done():
        asked.answer.set_exception(error)


def _away() -> AwayError:
    return AwayError(DEPENDENCY_AWAY, "the shuffle service is away", retry_after_ms=RETRY_AFTER_MS)
