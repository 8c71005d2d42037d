"""The database's time, for processes that share it: what one of them dates, another must understand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shared.kit.clock import Clock, Timer

SLOW_MS: Final = 500
"""A round trip that took longer tells too little of the time, where there has been a better one."""


class DatabaseClock:
    """A ``Clock`` that tells the database's time: the machine's steady clock and an offset, measured again and again.

    It never goes back; where it was ahead, it stands still until the database has caught up. Before the first
    measurement it tells the machine's own time.
    """

    def __init__(self, machine: Clock) -> None:
        self._machine = machine
        self._offset_ms = machine.now_ms() - machine.monotonic_ms()
        self._is_measured = False
        self._last_ms = 0

    def measured(self, asked_ms: int, database_ms: int, answered_ms: int) -> None:
        """The database said ``database_ms`` between two moments of ``monotonic_ms``."""
        if self._is_measured and answered_ms - asked_ms > SLOW_MS:
            return
        if not self._is_measured:
            self._last_ms = 0  # what the machine believed until now binds nobody
        self._is_measured = True
        self._offset_ms = database_ms - (asked_ms + answered_ms) // 2

    def now_ms(self) -> int:
        """See :class:`Clock`."""
        self._last_ms = max(self._last_ms, self._machine.monotonic_ms() + self._offset_ms)
        return self._last_ms

    def monotonic_ms(self) -> int:
        """See :class:`Clock`."""
        return self._machine.monotonic_ms()

    def call_at(self, monotonic_ms: int, callback: Callable[[], object]) -> Timer:
        """See :class:`Clock`."""
        return self._machine.call_at(monotonic_ms, callback)

    async def sleep_until(self, monotonic_ms: int) -> None:
        """See :class:`Clock`."""
        await self._machine.sleep_until(monotonic_ms)

    async def sleep_ms(self, duration_ms: int) -> None:
        """See :class:`Clock`."""
        await self._machine.sleep_ms(duration_ms)
