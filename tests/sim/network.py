"""Between processes: messages that are delayed, lost, sent twice and overtaken; calls and streams made of them.

A call is a request and its answer, either of which may be lost, and the request may come twice, as with a client that
repeats it. A stream keeps its order and loses nothing, until it is cut: then what is under way is lost.
"""

import asyncio
import contextvars
import hashlib
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final, NamedTuple, Protocol

from google.protobuf.message import Message

from shared.kit.identity import Principal, Role
from shared.kit.rpc_context import RpcContext, current_rpc
from shared.kit.status import ApiError, AwayError
from tests.sim.loop import Process
from tests.sim.world import World

CALL_MS: Final = 5_000
"""After which a caller gives up."""
AWAY: Final = "AWAY"


class Server(Protocol):
    """Answers calls in a process."""

    process: Process

    async def answer(self, method: str, request: bytes) -> bytes:
        """Of a unary call. Raises `ApiError`."""

    def stream(self, method: str, requests: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        """Of a streamed one, to one request or many. Raises `ApiError`."""


class Caller(NamedTuple):
    """Who calls, and which service has passed it on."""

    who: Principal
    via: Principal | None = None

    @property
    def token(self) -> str:
        """As this world has tokens: they say who it is, and everybody believes them."""
        return f"{self.who.role.value}/{self.who.account}"


def read_token(token: str) -> Principal:
    """Whose token it is."""
    role, _, account = token.partition("/")
    return Principal(Role(role), account)


class Network:
    """Who can be reached under which name, and what becomes of messages."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.servers: dict[str, list[Server]] = {}
        self._rng = world.rng("network")

    def serve(self, name: str, server: Server) -> None:
        """Be reached under a name, for as long as the process lives."""
        servers = self.servers.setdefault(name, [])
        servers.append(server)
        server.process.on_death[server] = lambda: self.leave(name, server)

    def leave(self, name: str, server: Server) -> None:
        """Be reached no more."""
        if server in self.servers[name]:
            self.servers[name].remove(server)

    async def call(self, caller: Process, name: str, method: str, request: Message, who: Principal) -> bytes:
        """What a server answers. Raises `ApiError`, `AwayError` where nobody did."""
        return await self.call_raw(caller, name, method, request.SerializeToString(deterministic=True), Caller(who))

    async def call_raw(self, caller: Process, name: str, method: str, request: bytes, who: Caller) -> bytes:
        """As `call`, with any bytes."""
        done: asyncio.Future[bytes] = caller.create_future()

        def fail(error: ApiError) -> None:
            if not done.done() and not caller.dead:
                done.set_exception(error)

        def answered(outcome: bytes | ApiError) -> None:
            if isinstance(outcome, ApiError):
                fail(outcome)
            elif not done.done() and not caller.dead:
                done.set_result(outcome)

        servers = self.servers.get(name)
        if servers:
            server = servers[0] if len(servers) == 1 else self._rng.choice(servers)
            call = _Call(self, server, caller, method, request, who, answered)
            self.send(f"{caller.name}>{server.process.name} {method}", request, call.arrive)
        else:
            self.world.later(self.delay_ms(), lambda: fail(AwayError(AWAY)))
        timer = caller.clock.call_at(caller.clock.monotonic_ms() + CALL_MS, lambda: fail(AwayError(AWAY)))
        try:
            return await done
        finally:
            timer.cancel()

    def send(self, what: str, data: bytes, arrive: Callable[[], object]) -> None:
        """Have a message arrive: never, once or twice."""
        world, chances = self.world, self.world.chances
        times = 1
        if chances.drop and self._rng.random() < chances.drop:
            times = 0
            world.counts["drops"] += 1
        elif chances.duplicate and self._rng.random() < chances.duplicate:
            times = 2
            world.counts["duplicates"] += 1
        world.note("sends", what, hashlib.sha256(data).hexdigest()[:16], times)
        for _ in range(times):
            world.later(self.delay_ms(), arrive)

    def delay_ms(self) -> int:
        """How long a message needs."""
        return self._rng.randrange(self.world.chances.latency_ms + 1)

    def is_cut(self) -> bool:
        """Whether a stream ends here."""
        cut = self._rng.random() < self.world.chances.cut
        self.world.counts["streams cut"] += cut
        return cut

    def open(self, caller: Process, name: str, method: str, who: Caller) -> "Stream":
        """A stream to and from a server, which may be none."""
        servers = self.servers.get(name)
        return Stream(self, caller, self._rng.choice(servers) if servers else None, method, who)


class _Call:
    """A request under way to a server, and its answer under way back."""

    def __init__(
        self,
        network: Network,
        server: Server,
        caller: Process,
        method: str,
        request: bytes,
        who: Caller,
        answered: Callable[[bytes | ApiError], None],
    ) -> None:
        self._network = network
        self._server = server
        self._caller = caller
        self._method = method
        self._request = request
        self._who = who
        self._answered = answered

    def arrive(self) -> None:
        process = self._server.process
        if process.dead:
            self._send(AwayError(AWAY))
            return
        key = object()
        process.on_death[key] = lambda: self._send(AwayError(AWAY))
        process.start(self._serve(key), in_call(self._who))

    async def _serve(self, key: object) -> None:
        outcome: bytes | ApiError
        try:
            outcome = await self._server.answer(self._method, self._request)
        except ApiError as error:
            outcome = error
        if not self._server.process.dead:
            self._server.process.on_death.pop(key, None)
            self._send(outcome)

    def _send(self, outcome: bytes | ApiError) -> None:
        told = outcome.code.encode() if isinstance(outcome, ApiError) else outcome
        what = f"{self._server.process.name}>{self._caller.name} {self._method} answer"
        self._network.send(what, told, lambda: self._answered(outcome))


class Stream:
    """An open stream, as its caller has it."""

    def __init__(self, network: Network, caller: Process, server: Server | None, method: str, who: Caller) -> None:
        self._network = network
        self._server = server
        self._method = method
        self._name = f"{caller.name}>{server.process.name if server else None} {method}"
        self._requests = Line(network)
        self._answers = Line(network)
        self._pump: asyncio.Task[Any] | None = None
        world = network.world
        if server is None:
            self._break()
        else:
            world.later(network.delay_ms(), lambda: self._arrive(server, who))

    def send(self, request: bytes) -> None:
        """Send a request."""
        self._network.world.note("streams", self._name, hashlib.sha256(request).hexdigest()[:16])
        if self._network.is_cut():
            self._break()
        self._requests.send(request)

    def send_no_more(self) -> None:
        """That was all."""
        self._requests.end(None)

    def updates(self) -> AsyncGenerator[bytes, None]:
        """What comes, in order. Raises `ApiError` where it does not end well."""
        return self._answers.come()

    def let_go(self) -> None:
        """End it from the caller's side; the server hears of it later."""
        self._answers.close(None)
        self._network.world.later(self._network.delay_ms(), self._cancel)

    def _cancel(self) -> None:
        if self._pump is not None:
            self._pump.cancel()

    def _arrive(self, server: Server, who: Caller) -> None:
        if server.process.dead:
            self._break()
        elif not self._answers.is_over:
            server.process.on_death[self] = self._break
            self._pump = server.process.start(self._serve(server), in_call(who))

    async def _serve(self, server: Server) -> None:
        ended: ApiError | None = None
        updates = server.stream(self._method, self._requests.come())
        try:
            async for update in updates:
                self._network.world.note("streams", self._name, hashlib.sha256(update).hexdigest()[:16], "back")
                if self._network.is_cut():
                    self._break()
                    return
                self._answers.send(update)
        except ApiError as error:
            ended = error
        finally:
            server.process.on_death.pop(self, None)
            await updates.aclose()
        self._answers.end(ended)

    def _break(self) -> None:
        """The line is dead: what is under way is lost, and both sides hear of it."""
        self._network.world.later(self._network.delay_ms(), lambda: self._answers.close(AwayError(AWAY)))
        self._network.world.later(self._network.delay_ms(), self._cancel)


class Line:
    """One direction of a stream: what is sent arrives in order, or not at all."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._came: deque[bytes] = deque()
        self._more = asyncio.Event()
        self._ended: ApiError | None = None
        self._at_ms = 0
        self.is_over = False

    def send(self, message: bytes) -> None:
        """Have it arrive."""
        self._in_order(lambda: self._take(message))

    def end(self, error: ApiError | None) -> None:
        """Have its end arrive after all that was sent."""
        self._in_order(lambda: self.close(error))

    def close(self, error: ApiError | None) -> None:
        """End it now."""
        if self.is_over:
            return
        self.is_over, self._ended = True, error
        if error is not None:
            self._came.clear()
        self._more.set()

    async def come(self) -> AsyncGenerator[bytes, None]:
        """What arrives. Raises the error that it is ended with."""
        while True:
            while self._came:
                yield self._came.popleft()
            if self.is_over:
                if self._ended is not None:
                    raise self._ended
                return
            self._more.clear()
            await self._more.wait()

    def _take(self, message: bytes) -> None:
        if not self.is_over:
            self._came.append(message)
            self._more.set()

    def _in_order(self, arrive: Callable[[], None]) -> None:
        clock = self._network.world.clock
        self._at_ms = max(self._at_ms, clock.monotonic_ms() + self._network.delay_ms())
        clock.call_at(self._at_ms, arrive)


def in_call(who: Caller) -> contextvars.Context:
    """A context in which somebody calls."""
    rpc = RpcContext()
    rpc.principal, rpc.via, rpc.token = who.who, who.via, who.token
    context = contextvars.Context()
    context.run(current_rpc.set, rpc)
    return context
