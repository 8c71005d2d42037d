"""Pairs: each is played twice with the teams exchanged, so that the cards are no luck of one side."""

from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from typing import Final, NamedTuple

from services.bots.arena.deals import Result, Times, cards_of, play_deal
from services.bots.policies.policy import Policy
from services.bots.policies.registry import make_policy
from shared.rules.match import MatchState, after_deal, next_starter
from shared.rules.options import Options

MOST_DEALS: Final = 200
"""A match that goes on for longer is given up as drawn."""
CHUNK: Final = 2
"""Pairs that a process takes at a time."""


class Contest(NamedTuple):
    """What is played; equal contests play equally, but for policies that go by a clock."""

    options: Options
    a: str
    b: str
    seed: int
    partner: str | None = None
    """Who sits opposite each of them; ``None``: another of their own."""
    playouts: int | None = None
    """For policies that play out: how many for a decision, in place of a time."""
    matches: bool = False
    """Whole matches, not single deals."""


class Game(NamedTuple):
    """A deal, or a match, with A's policy in one of the teams."""

    a_team: int
    deals: list[Result]
    won: float
    """By A: 1, or a half where nobody has more."""


class Pair(NamedTuple):
    """What came of a pair."""

    games: tuple[Game, Game]
    times: tuple[Times, Times]
    """Of A's decisions, and of B's."""

    @property
    def points(self) -> float:
        """A's points less B's, a deal."""
        gaps = [deal.teams[game.a_team] - deal.teams[1 - game.a_team] for game in self.games for deal in game.deals]
        return sum(gaps) / len(gaps) / 2

    @property
    def won(self) -> float:
        """The share of the two games that A won."""
        return sum(game.won for game in self.games) / 2


def play_pairs(contest: Contest, pairs: int, jobs: int = 1) -> Generator[Pair, None, None]:
    """The pairs in their order, each as soon as it is played; closing the iterator ends the processes."""
    if jobs == 1:
        for number in range(pairs):
            yield play_pair(contest, number)
        return
    with ProcessPoolExecutor(jobs) as processes:
        try:
            yield from processes.map(play_pair, [contest] * pairs, range(pairs), chunksize=CHUNK)
        finally:
            processes.shutdown(cancel_futures=True)


def play_pair(contest: Contest, number: int) -> Pair:
    """Both games of a pair. Raises ``KeyError`` for a policy that there is not, ``BadPolicyError``."""
    times = (Times([], []), Times([], []))
    return Pair((_game(contest, number, 0, times), _game(contest, number, 1, times)), times)


def _game(contest: Contest, number: int, a_team: int, times: tuple[Times, Times]) -> Game:
    options = contest.options
    policies, timed = _seated(contest, number, a_team, times)
    starter = number % options.seats
    match = MatchState(options)
    deals: list[Result] = []
    for deal_no in count():
        cards = cards_of(options, starter, f"{contest.seed} {number} {deal_no}")
        deals.append(play_deal(cards, policies, timed))
        match = after_deal(match, deals[-1].teams)
        starter = next_starter(starter, options)
        if not contest.matches or match.winner is not None or len(deals) == MOST_DEALS:
            break
    gap = match.totals[a_team] - match.totals[1 - a_team]
    return Game(a_team, deals, 0.5 if gap == 0 else float(gap > 0))


def _seated(contest: Contest, number: int, a_team: int, times: tuple[Times, Times]) -> tuple[list[Policy], list[Times]]:
    """Policies and their times by seat. A partner given sits at either side of the team, pair about pair."""
    sides = [(seat & 1) ^ a_team for seat in range(contest.options.seats)]
    own = [make_policy(name, playouts=contest.playouts) for name in (contest.a, contest.b)]
    policies = [own[side] for side in sides]
    timed = [times[side] for side in sides]
    if contest.partner is not None and len(sides) > 2:
        first = 2 * (number // len(sides) % 2)
        for seat in (first, first + 1):
            policies[seat] = make_policy(contest.partner, playouts=contest.playouts)
            timed[seat] = Times([], [])
    return policies, timed
