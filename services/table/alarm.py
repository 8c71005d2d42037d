"""A clock that rings at a moment, and can be set anew."""

from collections.abc import Callable

from shared.kit.clock import Clock, Timer


class Alarm:
    """Calls ``ring`` with the moment (Unix milliseconds) that it was last set to."""

    def __init__(self, clock: Clock, ring: Callable[[int], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._timer: Timer | None = None
        self._due_ms: int | None = None

    def set(self, due_ms: int | None) -> None:
        """Ring then, or never; what it was set to before no longer counts."""
        if due_ms == self._due_ms:
            return
        self.forget()
        self._due_ms = due_ms
        if due_ms is not None:
            wait_ms = max(0, due_ms - self._clock.now_ms())
            self._timer = self._clock.call_at(self._clock.monotonic_ms() + wait_ms, lambda: self._ring(due_ms))

    def forget(self) -> None:
        """Be set to no moment, so that ``set`` counts even for the one that it has rung for."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due_ms = None, None
