"""Following a table or a room for one player. When the service at the other end goes away and comes back, the stream is
opened anew from the last revision: the browser sees a pause at the most.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Final

import grpc
from banakil.lobby.v1.lobby_pb2 import ROOM_STATE_STARTED, WatchRoomResponse

from services.gateway.json_mapping import encode, message_fields
from services.gateway.relay import RelayedWatch
from services.gateway.updates import Updates
from services.gateway.upstream import Upstream
from shared.kit.clock import Clock
from shared.kit.status import ApiError, api_error
from shared.kit.tasks import is_being_cancelled

RETRY_FIRST_MS: Final = 50
RETRY_MOST_MS: Final = 2_000
_PASSING: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)
_LASTING: Final = frozenset({"TOO_MANY_SPECTATORS"})
"""Of such a status, but for the person to know."""
_jitter: Final = random.Random()

Send = Callable[[str], None]
Ticket = Callable[[], str]
"""The player's newest token."""
OpenStream = Callable[[str, str, int], RelayedWatch]
"""By token, table and the last revision."""


class TableFollower:
    """Passes a player's view of one table on."""

    def __init__(
        self, open_stream: OpenStream, updates: Updates, clock: Clock, table_id: str, last_revision: int
    ) -> None:
        """``open_stream``: the upstream's ``watch``, or ``spectate``."""
        self.head_revision = 0
        """The table's revision, as far as its streams have told."""
        self.spectators = 0
        """So many look on, as far as its heartbeats have told."""
        self._open_stream = open_stream
        self._updates = updates
        self._clock = clock
        self._table_id = table_id
        self._revision = last_revision

    async def run(self, ticket: Ticket, send: Send) -> None:
        """Follow to the end."""

        def reopen() -> Any:
            return self._open_stream(ticket(), self._table_id, self._revision)

        code = "TABLE_CLOSED"
        try:
            async with aclosing(reopened(reopen, self._clock)) as raw_updates:
                async for raw in raw_updates:
                    self._pass_on(raw, send)
        except ApiError as error:
            code = error.code
        send(encode({"t": "ended", "tableId": self._table_id, "code": code}))

    def _pass_on(self, raw: bytes, send: Send) -> None:
        update = self._updates.read(raw)
        if update.revision:
            self.head_revision = update.revision
        if update.spectators is not None:
            self.spectators = update.spectators
        if update.body:
            self._revision = update.revision or self._revision
            send(f'{{"t":"update","tableId":"{self._table_id}",{update.body}')


class RoomFollower:
    """Passes a room on until it is a table."""

    head_revision = 0
    spectators = 0

    def __init__(self, upstream: Upstream, clock: Clock, room_id: str) -> None:
        self._upstream = upstream
        self._clock = clock
        self._room_id = room_id
        self._state = 0

    async def run(self, ticket: Ticket, send: Send) -> None:
        """Follow to the end."""

        def reopen() -> Any:
            return self._upstream.watch_room(ticket(), self._room_id)

        code = ""
        try:
            async with aclosing(reopened(reopen, self._clock)) as answers:
                async for answer in answers:
                    self._pass_on(answer, send)
        except ApiError as error:
            code = error.code
        code = code or ("ROOM_STARTED" if self._state == ROOM_STATE_STARTED else "NO_SUCH_ROOM")
        send(encode({"t": "ended", "roomId": self._room_id, "code": code}))

    def _pass_on(self, answer: WatchRoomResponse, send: Send) -> None:
        self._state = int(answer.room.state)
        send(encode({"t": "room", **message_fields(answer)}))


async def reopened(reopen: Callable[[], Any], clock: Clock) -> AsyncGenerator[Any, None]:
    """What one stream after another brings, until one ends by itself.

    Raises :class:`ApiError` for what trying again would not mend.
    """
    retry_ms = RETRY_FIRST_MS
    while True:
        call = reopen()
        try:
            async for message in call:
                yield message
                retry_ms = RETRY_FIRST_MS
            return
        except (grpc.aio.AioRpcError, ApiError) as fault:
            error = fault if isinstance(fault, ApiError) else api_error(fault)
            if error.status not in _PASSING or error.code in _LASTING:
                raise error from None
            wait_ms = max(retry_ms, error.retry_after_ms or 0)
        except asyncio.CancelledError:
            if is_being_cancelled():
                raise
            wait_ms = retry_ms
        finally:
            call.cancel()
        # Apart from each other: when a service comes back, all its players come back to it.
        await clock.sleep_ms(round(wait_ms * _jitter.uniform(0.5, 1.0)))
        retry_ms = min(2 * retry_ms, RETRY_MOST_MS)
