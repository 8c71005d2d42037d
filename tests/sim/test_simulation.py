"""Whole series in a world where everything goes wrong that can: nothing is lost, nothing is seen too early."""

import random

import pytest

from tests.sim.simulation import simulate

PARTS = 4
DEALS = 10
"""In each part."""


@pytest.mark.parametrize("part", range(PARTS))
def test_series_are_played_to_their_end_whatever_goes_wrong(part: int, rng: random.Random) -> None:
    deals = 0
    while deals < DEALS:
        deals += simulate(rng.randrange(2**32)).counts["deals"]
