"""How a match changes its players' ratings: Bradley and Terry's model, by Weng and Lin's approximation (openskill).

A player's skill is a guess, `mu`, with the doubt about it, `sigma`. A team's skill is the sum of its players'. What is
shown is one whole number, the points: a skill that the player most likely has, so that it rises as doubt goes.
Nothing here depends on anything but what is passed in.
"""

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from openskill.models import BradleyTerryFull, BradleyTerryFullRating

from services.wallet.results import TEAMS, MatchResult

MU: Final = 25.0
SIGMA: Final = MU / 3
BETA: Final = SIGMA / 2
TAU: Final = MU / 300
PROVISIONAL_MATCHES: Final = 10
"""Rated matches before a rating is shown without reserve, and stands on leaderboards."""
POINTS_AT_START: Final = 1000
POINTS_A_UNIT: Final = 40
DOUBTS: Final = 2
"""How many times its doubt a skill is shown below the guess: with no more, a match that is lost never adds a point."""
CARRIED: Final = 0.5
"""How much of its distance from the mean a skill keeps into a new season."""
FRESH_DOUBT: Final = SIGMA / 2
"""What a new season adds to the doubt, as squares add."""


class Skill(NamedTuple):
    """What is thought of a player's skill."""

    mu: float
    sigma: float

    @property
    def points(self) -> int:
        """The rating as it is shown."""
        return round(POINTS_AT_START + POINTS_A_UNIT * (_sure(self.mu, self.sigma) - _sure(MU, SIGMA)))


NEWCOMER: Final = Skill(MU, SIGMA)


def _whole(*_: Any) -> float:
    """How much of what a match tells goes into the doubt: all of it, as measured best (docs/ratings.md)."""
    return 1.0


# Doubt never grows by a match: one that is won never costs a point.
_MODEL: Final = BradleyTerryFull(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU, gamma=_whole, limit_sigma=True)


def is_rated(result: MatchResult) -> bool:
    """Whether the match counts for ratings: people alone sat there, to its end."""
    return not any(seat.bot for seat in result.seats)


def rate(skills: Sequence[Skill], winner_team: int) -> tuple[Skill, ...]:
    """The skills after a match; seats in playing order, their teams taking turns (R1)."""
    teams = [[_MODEL.create_rating([*skill]) for skill in skills[team::TEAMS]] for team in range(TEAMS)]
    after = _MODEL.rate(teams, ranks=[float(team != winner_team) for team in range(TEAMS)])
    return tuple(_skill(after[seat % TEAMS][seat // TEAMS]) for seat in range(len(skills)))


def carried_over(skill: Skill) -> Skill:
    """The skill with which a player who is rated already begins a season: nearer the mean, and doubted anew."""
    return Skill(MU + CARRIED * (skill.mu - MU), min(SIGMA, math.sqrt(skill.sigma**2 + FRESH_DOUBT**2)))


def matches_needed(played: int) -> int:
    """Rated matches until a rating of so many is no longer provisional; 0 where it is not."""
    return max(0, PROVISIONAL_MATCHES - played)


def _sure(mu: float, sigma: float) -> float:
    return mu - DOUBTS * sigma


def _skill(rating: BradleyTerryFullRating) -> Skill:
    return Skill(rating.mu, rating.sigma)
