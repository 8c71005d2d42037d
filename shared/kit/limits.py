"""Bounds: a map that forgets its oldest entry, and a rate limiter for many keys."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

from shared.kit.clock import Clock
from shared.kit.status import FullError

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(OrderedDict[K, V], Generic[K, V]):
    """A dictionary of at most ``most`` entries: setting one more drops the one that was set longest ago."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)


class RateLimiter:
    """For each key ``burst`` at once, then ``per_second``; remembers ``most_keys`` at most.

    A key that is forgotten may burst again, so ``most_keys`` should exceed the keys seen while one burst refills.
    """

    def __init__(self, clock: Clock, *, per_second: float, burst: int, most_keys: int = 100_000) -> None:
        if per_second <= 0 or burst < 1:
            raise ValueError("a rate limiter needs a positive rate and a burst of at least 1")
        self._clock = clock
        self._interval_us = round(1_000_000 / per_second)
        self._slack_us = (burst - 1) * self._interval_us
        # For each key, when it would have used up all it took, had it kept to its rate.
        self._paid_until_us: BoundedDict[str, int] = BoundedDict(most_keys)

    def take(self, key: str) -> int:
        """Takes one; 0 if it may, else the milliseconds until it may."""
        now_us = self._clock.monotonic_ms() * 1000
        paid_until_us = max(now_us, self._paid_until_us.get(key, now_us))
        early_us = paid_until_us - now_us - self._slack_us
        if early_us > 0:
            return -(-early_us // 1000)
        self._paid_until_us[key] = paid_until_us + self._interval_us
        return 0

    def admit(self, key: str, code: str) -> None:
        """Takes one. Raises :class:`FullError` with ``code`` and the delay where it may not."""
        if wait_ms := self.take(key):
            raise FullError(code, "too many requests", retry_after_ms=wait_ms)
