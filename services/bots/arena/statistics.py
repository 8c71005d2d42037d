"""What pairs tell: means with intervals, and the sequential test that says when enough have been played."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

Z_95: Final = 1.959964
ERROR_RATE: Final = 0.05
"""Of either kind, in the sequential test."""
FEWEST: Final = 30
"""Values before the test decides anything: with fewer the spread is not known."""


class Estimate(NamedTuple):
    """A mean with its 95% interval."""

    mean: float
    low: float
    high: float


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95% interval of independent values; of fewer than two the interval is endless."""
    count = len(values)
    if not count:
        return Estimate(0.0, -math.inf, math.inf)
    mean = math.fsum(values) / count
    if count < 2:
        return Estimate(mean, -math.inf, math.inf)
    half = Z_95 * math.sqrt(_variance(values, mean) / count)
    return Estimate(mean, mean - half, mean + half)


class Sprt(NamedTuple):
    """A sequential probability ratio test of the mean of pairs, normal with the spread seen so far."""

    none: float
    """The mean where nothing is gained."""
    gain: float
    """The mean that is worth having."""

    def ratio(self, values: Sequence[float]) -> float:
        """The log likelihood ratio of ``gain`` to ``none``."""
        count = len(values)
        if count < FEWEST:
            return 0.0
        mean = math.fsum(values) / count
        variance = _variance(values, mean)
        if variance == 0:
            return 0.0
        return count * (self.gain - self.none) * (2 * mean - self.gain - self.none) / (2 * variance)

    def verdict(self, values: Sequence[float]) -> str | None:
        """``gain`` or ``none`` once one of them is accepted, else ``None``."""
        bound = math.log((1 - ERROR_RATE) / ERROR_RATE)
        ratio = self.ratio(values)
        if ratio >= bound:
            return "gain"
        return "none" if ratio <= -bound else None


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the ordered values lie; 0 of none."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _variance(values: Sequence[float], mean: float) -> float:
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
