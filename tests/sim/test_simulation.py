"""Whole series in a world where everything goes wrong that can: nothing is lost, nothing is seen too early."""

import random

import pytest

from tests.sim.simulation import simulate

PARTS = 7
DEALS = 30
"""In each part."""


@pytest.mark.parametrize("part", range(PARTS))
def test_series_are_played_to_their_end_whatever_goes_wrong(part: int, rng: random.Random) -> None:
    play(rng, "brisk")


def test_both_presets_and_all_formats_are_played_to_their_end_whatever_goes_wrong(rng: random.Random) -> None:
    play(rng, "mixed")


def test_series_that_an_operator_stops_go_on_as_if_nothing_had_been(rng: random.Random) -> None:
    play(rng, "stopped")


def test_friends_swap_seats_have_breaks_leave_and_are_stopped_whatever_goes_wrong(rng: random.Random) -> None:
    play(rng, "evening")


def play(rng: random.Random, kind: str) -> None:
    deals = 0
    while deals < DEALS:
        deals += simulate(rng.randrange(2**32), kind).counts["deals"]
