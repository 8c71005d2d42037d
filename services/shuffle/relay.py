"""A Relay: a table service's calls over one stream, answered in batches (relay.proto)."""

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
from shared.kit.relaying import Outgoing, refusal_fields
from shared.kit.status import ApiError, FullError
from shared.kit.tasks import spawn

MOST_UNDER_WAY: Final = 2_000
"""Of one relay."""
MOST_UNSENT: Final = 2_000
"""Answers that wait for a slow table service before its stream is ended."""
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
        self._outgoing: Outgoing[relay_pb2.RelayAnswer] = Outgoing(MOST_IN_A_BATCH, MOST_UNSENT)
        self._under_way: set[asyncio.Future[Any]] = set()
        self._over = False

    async def run(self, requests: AsyncIterator[relay_pb2.RelayRequest]) -> AsyncIterator[relay_pb2.RelayResponse]:
        """Answer until the caller ends the stream. Raises ``FullError`` where it is too slow for what it asks."""
        reader = spawn(self._read(requests), "relay reads")
        try:
            async for batch in self._outgoing.batches():
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
            self._finish()

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
        self._finish()
        if done.cancelled():
            return
        written: dict[str, Any] = {}
        try:
            written[answer] = call.write(done.result())
        except Exception as error:
            self._refuse(key, error)
        else:
            self._outgoing.put(relay_pb2.RelayAnswer(key=key, **written))

    def _refuse(self, key: int, error: Exception) -> None:
        typed = self._translate(error)
        if typed.status is grpc.StatusCode.INTERNAL:
            _log.error("relay.failed", exc_info=error)
        refusal = relay_pb2.RelayAnswer.Refusal(**refusal_fields(typed))
        self._outgoing.put(relay_pb2.RelayAnswer(key=key, refused=refusal))

    def _finish(self) -> None:
        """The stream ends with the last answer to a caller that asks for nothing more."""
        if self._over and not self._under_way:
            self._outgoing.finish()
