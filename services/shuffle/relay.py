"""A Relay: a table service's calls over one stream, answered in batches (relay.proto).

Whatever gathers while one batch is being written goes in the next, so that a busy stream costs few writes.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, Final

import grpc
import structlog
from banakil.shuffle.v1 import relay_pb2, relay_pb2_grpc

from services.shuffle.calls import BEGIN, CLOSE, CONTRIBUTE, DECK, RESHUFFLE, REVEAL, Call
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.refusals import BadRequestError
from shared.kit.status import ApiError, FullError
from shared.kit.tasks import spawn

MOST_UNDER_WAY: Final = 2_000
"""Of one relay."""
MOST_IN_A_BATCH: Final = 200
RETRY_AFTER_MS: Final = 250

_log = structlog.get_logger("shuffle.relay")

_CALLS: Final[dict[str, tuple[Call[Any], str]]] = {
    "begin": (BEGIN, "begun"),
    "close": (CLOSE, "closed"),
    "contribute": (CONTRIBUTE, "contributed"),
    "deck": (DECK, "deck"),
    "reshuffle": (RESHUFFLE, "reshuffled"),
    "reveal": (REVEAL, "revealed"),
}
"""Each call by its name in an item, with that of its answer."""

Translate = Callable[[Exception], ApiError]


class RelayServicer(relay_pb2_grpc.RelayServiceServicer):
    """See relay.proto."""

    def __init__(self, ceremonies: Ceremonies, translate: Translate) -> None:
        self._ceremonies = ceremonies
        self._translate = translate

    async def Relay(self, request_iterator: Any, context: Any) -> AsyncIterator[relay_pb2.RelayResponse]:  # noqa: N802
        """Carries a table service's calls."""
        async for batch in Relay(self._ceremonies, self._translate).run(request_iterator):
            yield batch


class Relay:
    """One open relay."""

    def __init__(self, ceremonies: Ceremonies, translate: Translate) -> None:
        self._ceremonies = ceremonies
        self._translate = translate
        self._unsent: list[relay_pb2.RelayAnswer] = []
        self._more = asyncio.Event()
        self._under_way: set[asyncio.Future[Any]] = set()
        self._over = False

    async def run(self, requests: AsyncIterator[relay_pb2.RelayRequest]) -> AsyncIterator[relay_pb2.RelayResponse]:
        """Answer until the caller ends the stream."""
        reader = spawn(self._read(requests), "relay reads")
        try:
            while not self._over or self._unsent or self._under_way:
                await self._more.wait()
                self._more.clear()
                while self._unsent:
                    batch, self._unsent = self._unsent[:MOST_IN_A_BATCH], self._unsent[MOST_IN_A_BATCH:]
                    yield relay_pb2.RelayResponse(answers=batch)
        finally:
            reader.cancel()
            for call in self._under_way:
                call.cancel()

    async def _read(self, requests: AsyncIterator[relay_pb2.RelayRequest]) -> None:
        try:
            async for request in requests:
                for item in request.items:
                    self._take(item)
        finally:
            self._over = True
            self._more.set()

    def _take(self, item: relay_pb2.RelayItem) -> None:
        what: Any = item.WhichOneof("call")
        try:
            if len(self._under_way) >= MOST_UNDER_WAY:
                raise FullError("OVERLOADED", "too many at once", retry_after_ms=RETRY_AFTER_MS)
            if what is None:
                raise BadRequestError("an item is one of the calls")
            call, answer = _CALLS[what]
            done = call.start(self._ceremonies, getattr(item, what))
        except Exception as error:
            self._refuse(item.key, error)
            return
        self._under_way.add(done)
        done.add_done_callback(partial(self._done, item.key, call, answer))

    def _done(self, key: int, call: Call[Any], answer: str, done: "asyncio.Future[Any]") -> None:
        self._under_way.discard(done)
        if done.cancelled():
            return
        written: dict[str, Any] = {}
        try:
            written[answer] = call.write(done.result())
        except Exception as error:
            self._refuse(key, error)
        else:
            self._answer(relay_pb2.RelayAnswer(key=key, **written))

    def _refuse(self, key: int, error: Exception) -> None:
        typed = self._translate(error)
        if typed.status is grpc.StatusCode.INTERNAL:
            _log.error("relay.failed", exc_info=error)
        refusal = relay_pb2.RelayAnswer.Refusal(
            code=typed.code, status=typed.status.value[0], message=typed.message, retry_after_ms=typed.retry_after_ms
        )
        self._answer(relay_pb2.RelayAnswer(key=key, refused=refusal))

    def _answer(self, answer: relay_pb2.RelayAnswer) -> None:
        self._unsent.append(answer)
        self._more.set()
