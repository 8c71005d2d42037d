"""What a match does to ratings: by whom it was won alone, always alike, and never against the winners."""

import math
from itertools import product
from random import Random

import pytest

from services.wallet.facts import read_result
from services.wallet.ratings import (
    MU,
    NEWCOMER,
    PROVISIONAL_MATCHES,
    SIGMA,
    Skill,
    carried_over,
    is_rated,
    matches_needed,
    rate,
)
from tests.bench.ratings import kendall, likeliest, measure, play
from tests.support.wallet import HOUSE_BOT, match_ended, people

FOUR = people("ada", "bob", "cy", "dee")
SEEDS = (1, 2, 3)
NUMBERS = [
    (30.25230995, 2.980650013),
    (19.299484865, 4.905237099),
    (25.448399718, 3.95215237),
    (25.206984728, 7.603420313),
]
"""Skills of four seats after a match; in the test, what they were before."""


def some(rng: Random) -> Skill:
    """Any skill that somebody could have."""
    return Skill(rng.uniform(-15, 65), rng.uniform(1, SIGMA))


@pytest.mark.parametrize("seats", [2, 4])
def test_who_wins_gains_points_and_who_loses_gains_none(rng: Random, seats: int) -> None:
    for _ in range(500):
        before = [some(rng) for _ in range(seats)]
        winner = rng.randrange(2)
        for seat, (old, new) in enumerate(zip(before, rate(before, winner), strict=True)):
            if seat % 2 == winner:
                assert new.mu > old.mu or new.mu == pytest.approx(old.mu)
                assert new.points >= old.points
            else:
                assert new.mu < old.mu or new.mu == pytest.approx(old.mu)
                assert new.points <= old.points
            assert 0 < new.sigma <= old.sigma


@pytest.mark.parametrize("seats", [2, 4])
def test_the_formula_that_the_document_gives_is_the_one_that_is_used(rng: Random, seats: int) -> None:
    """docs/ratings.md, for auditors."""
    for _ in range(200):
        before = [some(rng) for _ in range(seats)]
        winner = rng.randrange(2)
        spread = [skill.sigma**2 + (1 / 12) ** 2 for skill in before]
        c = math.sqrt(sum(spread) + 2 * (25 / 6) ** 2)
        sums = [sum(skill.mu for skill in before[team::2]) for team in range(2)]
        for seat, (old, new) in enumerate(zip(before, rate(before, winner), strict=True)):
            team = seat % 2
            p = 1 / (1 + math.exp((sums[1 - team] - sums[team]) / c))
            mu = old.mu + spread[seat] / c * ((team == winner) - p)
            sigma = math.sqrt(spread[seat]) * math.sqrt(max(1 - spread[seat] / c**2 * p * (1 - p), 1e-4))
            assert new == pytest.approx((mu, min(old.sigma, sigma)))
            assert new.points == round(1000 + 40 * ((new.mu - 2 * new.sigma) - (25 - 2 * 25 / 3)))


def test_partners_share_what_a_match_tells_and_more_goes_to_who_is_less_known() -> None:
    known, unknown = Skill(MU, 3), NEWCOMER
    one, _, other, _ = rate([known, NEWCOMER, unknown, NEWCOMER], 0)
    assert 0 < one.mu - known.mu < other.mu - unknown.mu
    alike = rate([NEWCOMER] * 4, 0)
    assert alike[0] == alike[2]
    assert alike[1] == alike[3]


def test_a_win_that_was_expected_tells_less() -> None:
    strong, weak = Skill(35, 4), Skill(20, 4)
    expected = rate([strong, weak, strong, weak], 0)
    surprise = rate([strong, weak, strong, weak], 1)
    assert expected[0].mu - strong.mu < surprise[1].mu - weak.mu


def test_seats_of_a_team_and_numbers_of_teams_make_no_difference(rng: Random) -> None:
    skills = [some(rng) for _ in range(4)]
    first = rate(skills, 0)
    for order, winner in (((2, 3, 0, 1), 0), ((1, 0, 3, 2), 1)):
        other = rate([skills[seat] for seat in order], winner)
        for seat, skill in zip(order, other, strict=True):
            assert skill == pytest.approx(first[seat])


def test_the_numbers_stay_what_they_are() -> None:
    """Ratings that are kept go on from here: what a match does is changed for good reason only."""
    skills = [Skill(30, 3), Skill(20, 5), Skill(25, 4), Skill(27, 8)]
    assert [(round(mu, 9), round(sigma, 9)) for mu, sigma in rate(skills, 0)] == NUMBERS
    assert [skill.points for skill in rate([NEWCOMER] * 4, 0)] == [1097, 940, 1097, 940]
    assert NEWCOMER.points == 1000


@pytest.mark.parametrize(("preset", "mode"), [*product(("sahrat", "banakil202"), ("partners", "duel"))])
def test_a_match_counts_where_people_alone_sat(preset: str, mode: str) -> None:
    seats = FOUR if mode == "partners" else FOUR[:2]
    assert is_rated(read_result(match_ended(1, seats, preset=preset, mode=mode)))
    for at in range(len(seats)):
        for bot in (HOUSE_BOT, ("robo", True)):
            beside = (*seats[:at], bot, *seats[at + 1 :])
            assert not is_rated(read_result(match_ended(1, beside, preset=preset, mode=mode)))


def test_a_season_begins_halfway_to_the_mean_and_with_new_doubt() -> None:
    assert carried_over(NEWCOMER) == NEWCOMER
    strong = carried_over(Skill(35, 3))
    assert strong.mu == 30
    assert 3 < strong.sigma < SIGMA
    assert carried_over(Skill(15, SIGMA)) == Skill(20, SIGMA)


def test_a_rating_is_provisional_for_ten_matches() -> None:
    assert [matches_needed(played) for played in (0, 1, 9, 10, 11)] == [10, 9, 1, 0, 0]
    assert PROVISIONAL_MATCHES == 10


@pytest.mark.parametrize("seed", SEEDS)
def test_ratings_order_players_nearly_as_well_as_anything_could(seed: int) -> None:
    """200 players, 40 team matches each: at least 90% of what the likeliest skills reach on the same matches."""
    measured = measure(seed)
    assert measured["likeliest"] > 0.6
    assert measured["shown"] >= 0.9 * measured["likeliest"]


def test_the_reference_is_where_nothing_is_likelier() -> None:
    """Each player's won matches come to what was to be expected, which is so at the one maximum alone."""
    season = play(Random(5), 40, 40)
    skills = likeliest(season, 40)
    assert abs(sum(skills)) < 1e-6
    for player in range(40):
        won = sum(player in match.winners for match in season.matches)
        expected = 0.0
        for winners, losers in season.matches:
            ahead = sum(skills[each] for each in winners) - sum(skills[each] for each in losers)
            chance = 1 / (1 + 2.718281828459045**-ahead)
            expected += chance if player in winners else 1 - chance if player in losers else 0
        assert expected == pytest.approx(won, abs=1e-5)


def test_a_player_who_won_everything_comes_first() -> None:
    season = play(Random(6), 40, 40)
    for at, match in enumerate(season.matches):
        if 0 in match.losers:
            season.matches[at] = type(match)(match.losers, match.winners)
    first, *others = likeliest(season, 40)
    assert first > 10
    assert first > max(others) + 3


def test_kendalls_tau_is_one_for_the_same_order_and_ties_are_neither() -> None:
    assert kendall([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert kendall([3, 2, 1], [10, 20, 30]) == pytest.approx(-1)
    assert kendall([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / (2 * 3) ** 0.5)
