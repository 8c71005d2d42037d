"""One process that serves: what it is made of, in which order that starts, and in which order it stops.

A service is an ``async def bind(app)`` that enters its resources, registers its servicers and names its background
work. One app may bind one service (its own process) or all of them (the embedded whole, and tests): nothing in a
service knows which.

Start: each ``bind`` in turn, then the server, then background work, then readiness. Stop, within ``drain_ms`` in all:
not ready; ``on_drain`` hooks (last first); streams told to end; the server, letting unary calls finish; background
work (last first); resources (last first). What takes too long is left behind, so that a stop always ends.
"""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final, TypeVar

import grpc
import structlog
import uvloop

from shared.kit.clock import Clock
from shared.kit.guard import Guard, Translation
from shared.kit.identity import TokenVerifier
from shared.kit.logging import log_loop_fault
from shared.kit.metrics import Metrics
from shared.kit.registrar import Registrar, Roles
from shared.kit.server import Health, Server, add_reflection
from shared.kit.status import ApiError
from shared.kit.tasks import cancel_and_wait, keep_running, spawn

T = TypeVar("T")
Work = Callable[[], Awaitable[None]]
Check = Callable[[], Awaitable[bool]]

DRAIN_MS: Final = 10_000
MOST_RPCS: Final = 50_000
METRICS_HOST: Final = "0.0.0.0"  # scraped from outside the pod
READINESS_EVERY_MS: Final = 2_000
LAST_WORDS_S: Final = 0.25
CHECK_TIMEOUT_S: Final = 1.0
GC_THRESHOLD: Final = 20_000

_log = structlog.get_logger("kit.app")


