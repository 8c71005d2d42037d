"""One player's socket (docs/socket.md): who it is, what is followed, what is asked, and when it has to end."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Final, NamedTuple

import structlog
from starlette.websockets import WebSocket, WebSocketDisconnect

from services.gateway.connection import ABORT
from services.gateway.following import RoomFollower, TableFollower
from services.gateway.frames import (
    Act,
    Ask,
    AskHints,
    BadFrameError,
    Contribute,
    Frame,
    Hello,
    Ping,
    Say,
    Spectate,
    Unwatch,
    Watch,
    WatchRoom,
    read_frame,
)
from services.gateway.json_mapping import encode, message_fields
from services.gateway.lane import Lane
from services.gateway.metrics import GatewayMetrics
from services.gateway.outgoing import Outgoing
from services.gateway.sockets import Sockets
from services.gateway.updates import Updates
from services.gateway.upstream import Upstream, is_unanswered
from shared.kit.clock import Clock
from shared.kit.identity import ACCOUNT_ROLES, TokenVerifier
from shared.kit.limits import RateLimiter
from shared.kit.status import (
    BAD_REQUEST,
    BAD_TOKEN,
    INTERNAL,
    NO_TOKEN,
    ApiError,
    FullError,
    MalformedError,
    UnauthenticatedError,
)
from shared.kit.tasks import spawn

PROTOCOL: Final = 1
HELLO_MS: Final = 5_000
FAREWELL_MS: Final = 2_000
"""How long a client has to take its `bye`."""
FRAMES_PER_SECOND: Final = 20.0
FRAMES_AT_ONCE: Final = 40
MOST_ACTS: Final = 16
MOST_CONTRIBUTIONS: Final = 4
MOST_HINTS: Final = 4
MOST_SAYINGS: Final = 4
RETRY_MS: Final = 500
CLOSE_CODE: Final = 4_000

_numbers: Final = itertools.count()
_log = structlog.get_logger("gateway.socket")


class Around(NamedTuple):
    """What sockets share."""

    upstream: Upstream
    updates: Updates
    verifier: TokenVerifier
    clock: Clock
    sockets: Sockets
    rates: RateLimiter
    metrics: GatewayMetrics


def frame_rates(clock: Clock) -> RateLimiter:
    """The limiter of what clients send, for :class:`Around`."""
    return RateLimiter(clock, per_second=FRAMES_PER_SECOND, burst=FRAMES_AT_ONCE)


class PlayerSocket:
    """One socket, from its opening to its end."""

    def __init__(self, websocket: WebSocket, around: Around, address: str) -> None:
        self._websocket = websocket
        self._around = around
        self._address = address
        self._abort: Callable[[], None] = websocket.scope["state"][ABORT]
        self._number = str(next(_numbers))
        self._account = ""
        self._ticket = ""
        self._leaving = ""
        self._out = Outgoing()
        self._acts = Lane("socket acts", MOST_ACTS)
        # A shuffle's steps are short, and must not wait for an action that is slow.
        self._contributions = Lane("socket contributions", MOST_CONTRIBUTIONS)
        self._hints = Lane("socket hints", MOST_HINTS)
        self._sayings = Lane("socket sayings", MOST_SAYINGS)
        self._follower: TableFollower | RoomFollower | None = None
        self._following: asyncio.Task[None] | None = None
        self._counted = ExitStack()

    async def serve(self) -> None:
        """Serve to the end."""
        clock = self._around.clock
        began_ms = clock.monotonic_ms()
        await self._websocket.accept()
        writer = spawn(self._write(), "socket writer")
        timer = clock.call_at(began_ms + HELLO_MS, self._expect_hello)
        try:
            with self._around.sockets.opened(self, self._address), self._counted:
                await self._read()
        finally:
            timer.cancel()
            self._stop()
            if not self._leaving:
                writer.cancel()
            await asyncio.wait([writer])
            duration_ms = clock.monotonic_ms() - began_ms
            _log.info("socket.closed", account=self._account, code=self._leaving, duration_ms=duration_ms)

    def bye(self, code: str) -> None:
        """Tell the client why, in place of all that still waits, and end. Who does not take it is cut off."""
        if self._leaving:
            return
        self._leaving = code
        self._around.metrics.byes.labels(code).inc()
        self._stop()
        self._out.finish(encode({"t": "bye", "code": code}))
        clock = self._around.clock
        clock.call_at(clock.monotonic_ms() + FAREWELL_MS, self._abort)

    def look(self) -> None:
        """End when the ticket has expired and no fresh one came."""
        if self._account and not self._leaving:
            try:
                self._account_of(self._ticket)
            except UnauthenticatedError as fault:
                self.bye(fault.code)

    async def _write(self) -> None:
        with suppress(WebSocketDisconnect, OSError):
            while (frame := await self._out.next()) is not None:
                await self._websocket.send_text(frame)
            await self._websocket.close(CLOSE_CODE, self._leaving)

    async def _read(self) -> None:
        while (message := await self._websocket.receive())["type"] != "websocket.disconnect":
            if self._leaving:
                continue
            text = message.get("text")
            if self._around.rates.take(self._number):
                self.bye("RATE_LIMITED")
            elif text is None:
                self.bye("BAD_FRAME")
            else:
                self._take(text)

    def _take(self, text: str) -> None:
        try:
            frame = read_frame(text)
            if isinstance(frame, Hello):
                self._hello(frame)
            elif not self._account:
                self.bye(NO_TOKEN)
            else:
                self._account_of(self._ticket)
                self._do(frame)
        except BadFrameError:
            self.bye("BAD_FRAME")
        except UnauthenticatedError as fault:
            self.bye(fault.code)

    def _do(self, frame: Frame) -> None:
        around = self._around
        match frame:
            case Act():
                self._command(self._acts, frame, around.upstream.act, "BAD_ACTION")
            case Ask():
                self._command(self._acts, frame, around.upstream.wish, BAD_REQUEST)
            case Contribute():
                self._command(self._contributions, frame, around.upstream.contribute, BAD_REQUEST)
            case Say():
                self._command(self._sayings, frame, around.upstream.say, BAD_REQUEST)
            case Ping(n):
                self._pong(n)
            case AskHints(_, n):
                self._queue(self._hints, partial(self._ask_hints, frame), {"n": n})
            case Watch(table_id, last_revision) | Spectate(table_id, last_revision):
                stream = around.upstream.watch if isinstance(frame, Watch) else around.upstream.spectate
                self._follow(TableFollower(stream, around.updates, around.clock, table_id, last_revision))
            case WatchRoom(room_id):
                self._follow(RoomFollower(around.upstream, around.clock, room_id))
            case Unwatch():
                self._follow(None)
            case Hello():
                pass

    def _hello(self, hello: Hello) -> None:
        if hello.protocol != PROTOCOL:
            self.bye("PROTOCOL_UNKNOWN")
            return
        account = self._account_of(hello.ticket)
        if self._account and account != self._account:
            raise UnauthenticatedError(BAD_TOKEN)
        self._ticket = hello.ticket
        if not self._account:
            self._account = account
            self._counted.enter_context(self._around.sockets.signed_in(self, account))
        self._send(
            encode({"t": "welcome", "protocol": PROTOCOL, "accountId": account, "serverNowMs": self._server_now()})
        )

    def _account_of(self, ticket: str) -> str:
        """Raises :class:`UnauthenticatedError`."""
        principal = self._around.verifier.verify(ticket)
        if principal.role not in ACCOUNT_ROLES:
            raise UnauthenticatedError(BAD_TOKEN)
        return principal.account

    def _expect_hello(self) -> None:
        if not self._account:
            self.bye("HELLO_TIMEOUT")

    def _follow(self, follower: TableFollower | RoomFollower | None) -> None:
        if self._following is not None:
            self._following.cancel()
        self._follower, self._following = follower, None
        if follower is not None:
            following = partial(follower.run, lambda: self._ticket, self._send)
            self._following = spawn(self._guarded(following), "socket stream")

    def _queue(self, lane: Lane, work: Callable[[], Awaitable[None]], about: dict[str, Any]) -> None:
        if not lane.put(partial(self._guarded, work)):
            self._refuse(about, FullError("OVERLOADED", "too much asked at once", retry_after_ms=RETRY_MS))

    def _command(
        self, lane: Lane, frame: Act | Ask | Contribute | Say, rpc: Callable[..., Awaitable[Any]], bad: str
    ) -> None:
        """Has what a player asks of its table done, in its turn. ``bad``: the code for what cannot be read."""
        about = {"commandId": frame.command_id}
        request = frame.request

        async def work() -> None:
            if request is None:
                self._refuse(about, MalformedError(bad, "it cannot be read"))
                return
            try:
                answer = await rpc(self._ticket, request)
            except ApiError as error:
                self._failed(about, error, request.table_id)
            else:
                revision = {} if answer is None else {"revision": answer.revision}
                self._send(encode({"t": "done", **about, **revision}))

        self._queue(lane, work, about)

    def _failed(self, about: dict[str, Any], error: ApiError, table_id: str) -> None:
        if is_unanswered(error):
            # It may have been done: only the same again can tell, and the client sends it by itself.
            _log.warning("command.unanswered", reason=error.code, table=table_id)
        else:
            self._refuse(about, error)

    async def _ask_hints(self, asked: AskHints) -> None:
        about = {"n": asked.n}
        try:
            answer = await self._around.upstream.hints(self._ticket, asked.table_id)
        except ApiError as error:
            self._refuse(about, error)
        else:
            self._send(encode({"t": "hints", **about, **message_fields(answer)}))

    def _pong(self, n: int) -> None:
        head = self._follower.head_revision if self._follower is not None else 0
        pong: dict[str, Any] = {"t": "pong", "n": n, "serverNowMs": self._server_now()}
        if head:
            pong["headRevision"] = head
        if self._follower is not None and self._follower.spectators:
            pong["spectators"] = self._follower.spectators
        self._send(encode(pong))

    def _refuse(self, about: dict[str, Any], error: ApiError) -> None:
        refused = {"t": "refused", **about, "code": error.code, "message": error.message}
        if error.retry_after_ms is not None:
            refused["retryAfterMs"] = error.retry_after_ms
        self._send(encode(refused))

    def _send(self, frame: str) -> None:
        if not self._out.put(frame):
            self.bye("SLOW_CLIENT")

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        """A fault of ours ends this socket, with a word, rather than leave it half alive."""
        try:
            await work()
        except Exception:
            _log.exception("socket.failed", account=self._account)
            self.bye(INTERNAL)

    def _stop(self) -> None:
        self._follow(None)
        self._acts.stop()
        self._contributions.stop()
        self._hints.stop()
        self._sayings.stop()

    def _server_now(self) -> str:
        """Unix milliseconds; 64-bit numbers are text in protobuf's JSON."""
        return str(self._around.clock.now_ms())
