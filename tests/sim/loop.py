"""One process of the world: an event loop without I/O, a clock, and files that die with it.

The loop runs one callback at a time, when the world says so. A process can therefore end, or stand still, between any
two steps; whatever it had in hand is then lost, as with a real one.
"""

import asyncio
import contextvars
import sqlite3
from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from shared.kit.clock import Timer

if TYPE_CHECKING:
    from services.table.tables import Tables
    from tests.sim.world import World


MOST_LEFT = 10_000
"""Steps of a process at the end of the world."""


class Process(asyncio.BaseEventLoop):
    """A process, which is its event loop. There is no I/O to wait for."""

    def __init__(self, world: "World", name: str, *, lives: int | None = None) -> None:
        """``lives``: after so many steps it dies; ``None`` for one that does not."""
        super().__init__()
        self.world = world
        self.name = name
        self.clock = ProcessClock(self)
        self._ready: deque[asyncio.Handle]
        """The base class's: what is to be run next."""
        self.tables: Tables | None = None
        """Of a process of the table service."""
        self.dead = False
        self.paused = False
        self.lives = lives
        self.connections: list[sqlite3.Connection] = []
        self.on_death: dict[object, Callable[[], None]] = {}
        """Told that it has died, in the order added: who is connected to it, say."""
        self._tasks: dict[asyncio.Task[Any], None] = {}
        """Kept until they end: asyncio alone would let go of one that nobody waits for."""
        self._executors: dict[object, int] = {}

    @property
    def is_ready(self) -> bool:
        """Whether it has a step to take."""
        return bool(self._ready) and not self.paused and not self.dead

    def step(self) -> None:
        """Take one step."""
        handle = self._ready.popleft()
        if handle.cancelled():
            return
        asyncio._set_running_loop(self)
        try:
            handle._run()
        finally:
            asyncio._set_running_loop(None)
        if self.lives is not None and not self.dead:
            self.lives -= 1
            if self.lives <= 0:
                self.world.kill(self)

    def die(self) -> None:
        """End here and now. What its transactions have not committed is rolled back, and nothing else is cleaned up."""
        self.dead = True
        for connection in self.connections:
            sqlite3.Connection.close(connection)
        told, self.on_death = self.on_death, {}
        for tell in told.values():
            tell()

    def clear_away(self) -> None:
        """At the end of the world: let all tasks go without a word, those last that give connections back."""
        self._run_dry()
        for task in list(self._tasks):
            task.cancel()
        self._run_dry()
        self._ready.clear()

    def _run_dry(self) -> None:
        for _ in range(MOST_LEFT):
            if not self._ready:
                break
            self.step()

    def start(self, work: Coroutine[Any, Any, Any], context: contextvars.Context | None = None) -> asyncio.Task[Any]:
        """Begin a task in it, from outside."""
        return self.create_task(work, context=context or contextvars.Context())

    # What follows is of an event loop without I/O.

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:  # type: ignore[override]
        return self.call_soon(callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> asyncio.TimerHandle:  # type: ignore[override]
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self.clock.call_at(round(when * 1000), lambda: None if handle.cancelled() else self._ready.append(handle))
        return handle

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> asyncio.Task[Any]:  # type: ignore[override]
        task = super().create_task(coro, name=name, context=context)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)
        return task

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """A thread's work, done a little later in a step of its own; what is given to one executor keeps its order."""
        done = self.create_future()

        def work() -> None:
            try:
                result = func(*args)
            except Exception as fault:
                if not self.dead and not done.done():
                    done.set_exception(fault)
            else:
                if not self.dead and not done.done():
                    done.set_result(result)

        at_ms = self.clock.monotonic_ms() + self.world.disk_ms()
        self._executors[executor] = at_ms = max(at_ms, self._executors.get(executor, 0))
        self.clock.call_at(at_ms, work)
        return done

    def time(self) -> float:
        return self.clock.monotonic_ms() / 1000

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return self.world.is_over and not self._ready

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self.dead and not self.world.is_over:
            self.world.fail(f"{self.name}: {context.get('message')}: {context.get('exception')!r}")


class ProcessClock:
    """The world's time, as one process has it: its timers ring in its own loop, and not at all once it is dead."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._clock = process.world.clock
        self.skew_ms = 0
        """How far the machine's clock is ahead."""

    def now_ms(self) -> int:
        """See ``Clock``."""
        return self._clock.now_ms() + self.skew_ms

    def monotonic_ms(self) -> int:
        """See ``Clock``."""
        return self._clock.monotonic_ms()

    def call_at(self, monotonic_ms: int, callback: Callable[[], object]) -> Timer:
        """See ``Clock``."""
        timer = _LoopTimer(self._process, callback)
        timer.wait = self._clock.call_at(monotonic_ms, timer.ring)
        return timer

    async def sleep_until(self, monotonic_ms: int) -> None:
        """See ``Clock``."""
        woken = asyncio.Event()
        timer = self.call_at(monotonic_ms, woken.set)
        try:
            await woken.wait()
        finally:
            timer.cancel()

    async def sleep_ms(self, duration_ms: int) -> None:
        """See ``Clock``."""
        await self.sleep_until(self.monotonic_ms() + duration_ms)


class _LoopTimer:
    def __init__(self, process: Process, callback: Callable[[], object]) -> None:
        self._process = process
        self._callback: Callable[[], object] | None = callback
        self.wait: Timer

    def cancel(self) -> None:
        self._callback = None
        self.wait.cancel()

    def ring(self) -> None:
        if not self._process.dead:
            self._process.call_soon(self._fire, context=contextvars.Context())

    def _fire(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()