class App:
    """What a service binds to. Made inside the running event loop; serves only inside :meth:`serving`."""

    def __init__(
        self,
        *,
        verifier: TokenVerifier,
        clock: Clock,
        listen: str = "127.0.0.1:0",
        credentials: grpc.ServerCredentials | None = None,
        metrics_port: int = 0,
        reflection: bool = False,
        drain_ms: int = DRAIN_MS,
    ) -> None:
        """Takes the port. Raises OSError where ``listen`` cannot be had."""
        self.clock = clock
        self.verifier = verifier
        self.metrics = Metrics()
        self.draining = asyncio.Event()
        self._server = Server(listen, most_rpcs=MOST_RPCS, credentials=credentials)
        self._guard = Guard(verifier, self.metrics)
        self._registrar = Registrar(self._server.grpc, self._guard)
        self._health = Health()
        self._metrics_port = metrics_port
        self._reflection = reflection
        self._drain_ms = drain_ms
        self._resources = AsyncExitStack()
        self._work: list[tuple[str, Work]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._checks: dict[str, tuple[Check, str]] = {}
        self._hooks: list[Work] = []

    def typed_error(self, fault: Exception) -> ApiError:
        """The typed error that a fault becomes on the wire."""
        return self._guard.typed_error(fault)

    @property
    def address(self) -> str:
        """``host:port`` at which this process is reached from itself; known from the start."""
        return self._server.address

    async def enter(self, resource: AbstractAsyncContextManager[T]) -> T:
        """Opens ``resource`` now and closes it when the app has stopped."""
        return await self._resources.enter_async_context(resource)

    def add_service(self, register: Callable[[Any, Any], None], servicer: object, roles: Roles) -> None:
        """Registers a servicer by its generated function; see :meth:`Registrar.add`."""
        self._registrar.add(register, servicer, roles)

    def background(self, name: str, work: Work) -> None:
        """Runs ``work`` while the app serves; should it fail, again."""
        self._work.append((name, work))

    def readiness(self, name: str, check: Check, *, of: str = "") -> None:
        """Has the app not ready while ``check`` says false, fails, or takes over a second. Liveness never asks it.

        With ``of``, the full name of one of its services, that one alone is not: the others go on taking calls.
        """
        self._checks[name] = check, of

    def on_drain(self, hook: Work) -> None:
        """Runs ``hook`` when a stop begins, while calls are still answered: the time to hand things over."""
        self._hooks.append(hook)

    def translate(self, kind: type[Exception], translation: Translation) -> None:
        """Says which typed error an uncaught ``kind`` (a rule's refusal, say) becomes on the wire."""
        self._guard.translations[kind] = translation

    @asynccontextmanager
    async def serving(self, *binds: Callable[[App], Awaitable[None]]) -> AsyncIterator[App]:
        """Binds, starts, and in the end stops."""
        try:
            for bind in binds:
                await bind(self)
            await self._start()
            yield self
        finally:
            await self._stop()

    async def check_ready(self) -> bool:
        """Asks every readiness check now and tells the health service."""
        failing = {name: of for name, (check, of) in self._checks.items() if not await _holds(check)}
        ready = "" not in failing.values() and not self.draining.is_set()
        if failing:
            _log.warning("readiness.failed", checks=list(failing))
        await self._health.set_ready(ready=ready, but=set(failing.values()))
        return ready

    async def _start(self) -> None:
        services = list(self._registrar.services)
        await self._health.register(self._registrar)
        if self._reflection:
            add_reflection(self._registrar, services)
        if self._metrics_port:
            self._resources.enter_context(self.metrics.served(METRICS_HOST, self._metrics_port))
        await self._server.grpc.start()
        self._work.append(("readiness", self._watch_readiness))
        self._tasks = [spawn(keep_running(name, work, self.clock), name) for name, work in self._work]
        await self.check_ready()
        _log.info("app.started", address=self.address, services=services)

    async def _watch_readiness(self) -> None:
        while True:
            await self.clock.sleep_ms(READINESS_EVERY_MS)
            await self.check_ready()

    async def _stop(self) -> None:
        loop = asyncio.get_running_loop()
        ends_s = loop.time() + self._drain_ms / 1000
        self.draining.set()
        await self._health.set_ready(ready=False)
        for hook in reversed(self._hooks):
            await _bounded("drain", hook(), ends_s)
        await _bounded("server", self._stop_server(max(0.0, ends_s - loop.time())), ends_s + 1)
        for task in reversed(self._tasks):
            await _bounded(task.get_name(), cancel_and_wait(task), ends_s + 1)
        await _bounded("resources", self._resources.aclose(), ends_s + 2)
        _log.info("app.stopped")

    async def _stop_server(self, grace_s: float) -> None:
        server = self._server.grpc
        stopping = asyncio.create_task(server.stop(grace_s))
        await asyncio.sleep(0)  # it takes no new calls from here on
        self._guard.end_streams()
        for _ in range(2):  # the second time for calls that had come, and had not begun
            settled = asyncio.create_task(self._guard.settled())
            await asyncio.wait([settled, stopping], return_when=asyncio.FIRST_COMPLETED)
            settled.cancel()
            await asyncio.wait([stopping], timeout=min(grace_s, LAST_WORDS_S))
        # What is left are streams whose clients do not read.
        await server.stop(0)
        await stopping


async def serve(app: App, *binds: Callable[[App], Awaitable[None]], announce: Callable[[str], None]) -> None:
    """Serves until SIGTERM or SIGINT; calls ``announce`` with the address once the app has started."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    async with app.serving(*binds):
        settle_memory()
        announce(app.address)
        await told.wait()


def settle_memory() -> None:
    """Spares the garbage collector what a process keeps for life; called once, when a process' services have started.

    Looking through all that was imported, every 700 objects, takes a tenth of a busy server's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 20, 50)


def run(main: Coroutine[Any, Any, None]) -> None:
    """Runs ``main`` on uvloop, with faults of the loop going to our log."""

    async def logged() -> None:
        asyncio.get_running_loop().set_exception_handler(log_loop_fault)
        await main

    uvloop.run(logged())


async def _holds(check: Check) -> bool:
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            return await check()
    except Exception:
        return False


async def _bounded(step: str, work: Awaitable[Any], ends_s: float) -> None:
    """Waits for ``work``, but no longer than until ``ends_s``, and stops for none of its faults."""
    try:
        async with asyncio.timeout(max(0.1, ends_s - asyncio.get_running_loop().time())):
            await work
    except TimeoutError:
        _log.error("stop.overran", step=step)
    except Exception as fault:
        _log.error("stop.failed", step=step, exc_info=fault)
