"""What `brute` says of a deal's state: the same questions that the library answers, asked of the second reading."""

from collections.abc import Iterator

from shared.rules.actions import Action, Amend, Lay
from shared.rules.cards import Bag, bag_cards, codes
from shared.rules.engine import apply
from shared.rules.events import Took
from shared.rules.evolve import evolve
from shared.rules.legal import lay_offs, ready_melds
from shared.rules.melds import Meld
from shared.rules.state import DealState
from tests.support import brute

TOO_MANY = 3000
"""States of one search; it is given up where there are more."""


class TooManyError(Exception):
    """The search has grown too large for a test."""


def coded(cards: bytes) -> brute.Layout:
    return tuple(codes(cards))


def table_meld(meld: Meld) -> brute.TableMeld:
    return brute.TableMeld(meld.owner, coded(meld.cards), tuple(meld.layers))


def hand_of(state: DealState) -> list[str]:
    """The cards of the seat to act."""
    return codes(bag_cards(state.hands[state.turn]))


def may_touch(state: DealState, meld: Meld) -> bool:
    """R5.5h told from the seats and the melds alone."""
    seat, options = state.turn, state.options
    if meld.owner == seat:
        return True
    opened = any(other.owner == seat for other in state.melds)
    partners = options.mode == "partners" and meld.owner == (seat + 2) % 4
    return partners and (opened or not options.partner_needs_opening)


def brute_melds(state: DealState) -> list[brute.Layout]:
    """Every new meld of the seat to act, in the order of answers."""
    return sorted(brute.new_melds(hand_of(state), state.options))


def brute_amends(state: DealState) -> list[tuple[int, brute.Layout]]:
    """Every new layout that the seat to act may give a meld, in the order of answers."""
    hand = hand_of(state)
    return sorted(
        (meld.id, cards)
        for meld in state.melds
        if may_touch(state, meld)
        for cards in brute.amends(table_meld(meld), hand, state.turn, state.options)
    )


def brute_can_use_top(state: DealState) -> bool:
    """R5.3: whether some sequence of lay-downs after taking the top card leaves no duty: every one is tried.

    Raises ``TooManyError`` where there are too many.
    """
    seen: set[tuple[Bag, Bag, int, tuple[bytes, ...]]] = set()
    left = [evolve(state, Took(state.turn, 1))]
    while left:
        state = left.pop()
        if not state.duties:
            return True
        key = (state.hands[state.turn], state.duties, state.opened, tuple(meld.cards for meld in state.melds))
        if key not in seen:
            seen.add(key)
            left += [apply(state, action)[1] for action in _lay_downs(state)]
        if len(seen) > TOO_MANY:
            raise TooManyError
    return False


def _lay_downs(state: DealState) -> Iterator[Action]:
    for cards in ready_melds(state):
        yield Lay(state.turn, (cards,))
    for number, cards in lay_offs(state):
        yield Amend(state.turn, number, cards)
