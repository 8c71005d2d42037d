"""What holds for every policy there is."""

import random

import pytest

from services.bots.arena.contest import Contest, play_pairs
from services.bots.arena.statistics import estimate
from services.bots.policies.registry import POLICIES, make_policy, policy_named
from shared.rules.engine import apply
from shared.rules.options import PRESETS, preset_options
from shared.rules.views import view_of
from tests.support import bot_deals
from tests.support.bot_deals import choice, dealt_anew, end_of, states
from tests.support.partner_sense import thrown_away
from tests.support.play import Temper, play, random_start
from tests.support.positions import random_middle, random_options

HASTY = Temper(meld=0.3, amend=0.3, take=0.9, undo=0.05, mischief=0.0)
MINDFUL = [name for name in POLICIES if name not in ("random", "easy", "greedy")]
"""Those that mind what they throw."""


@pytest.mark.parametrize("name", POLICIES)
def test_a_choice_does_not_change_with_the_cards_hidden_from_its_seat(rng: random.Random, name: str) -> None:
    policy = make_policy(name, playouts=4)
    for preset, mode in bot_deals.PRESETS:
        start, _ = random_start(rng, preset_options(preset, mode))
        for state in states(rng, start, policy):
            if state.end is None and not state.duties:
                assert choice(state, policy) == choice(dealt_anew(rng, state), policy)


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_never_refused_whatever_the_options_and_comes_to_an_end(rng: random.Random, name: str) -> None:
    policy = make_policy(name, playouts=2)
    for _ in range(6):
        start, _ = random_start(rng, random_options(rng))
        assert end_of(rng, start, policy).end is not None


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_goes_on_from_any_position(rng: random.Random, name: str) -> None:
    policy = make_policy(name, playouts=2)
    for _ in range(12):
        start = random_middle(rng, random_options(rng))
        for state in states(rng, start, policy):
            if state.turn_no > start.turn_no + 4:
                break


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_plays_on_what_another_began(rng: random.Random, name: str) -> None:
    policy = make_policy(name, playouts=2)
    for _ in range(6):
        state, _ = random_start(rng, random_options(rng))
        for step in play(rng, state, HASTY, rng.randrange(20, 120)):
            state = step.after
            if state.end is None and not state.reshuffle_due:
                apply(state, policy.choose(view_of(state, state.turn)))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", MINDFUL)
def test_nothing_is_thrown_that_the_partner_can_use_while_something_harmless_is_held(name: str, preset: str) -> None:
    thrown, wasted = thrown_away(preset_options(preset), [make_policy(name, playouts=2)] * 4, 10, 1)
    assert thrown > 50
    assert wasted == 0


@pytest.mark.parametrize(("preset", "mode"), bot_deals.PRESETS)
def test_who_minds_what_it_throws_beats_random_by_far(preset: str, mode: str) -> None:
    pairs = list(play_pairs(Contest(preset_options(preset, mode), "safe", "random", 1), 10))
    assert estimate([pair.points for pair in pairs]).low > 5


def test_policies_are_had_by_name() -> None:
    assert policy_named("safe") is POLICIES["safe"]
    assert make_policy("safe") is POLICIES["safe"]
    with pytest.raises(KeyError, match="there are random, easy, greedy, safe, strong"):
        policy_named("reckless")
