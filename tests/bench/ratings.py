"""How near ratings come to the truth, beside what could be known at all.

    python -m tests.bench.ratings [--seeds 20] [--players 200] [--matches 40]

Simulated players, whose skills differ by a standard deviation of one logit, play matches in teams of two that are
drawn by lot; a team's skill is the sum of its players'. The ratings see one match after another, as the wallet does.
The reference sees all of them at once, and as often as it likes: the skills under which what happened was likeliest
(Bradley and Terry's model), knowing nothing of how skills are spread. Both are compared with the truth by Kendall's
tau. Prints JSON.
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from services.wallet.ratings import NEWCOMER, Skill, rate

Vector = list[float]
GRADIENT_MOST = 1e-7
STEPS_MOST = 60


class Match(NamedTuple):
    """Players by number."""

    winners: tuple[int, int]
    losers: tuple[int, int]


class Season(NamedTuple):
    """What was played."""

    skills: Vector
    """In logits."""
    matches: list[Match]


def play(rng: random.Random, players: int, each: int) -> Season:
    """Has every player play so many matches. `players`: a multiple of four."""
    skills = [rng.gauss(0, 1) for _ in range(players)]
    matches = []
    order = list(range(players))
    for _ in range(each):
        rng.shuffle(order)
        for at in range(0, players, 4):
            one, other = (order[at], order[at + 1]), (order[at + 2], order[at + 3])
            ahead = sum(skills[player] for player in one) - sum(skills[player] for player in other)
            matches.append(Match(one, other) if rng.random() < _chance(ahead) else Match(other, one))
    return Season(skills, matches)


def rated(season: Season, players: int) -> list[Skill]:
    """The ratings after all matches, one by one."""
    ratings = [NEWCOMER] * players
    for (a, c), (b, d) in season.matches:
        ratings[a], ratings[b], ratings[c], ratings[d] = rate([ratings[a], ratings[b], ratings[c], ratings[d]], 0)
    return ratings


def likeliest(season: Season, players: int) -> Vector:
    """The skills under which the matches were likeliest: Newton's method, each step by conjugate gradients.

    Of who has won every match none is the likeliest: it is so high, or so low, that going further would change nothing.
    """
    skills = [0.0] * players
    for _ in range(STEPS_MOST):
        chances = [_chance(_ahead(skills, match)) for match in season.matches]
        slope = _gathered(season.matches, (1 - chance for chance in chances), players)
        if max(map(abs, slope)) < GRADIENT_MOST:
            return skills
        weights = [chance * (1 - chance) for chance in chances]

        def curve(vector: Vector, weights: Sequence[float] = weights) -> Vector:
            bent = (weight * _ahead(vector, match) for weight, match in zip(weights, season.matches, strict=True))
            return _gathered(season.matches, bent, players)

        skills = [skill + step for skill, step in zip(skills, solve(curve, slope), strict=True)]
    raise ArithmeticError("no skills are the likeliest")


def solve(curve: Callable[[Vector], Vector], slope: Vector) -> Vector:
    """The vector that `curve`, linear and symmetric, makes into the slope. A shift of all skills at once changes no
    match: neither the slope nor any step here has a part in that direction.
    """
    found, rest = [0.0] * len(slope), list(slope)
    along, length = list(rest), _dot(rest, rest)
    for _ in range(len(slope)):
        if length < GRADIENT_MOST**2 / 100:
            break
        bent = curve(along)
        far = length / _dot(along, bent)
        found = [value + far * step for value, step in zip(found, along, strict=True)]
        rest = [value - far * step for value, step in zip(rest, bent, strict=True)]
        before, length = length, _dot(rest, rest)
        along = [value + length / before * step for value, step in zip(rest, along, strict=True)]
    return found


def kendall(ours: Sequence[float], truth: Sequence[float]) -> float:
    """Kendall's tau-b: 1 for the same order, 0 for no likeness; what ties is neither right nor wrong."""
    pairs = [(i, j) for i in range(len(ours)) for j in range(i)]
    signs = [(_sign(ours[i] - ours[j]), _sign(truth[i] - truth[j])) for i, j in pairs]
    untied = sum(one != 0 for one, _ in signs) * sum(other != 0 for _, other in signs)
    return sum(one * other for one, other in signs) / math.sqrt(untied)


def measure(seed: int, players: int = 200, each: int = 40) -> dict[str, float]:
    """Kendall's tau to the truth: of the points as they are shown, of the bare guesses, and of the reference."""
    season = play(random.Random(seed), players, each)
    ratings = rated(season, players)
    best = kendall(likeliest(season, players), season.skills)
    shown = kendall([rating.points for rating in ratings], season.skills)
    guessed = kendall([rating.mu for rating in ratings], season.skills)
    return {"shown": shown, "guess": guessed, "likeliest": best, "ratio": shown / best, "guess_ratio": guessed / best}


def main() -> int:
    """Measures over many seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--players", type=int, default=200, help="a multiple of four")
    parser.add_argument("--matches", type=int, default=40, help="of each player")
    given = parser.parse_args()
    measured = [measure(seed, given.players, given.matches) for seed in range(1, given.seeds + 1)]
    told: dict[str, Any] = {
        "bench": "ratings",
        "seeds": given.seeds,
        "players": given.players,
        "matches": given.matches,
    }
    for name in measured[0]:
        values = [each[name] for each in measured]
        told[name] = {
            "mean": round(fmean(values), 4), "least": round(min(values), 4), "most": round(max(values), 4)
        }  # fmt: skip
    print(json.dumps(told))
    return 0


def _chance(ahead: float) -> float:
    return 1 / (1 + math.exp(-ahead))


def _ahead(values: Vector, match: Match) -> float:
    """By how much the winners exceed the losers."""
    (a, c), (b, d) = match
    return values[a] + values[c] - values[b] - values[d]


def _gathered(matches: Sequence[Match], amounts: Iterable[float], players: int) -> Vector:
    """Each player's amounts: of won matches added, of lost ones taken off."""
    sums = [0.0] * players
    for (winners, losers), amount in zip(matches, amounts, strict=True):
        for player in winners:
            sums[player] += amount
        for player in losers:
            sums[player] -= amount
    return sums


def _dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


if __name__ == "__main__":
    sys.exit(main())
