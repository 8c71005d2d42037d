"""Waiting to lay all in one turn, which pays 51 or 102 and leaves the other team with nothing (R7.3)."""

from typing import Final

from services.bots.policies.laying import laid_out, packed
from services.bots.policies.reading import PLAIN, team_fitting
from shared.rules.cards import FACES, Bag, bag_size, bag_take
from shared.rules.state import DealState, same_team
from shared.rules.views import View

MOST_LEFT_ALONE: Final = (0, 2, 5, 6)
"""In a duel: how many cards may be left beside the hand's melds, by how many the rival has; with more it may be any."""
MOST_LEFT: Final = (0, 0, 2, 3, 4, 4, 5)
"""With partners, who lose time by it, as nobody lays off on melds that are not laid: by the
smallest hand of the others' team."""
PARTNERS_FEWEST: Final = 2
"""It does not wait with a partner who has fewer cards."""


def left_over(state: DealState) -> Bag:
    """The cards of the hand that are in none of its best new melds."""
    hand = state.hands[state.turn]
    for cards in packed(hand, state.options).melds:
        hand = bag_take(hand, cards)
    return hand


def waits(view: View, state: DealState, left: Bag) -> bool:
    """Whether the seat to act had better lay nothing yet; ``left`` by ``left_over``."""
    seat = state.turn
    if not pays(state) or state.put_down >> seat & 1:
        return False
    nearest = min(size for other, size in enumerate(view.hand_sizes) if not same_team(other, seat))
    if len(view.hand_sizes) == 2:
        return nearest >= len(MOST_LEFT_ALONE) or bag_size(left) <= MOST_LEFT_ALONE[nearest]
    if view.hand_sizes[(seat + 2) % len(view.hand_sizes)] < PARTNERS_FEWEST:
        return False
    return bag_size(left) <= MOST_LEFT[min(nearest, len(MOST_LEFT) - 1)]


def spared(view: View, state: DealState) -> Bag:
    """What a hand that waits may throw, in phase play; nothing where it does not wait, or goes out now."""
    if state.duties or state.put_down >> state.turn & 1 or not pays(state):
        return 0
    left = left_over(state)
    # With one left it throws that, and is out in this very turn.
    if bag_size(left) <= 1 or not waits(view, state, left):
        return 0
    end = laid_out(state)
    if end.end is not None or bag_size(end.hands[state.turn]) <= 1:
        return 0
    harmless = ~team_fitting(state, state.turn) & PLAIN
    return left & (harmless | harmless << FACES)


def pays(state: DealState) -> bool:
    """Whether going out in one turn is paid at this table at all."""
    return state.options.one_turn_bonus and state.options.scoring == "team"


def ends_with_a_throw(state: DealState) -> bool:
    """Whether the last card is to be thrown: laid off on a partner's meld, it would spoil what one turn pays (R7.3)."""
    hand = state.hands[state.turn]
    return pays(state) and state.fresh and not state.amended_partner and not state.duties and bag_size(hand) == 1
