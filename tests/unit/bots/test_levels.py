"""Levels: that each is what players are told, from the weakest to the strongest."""

from itertools import pairwise

import pytest

from services.bots.arena.contest import Contest, play_pairs
from services.bots.arena.statistics import estimate
from services.bots.house import house_seat
from services.bots.levels import LEVELS, level_of
from services.bots.pauses import PAUSES_MS, pause_ms
from services.bots.policies.registry import POLICIES
from shared.codec.bot_levels import BOT_LEVELS, DEFAULT_BOT_LEVEL
from shared.rules.actions import Discard, Draw
from shared.rules.options import SAHRAT


def test_levels_go_from_a_weaker_policy_to_a_stronger_one() -> None:
    strengths = [list(POLICIES).index(LEVELS[level].policy) for level in BOT_LEVELS]
    assert strengths == sorted(strengths)
    assert LEVELS[1].policy == "easy"
    assert {level.spare for level in LEVELS.values()} <= {"", *POLICIES}


def test_a_beginner_lies_between_chance_and_greed() -> None:
    for better, worse in (("easy", "random"), ("greedy", "easy")):
        pairs = list(play_pairs(Contest(SAHRAT, better, worse, 1), 25))
        assert estimate([pair.points for pair in pairs]).low > 0


def test_no_two_bots_have_one_name_whatever_their_levels() -> None:
    names = [name for level in LEVELS.values() for name in level.names]
    assert len(set(names)) == len(names)
    assert all(0 < len(name) <= 24 for name in names)


def test_the_better_take_less_time_and_say_less() -> None:
    for one, next_one in pairwise(LEVELS[level] for level in BOT_LEVELS):
        assert one.pause_percent >= next_one.pause_percent
        assert one.talk >= next_one.talk


@pytest.mark.parametrize("level", [0, 6])
def test_a_level_that_is_not_known_is_the_middle_one(level: int) -> None:
    assert level_of(level) is LEVELS[DEFAULT_BOT_LEVEL]


def test_a_bot_goes_by_a_name_of_its_level() -> None:
    for level in BOT_LEVELS:
        seats = [house_seat("table", f"vacancy:{seat}", seat, level) for seat in range(4)]
        assert {seat.name for seat in seats} == set(LEVELS[level].names)


def test_no_move_is_instant_none_stalls_and_the_same_moment_takes_the_same_time() -> None:
    low, high = PAUSES_MS[Draw]
    pauses = [pause_ms(Draw(0), 100, f"moment {number}") for number in range(200)]
    assert min(pauses) >= low
    assert max(pauses) <= 2 * high
    assert len(set(pauses)) > 50
    assert sum(pause <= high for pause in pauses) > 150
    assert pauses[7] == pause_ms(Draw(0), 100, "moment 7")
    assert pause_ms(Discard(0, 1), 130, "m") > pause_ms(Discard(0, 1), 90, "m")
