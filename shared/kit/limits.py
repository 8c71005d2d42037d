"""Bounds: a map that forgets its oldest entry, and a rate limiter for many keys."""

from __future__ import annotations

import math
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
    """A bucket of tokens for each key: ``burst`` at once, then ``per_second``; remembers ``most_keys`` at most.

    A key that is forgotten starts with a full bucket, so ``most_keys`` should exceed the keys seen in one refill.
    """

    def __init__(self, clock: Clock, *, per_second: float, burst: int, most_keys: int = 100_000) -> None:
        if per_second <= 0 or burst < 1:
            raise ValueError("a rate limiter needs a positive rate and a burst of at least 1")
        self._clock = clock
        self._per_ms = per_second / 1000
        self._burst = float(burst)
        self._buckets: BoundedDict[str, tuple[float, int]] = BoundedDict(most_keys)

    def take(self, key: str) -> int:
        """Takes a token; 0 if there was one, else the milliseconds until there will be."""
        now_ms = self._clock.monotonic_ms()
        level, filled_ms = self._buckets.get(key, (self._burst, now_ms))
        level = min(self._burst, level + (now_ms - filled_ms) * self._per_ms)
        if level < 1:
            self._buckets[key] = (level, now_ms)
            return math.ceil((1 - level) / self._per_ms)
        self._buckets[key] = (level - 1, now_ms)
        return 0

    def admit(self, key: str, code: str) -> None:
        """Takes a token. Raises :class:`FullError` with ``code`` and the delay where there is none."""
        if wait_ms := self.take(key):
            raise FullError(code, "too many requests", retry_after_ms=wait_ms)
