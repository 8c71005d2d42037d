"""A position's line holds all that a record's position holds, and no text makes reading one fail in another way."""

import random

from hypothesis import example, given
from hypothesis import strategies as st

from shared.rules.notation import parse_notation, write_notation
from shared.rules.position import read_position, write_position
from shared.rules.refusal import RecordError
from tests.support.play import play_deal
from tests.support.positions import random_middle, random_options, random_position

PIECES = (
    " ", " / ", "/", "-", ":", "'", "sahrat", "banakil202", "mode=duel", "min_real=1", "twos_in_sets=true", "0", "3",
    "draw", "play", "time_up", "over", "r0", "r2", "AS", "2C", "JK", "TD", "0:5S6S7S", "1:ASAHJK'", "\n", "٣",
)  # fmt: skip
SEEDS = st.integers(0, 2**32)


@given(SEEDS)
def test_a_position_is_read_back_as_it_was(seed: int) -> None:
    rng = random.Random(seed)
    options = random_options(rng)
    state = read_position(random_position(rng, options), options, 0)
    line = write_notation(state)
    assert parse_notation(line) == state
    assert "\n" not in line


@given(SEEDS)
def test_any_state_of_a_deal_becomes_the_position_that_a_record_would_hold(seed: int) -> None:
    rng = random.Random(seed)
    steps = play_deal(rng, random_options(rng), most_steps=rng.randrange(1, 60)).steps
    state = next(step.after for step in reversed(steps) if step.after.end is None or step is steps[0])
    if state.end is None:
        read = parse_notation(write_notation(state), state.starter)
        assert read == read_position(write_position(state), state.options, state.starter)


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
@example("\x00")
def test_any_text_is_refused_or_stands_for_a_position(text: str) -> None:
    _refused_or_stable(text)


@given(SEEDS)
def test_a_line_with_a_slip_is_refused_or_stands_for_another_position(seed: int) -> None:
    rng = random.Random(seed)
    line = write_notation(random_middle(rng, random_options(rng)))
    at = rng.randrange(len(line) + 1)
    _refused_or_stable(line[:at] + rng.choice(("", rng.choice(PIECES))) + line[at + rng.randrange(4) :])


def _refused_or_stable(text: str) -> None:
    try:
        state = parse_notation(text)
    except RecordError:
        return
    assert parse_notation(write_notation(state)) == state
