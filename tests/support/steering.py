"""Deals that go as a test wants: whoever sees all cards tries out play after play, and has the best one played.

The cards are the real shuffle's; they are noted as they are dealt (``noting_decks``).
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple
from unittest.mock import patch

from services.table import evolve as table
from shared.rules.actions import Action, Discard, SeatAction, Timeout
from shared.rules.discard_choice import least_useful_card
from shared.rules.match import MatchState, after_deal
from shared.rules.options import Options
from shared.rules.scoring import score_deal
from shared.rules.state import DealState, start_deal
from tests.support.play import Temper, attempt, next_action

HURRIED = 6
"""Plays that are tried where one is as good as the other, or none can be good enough yet."""
LONGEST = 180
"""Actions: a play that takes longer is no use to a test."""
TEMPER = Temper(meld=0.95, several_melds=0.6, amend=0.95, take=0.1, undo=0.0, timeout=0.0, mischief=0.0)
IDLE = replace(TEMPER, meld=0.0, amend=0.0, take=0.0)
SENSE = 0.8
"""How often the least useful card is thrown, and not any."""
LEAD, LAST_DEAL = 50, 60
"""In half-points: who goes out gains about so much on the others; and a team this near to the target reaches it."""


class Wish(NamedTuple):
    """What a deal is to lead to."""

    winner: int | None = None
    """This team wins, sooner or later: the other lays nothing. ``None``: an extra deal becomes due (R8.1, R8.2)."""
    patience: int = 60
    """So many plays are tried for that where one may be good enough."""

    def worth(self, after: MatchState, actions: int) -> float | None:
        """How good a deal of so many actions is by the match after it; ``None`` is good enough at once."""
        first, second = after.totals
        if self.winner is not None:
            return -actions  # whoever lays nothing loses anyway: let it be short
        if after.tiebreak:
            return None
        if after.winner is not None:
            return -1_000
        # Until then nobody reaches the target, and one leads by what the other gains with the last deal.
        astray = abs(abs(first - second) - LEAD)
        return -astray * (3 if max(first, second) + LAST_DEAL >= 2 * after.options.target else 1)


def steered(rng: random.Random, start: DealState, match: MatchState, wish: Wish) -> list[SeatAction]:
    """The actions of a deal, without the clock's and without a new stock, after which a match is as near as may be to
    what is wished."""
    best: tuple[float, list[SeatAction]] | None = None
    tried = 0
    tries = wish.patience if wish.winner is None and _is_near(match) else HURRIED
    while best is None or tried < tries:
        # Also who wants a tie may have one team lay nothing: the other then comes near, and no further.
        found = _played(rng, start, rng.choice((None, None, None, 0, 1)) if wish.winner is None else wish.winner)
        if found is None:
            continue
        tried += 1
        actions, teams = found
        worth = wish.worth(after_deal(match, teams), len(actions))
        if worth is None:
            return actions
        if best is None or worth > best[0]:
            best = worth, actions
    return best[1]


def _is_near(match: MatchState) -> bool:
    """Whether a team may well reach the target with one deal."""
    return max(match.totals) + 2 * LAST_DEAL >= 2 * match.options.target


def _played(
    rng: random.Random, start: DealState, favoured: int | None
) -> tuple[list[SeatAction], tuple[int, int]] | None:
    """A play to the deal's end and its score; ``None`` for one that is too long, or needs a new stock."""
    actions: list[SeatAction] = []
    state = start
    while state.end is None:
        if state.reshuffle_due or len(actions) >= LONGEST:
            return None
        action = next_action(rng, state, TEMPER if favoured in (None, state.turn % 2) else IDLE)
        if isinstance(action, Discard) and rng.random() < SENSE:
            action = Discard(action.seat, least_useful_card(state))
        step = attempt(state, action)
        if step.refused is None:
            actions.append(_of_a_seat(action))
        state = step.after
    return actions, score_deal(state).teams


def _of_a_seat(action: Action) -> SeatAction:
    assert not isinstance(action, Timeout)
    return action


@contextmanager
def noting_decks() -> Iterator[Callable[[], DealState]]:
    """Meanwhile it is noted what tables of this process deal: gives the last deal's start."""
    dealt: list[DealState] = []

    def start(options: Options, starter: int, deck: bytes) -> DealState:
        dealt.append(start_deal(options, starter, deck))
        return dealt[-1]

    with patch.object(table, "start_deal", start):
        yield lambda: dealt[-1]
