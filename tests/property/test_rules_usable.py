"""Can the card be used (R5.3)? Against a search through every sequence of legal lay-downs, on small positions."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.usable import can_use
from tests.support.brute_state import TooManyError, brute_can_use_top
from tests.support.small_positions import random_draw_phase

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("partners_only", [False, True])
@given(seed=SEEDS)
@settings(max_examples=400)
def test_usable_is_what_some_sequence_of_lay_downs_can_use(seed: int, partners_only: bool) -> None:
    rng = random.Random(seed)
    sizes = (3, 4, 5, 6, 7) if partners_only else (1, 2, 3, 4, 5)
    state = random_draw_phase(rng, hand_sizes=sizes, partners_only=partners_only)
    try:
        wanted = brute_can_use_top(state)
    except TooManyError:
        return
    assert can_use(state, state.pile[-1]) == wanted
