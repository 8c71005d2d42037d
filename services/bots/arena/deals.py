"""One deal, played by policies through the rules core: no table, no clock, no chance but the seed's."""

import random
from collections.abc import Sequence
from time import perf_counter, thread_time
from typing import Final, NamedTuple

from services.bots.policies.policy import Policy
from shared.rules.actions import Discard, SeatAction
from shared.rules.cards import FULL_DECK
from shared.rules.engine import apply
from shared.rules.events import Reshuffled
from shared.rules.evolve import evolve
from shared.rules.options import Options
from shared.rules.refusal import RefusedError
from shared.rules.scoring import score_deal
from shared.rules.state import DealState, start_deal
from shared.rules.views import View, view_of

MOST_ACTIONS_IN_TURN: Final = 60


class Cards(NamedTuple):
    """All of a deal that is settled before anybody plays."""

    options: Options
    starter: int
    deck: bytes
    seed: str
    """Of new stocks (R6.1)."""


class Times(NamedTuple):
    """What the decisions of one policy took, in ms; each list in the order of the decisions."""

    wall_ms: list[float]
    cpu_ms: list[float]


class Result(NamedTuple):
    """How a deal ended."""

    teams: tuple[int, int]
    """Half-points."""
    turns: int
    dead: bool
    one_turn: bool
    finisher: int | None


class BadPolicyError(Exception):
    """A policy chose what the rules refuse, or came to no end in a turn."""


def cards_of(options: Options, starter: int, seed: str) -> Cards:
    """The cards that a seed gives."""
    deck = bytearray(FULL_DECK)
    random.Random(f"banakil arena {seed}").shuffle(deck)
    return Cards(options, starter, bytes(deck), seed)


def play_deal(cards: Cards, policies: Sequence[Policy], times: Sequence[Times]) -> Result:
    """Play a deal; ``policies`` and ``times`` by seat, the latter added to.

    Raises ``BadPolicyError``.
    """
    state = start_deal(cards.options, cards.starter, cards.deck)
    actions = 0
    while state.end is None:
        if state.reshuffle_due:
            state = new_stock(state, cards.seed)
            continue
        view = view_of(state, state.turn)
        action = _timed(policies[state.turn], view, times[state.turn])
        try:
            after = apply(state, action)[1]
        except RefusedError as refused:
            raise BadPolicyError(f"{cards.seed}, turn {state.turn_no}: {action} is refused: {refused}") from refused
        actions = 0 if isinstance(action, Discard) else actions + 1
        if actions > MOST_ACTIONS_IN_TURN:
            raise BadPolicyError(f"{cards.seed}, turn {state.turn_no}: it does not end")
        state = after
    end = state.end
    return Result(score_deal(state).teams, state.turn_no, end.end == "dead", end.one_turn, end.finisher)


def _timed(policy: Policy, view: View, times: Times) -> SeatAction:
    wall, cpu = perf_counter(), thread_time()
    action = policy.choose(view)
    times.cpu_ms.append((thread_time() - cpu) * 1000)
    times.wall_ms.append((perf_counter() - wall) * 1000)
    return action


def new_stock(state: DealState, seed: str) -> DealState:
    """The state with the new stock that is due (R6.1).

    Its order is settled by the seed; the games of a pair have other piles by then, and so other stocks.
    """
    stock = bytearray(sorted(state.pile[:-1]))
    random.Random(f"banakil arena stock {seed} {state.reshuffles_used}").shuffle(stock)
    return evolve(state, Reshuffled(bytes(stock)))
