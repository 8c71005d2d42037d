"""Time, passed in. Nothing else in the project decides by the machine's time, or sleeps.

``now_ms`` is the wall's time (Unix milliseconds): for tokens, stored times and what people read. ``monotonic_ms`` never
jumps: for waiting. :class:`Pace` shortens the waits of the game itself, and only those: a turn, a grace, a ceremony.
Time-outs, retries and the life of tokens are the machinery's and are never paced, so the clock itself always tells
the truth.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Timer(Protocol):
    """A callback that is due later."""

    def cancel(self) -> None:
        """Makes sure that it does not run. Harmless when it already has."""


class Clock(Protocol):
    """What may be asked of time."""

    def now_ms(self) -> int:
        """Unix time in milliseconds."""

    def monotonic_ms(self) -> int:
        """Milliseconds since some fixed moment; never goes back."""

    def call_at(self, monotonic_ms: int, callback: Callable[[], object]) -> Timer:
        """Runs ``callback`` in the event loop once ``monotonic_ms`` is reached, in a context of its own."""

    async def sleep_until(self, monotonic_ms: int) -> None:
        """Returns once ``monotonic_ms`` is reached."""

    async def sleep_ms(self, duration_ms: int) -> None:
        """Returns after ``duration_ms``."""


class RealClock:
    """The machine's own time."""

    def now_ms(self) -> int:
        """See :class:`Clock`."""
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> int:
        """See :class:`Clock`."""
        return time.monotonic_ns() // 1_000_000

    def call_at(self, monotonic_ms: int, callback: Callable[[], object]) -> Timer:
        """See :class:`Clock`."""
        wait_s = max(0, monotonic_ms - self.monotonic_ms()) / 1000
        # A timer set inside an RPC must not keep that RPC's context variables.
        return asyncio.get_running_loop().call_later(wait_s, callback, context=contextvars.Context())

    async def sleep_until(self, monotonic_ms: int) -> None:
        """See :class:`Clock`."""
        await self.sleep_ms(monotonic_ms - self.monotonic_ms())

    async def sleep_ms(self, duration_ms: int) -> None:
        """See :class:`Clock`."""
        await asyncio.sleep(max(0, duration_ms) / 1000)


class VirtualTimer:
    """A timer of :class:`VirtualClock`."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self._callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        """See :class:`Timer`."""
        self._callback = None

    def fire(self) -> bool:
        """Runs the callback unless cancelled; true if it ran."""
        callback, self._callback = self._callback, None
        if callback is None:
            return False
        contextvars.Context().run(callback)
        return True


class VirtualClock:
    """Time that moves only when told to. Timers due at one moment run in the order in which they were set."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._epoch_ms = now_ms
        self._elapsed_ms = 0
        self._order = itertools.count()
        self._timers: list[tuple[int, int, VirtualTimer]] = []

    def now_ms(self) -> int:
        """See :class:`Clock`."""
        return self._epoch_ms + self._elapsed_ms

    def monotonic_ms(self) -> int:
        """See :class:`Clock`; starts at 0."""
        return self._elapsed_ms

    def call_at(self, monotonic_ms: int, callback: Callable[[], object]) -> Timer:
        """See :class:`Clock`; a moment that has passed is due at the next step."""
        timer = VirtualTimer(callback)
        heapq.heappush(self._timers, (max(monotonic_ms, self._elapsed_ms), next(self._order), timer))
        return timer

    async def sleep_until(self, monotonic_ms: int) -> None:
        """See :class:`Clock`."""
        woken = asyncio.Event()
        timer = self.call_at(monotonic_ms, woken.set)
        try:
            await woken.wait()
        finally:
            timer.cancel()

    async def sleep_ms(self, duration_ms: int) -> None:
        """See :class:`Clock`."""
        await self.sleep_until(self._elapsed_ms + duration_ms)

    def step(self, limit_ms: int | None = None) -> bool:
        """Moves to the earliest timer, if it is due by ``limit_ms``, and runs it; false if there was none."""
        while self._timers and (limit_ms is None or self._timers[0][0] <= limit_ms):
            due_ms, _, timer = heapq.heappop(self._timers)
            self._elapsed_ms = due_ms
            if timer.fire():
                return True
        return False

    def advance(self, duration_ms: int) -> None:
        """Moves time on, running every timer that falls due, those that these set included."""
        until_ms = self._elapsed_ms + duration_ms
        while self.step(until_ms):
            pass
        self._elapsed_ms = until_ms

    async def run_for(self, duration_ms: int, turns: int = 10) -> None:
        """As :meth:`advance`, giving the event loop ``turns`` turns before each timer, so that woken tasks go on."""
        until_ms = self._elapsed_ms + duration_ms
        await _yield(turns)
        while self.step(until_ms):
            await _yield(turns)
        self._elapsed_ms = until_ms
        await _yield(turns)


@dataclass(frozen=True, slots=True)
class Pace:
    """Divides the waits of the game by ``factor`` (1: as people play; 100: a demonstration)."""

    factor: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.factor <= 1_000_000:
            raise ValueError(f"a pace lies above 0 and up to 1,000,000, not {self.factor}")

    def ms(self, duration_ms: int) -> int:
        """The wait that stands for ``duration_ms`` of play: never 0 unless that is."""
        return 0 if duration_ms <= 0 else max(1, round(duration_ms / self.factor))


async def _yield(turns: int) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)
