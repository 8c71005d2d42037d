"""The score of a deal (R7), in half-points."""

from typing import Final, NamedTuple

from shared.rules.cards import HALF_POINTS, bag_cards, half_points
from shared.rules.events import DealEnded
from shared.rules.state import DealState

OUT_BONUS: Final = 40
"""20 points for the one who goes out (R7.2, R7.4)."""
ONE_TURN_BONUS: Final = 102
"""51 points for going out all in one turn (R7.3)."""
ONE_TURN_CLEAN_BONUS: Final = 204
"""102 points where the other team laid no meld at all (R7.3)."""
NEVER_OPENED: Final = -40
"""A player who never opened, under personal scoring (R7.4)."""


class DealScore(NamedTuple):
    """The result of an ended deal. All points in half-points."""

    teams: tuple[int, int]
    seats: tuple[int, ...] | None
    """Each seat's result under personal scoring (R7.4), else ``None``."""
    hand_points: tuple[int, ...]
    """Points of the cards left in each hand."""
    laid_points: tuple[int, ...]
    """Points of all cards on the table whose layer is the seat."""
    bonus: int
    """20, 51 or 102 points, or 0 in a dead deal."""


def all_in_one_turn(state: DealState) -> bool:
    """Whether the seat to act, going out now, is paid for doing it all in one turn (R7.3).

    An amend of a partner's meld by the very action that goes out is the caller's to see.
    """
    options = state.options
    return options.one_turn_bonus and options.scoring == "team" and state.fresh and not state.amended_partner


def score_deal(state: DealState) -> DealScore:
    """Score an ended deal by R7. Raises ``ValueError`` where the deal has not ended."""
    end = state.end
    if end is None:
        raise ValueError("the deal has not ended")
    held = tuple(half_points(bag_cards(hand)) for hand in state.hands)
    laid = [0] * len(state.hands)
    for meld in state.melds:
        for face, layer in zip(meld.cards, meld.layers, strict=True):
            laid[layer] += HALF_POINTS[face]
    bonus = _bonus(state, end)
    if state.options.scoring == "personal":
        seats = tuple(_personal(state, end, seat, laid[seat] - held[seat]) for seat in range(len(held)))
        teams = (sum(seats[0::2]), sum(seats[1::2]))
        return DealScore(teams, seats, held, tuple(laid), bonus)
    teams = _team_scores(state, end, held, bonus)
    return DealScore(teams, None, held, tuple(laid), bonus)


def _bonus(state: DealState, end: DealEnded) -> int:
    if end.finisher is None:
        return 0
    if not end.one_turn:
        return OUT_BONUS
    others_laid = any((meld.owner ^ end.finisher) & 1 for meld in state.melds)
    return ONE_TURN_BONUS if others_laid else ONE_TURN_CLEAN_BONUS


def _team_scores(state: DealState, end: DealEnded, held: tuple[int, ...], bonus: int) -> tuple[int, int]:
    """R7.2, R7.3: each team its melds less its hands, the finisher's the bonus on top."""
    scores = [-sum(held[0::2]), -sum(held[1::2])]
    for meld in state.melds:
        scores[meld.owner & 1] += half_points(meld.cards)
    if end.finisher is not None:
        scores[end.finisher & 1] += bonus
        if end.one_turn:
            scores[end.finisher & 1 ^ 1] = 0
    return scores[0], scores[1]


def _personal(state: DealState, end: DealEnded, seat: int, laid_less_held: int) -> int:
    """R7.4: one player's own result."""
    bonus = OUT_BONUS if seat == end.finisher else 0
    if state.opened >> seat & 1:
        return laid_less_held + bonus
    return 0 if bonus else NEVER_OPENED
