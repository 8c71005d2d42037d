"""Evenings at random: people come, go, leave, stand in, swap, pause and stop a table; what must hold of one does."""

import random

import pytest

from tests.support.random_evening import Evening

EVENINGS = 8
STEPS = 1_500


@pytest.mark.parametrize("number", range(EVENINGS))
def test_whatever_people_and_operators_do_the_table_goes_on_and_nobody_is_the_worse_for_it(
    number: int, rng: random.Random
) -> None:
    Evening(random.Random(f"{rng.random()} {number}")).run(STEPS)
