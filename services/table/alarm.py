"""A clock that rings at a moment, and can be set anew."""

from collections.abc import Callable

from shared.kit.clock import Clock, Timer


class Alarm:
    """Calls ``ring`` with the moment (Unix milliseconds) that it was last set to.

    Most of a table's clocks are put off before they ring. What runs already then looks anew when it is over: setting a
    timer for every turn, and ending the one before, costs more than one that rings for nothing now and then.
    """

    def __init__(self, clock: Clock, ring: Callable[[int], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._timer: Timer | None = None
        self._timer_ms = 0
        """When what runs is over, by the steady clock."""
        self._due_ms: int | None = None

    def set(self, due_ms: int | None) -> None:
        """Ring then, or never; what it was set to before no longer counts."""
        if due_ms == self._due_ms:
            return
        if due_ms is None:
            self.forget()
            return
        self._due_ms = due_ms
        over_ms = self._clock.monotonic_ms() + max(0, due_ms - self._clock.now_ms())
        if self._timer is None or over_ms < self._timer_ms:
            self._run_until(over_ms)

    def forget(self) -> None:
        """Be set to no moment, so that ``set`` counts even for the one that it has rung for."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due_ms = None, None

    def _run_until(self, over_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = over_ms
        self._timer = self._clock.call_at(over_ms, self._look)

    def _look(self) -> None:
        self._timer = None
        due_ms = self._due_ms
        if due_ms is None:
            return
        left_ms = due_ms - self._clock.now_ms()
        if left_ms > 0:
            self._run_until(self._clock.monotonic_ms() + left_ms)
        else:
            self._ring(due_ms)
