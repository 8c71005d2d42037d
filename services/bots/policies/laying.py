"""What a greedy hand lays down: the best packing, then what fits on the team's melds, then swaps that help.

Everything here is worked out in the seat's own state by the engine itself, and no hidden card takes part in laying
down. So what is foreseen before a card is taken, or a joker swapped, is what then comes about, choice by choice.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from services.bots.policies.reading import fits, may_hold_meld
from shared.rules.actions import Amend, Lay, SeatAction
from shared.rules.cards import JOKER, Bag, bag_cards, bag_faces, bag_size, half_points
from shared.rules.engine import apply
from shared.rules.laying import may_amend
from shared.rules.layouts import new_layouts, swap_layouts
from shared.rules.melds import Meld
from shared.rules.options import Options
from shared.rules.packing import Packing, best_melds
from shared.rules.ready import small_melds
from shared.rules.refusal import RefusedError
from shared.rules.scoring import NEVER_OPENED, OUT_BONUS
from shared.rules.state import DealState, same_team

EXTRA_CARD: Final = 1
"""What a card left in the hand costs besides its points, in half-points: it has to be got rid of."""


def next_lay_down(state: DealState) -> SeatAction | None:
    """What the seat to act lays next, in phase play; ``None`` where nothing is left to lay.

    With a duty unmet only what leads to its being met, and ``None`` where no way to that is seen (R5.6).
    """
    action = _greedy(state)
    if not state.duties:
        return action
    if action is not None and not laid_out(after(state, action)).duties:
        return action
    ways = [(way, laid_out(reached)) for way in _meeting(state) for reached in _reached(state, way)]
    met = [(way, end) for way, end in ways if not end.duties]
    return max(met, key=lambda way: worth(way[1], state.turn))[0] if met else None


def laid_out(state: DealState) -> DealState:
    """The state once the seat to act has laid down all that it greedily would."""
    while state.end is None and (action := _greedy(state)) is not None:
        state = after(state, action)
    return state


def played_out(state: DealState) -> DealState:
    """The state once the seat to act has laid down all that it would; a duty that is unmet then cannot be met."""
    while state.end is None and (action := next_lay_down(state)) is not None:
        state = after(state, action)
    return state


def after(state: DealState, action: SeatAction) -> DealState:
    """The state after an action. Raises ``RefusedError``."""
    return apply(state, action)[1]


def worth(state: DealState, seat: int) -> int:
    """How a seat stands, in half-points: its team's melds less its own hand, with what going out or opening pays."""
    hand = state.hands[seat]
    points = -half_points(bag_cards(hand)) - EXTRA_CARD * bag_size(hand)
    points += sum(half_points(meld.cards) for meld in state.melds if same_team(seat, meld.owner))
    if state.end is not None:
        points += OUT_BONUS
    elif state.options.scoring == "personal" and not state.opened >> seat & 1:
        points += NEVER_OPENED
    return points


def _greedy(state: DealState) -> SeatAction | None:
    """The best packing; when there is none, the lay-off of most points; when there is none, a swap that helps."""
    seat = state.turn
    packing = packed(state.hands[seat], state.options)
    if packing.melds:
        return Lay(seat, packing.melds)
    return lay_off(state) or _swap(state)


def lay_off(state: DealState) -> SeatAction | None:
    """The lay-off that adds most points and, of equals, most cards; a joker on the table stays where it is."""
    best: SeatAction | None = None
    most = (0, 0)
    for meld in _fitted(state):
        held = half_points(meld.cards)
        for layout in sorted(new_layouts(meld, state.hands[state.turn], state.turn, state.options)):
            added = (half_points(layout) - held, len(layout) - len(meld.cards))
            if added > most and (JOKER in layout or JOKER not in meld.cards):
                best, most = Amend(state.turn, meld.id, layout), added
    return best


def _swap(state: DealState) -> SeatAction | None:
    """The joker swap after which most is laid, if that is more than without it and leaves no duty unmet."""
    best: SeatAction | None = None
    most = worth(state, state.turn)
    for meld in _amendable(state):
        if not fits(meld.cards, meld.start, meld.suit, state.options).swapped & state.hands[state.turn]:
            continue
        for _, layout in swap_layouts(meld, state.hands[state.turn]):
            action = Amend(state.turn, meld.id, layout)
            for reached in _reached(state, action):
                end = _laid_without_swaps(reached)
                value = worth(end, state.turn)
                if not end.duties and value > most:
                    best, most = action, value
    return best


def _laid_without_swaps(state: DealState) -> DealState:
    while state.end is None:
        packing = packed(state.hands[state.turn], state.options)
        action = Lay(state.turn, packing.melds) if packing.melds else lay_off(state)
        if action is None:
            break
        state = after(state, action)
    return state


def _meeting(state: DealState) -> Iterator[SeatAction]:
    """Ways to put a card that is due on the table: small new melds with it, new layouts with it."""
    seat, hand = state.turn, state.hands[state.turn]
    for face in bag_faces(state.duties):
        for cards in sorted(small_melds(hand, state.options, face)):
            yield Lay(seat, (cards,))
        for meld in _amendable(state):
            for layout in sorted(new_layouts(meld, hand, seat, state.options)):
                if layout.count(face) > meld.cards.count(face):
                    yield Amend(seat, meld.id, layout)


def _amendable(state: DealState) -> Iterator[Meld]:
    return (meld for meld in state.melds if may_amend(state, state.turn, meld))


def _fitted(state: DealState) -> Iterator[Meld]:
    """The melds to which a card of the hand can be added; where none can alone, none can together."""
    hand = state.hands[state.turn]
    for meld in _amendable(state):
        if fits(meld.cards, meld.start, meld.suit, state.options).added & hand:
            yield meld


def packed(hand: Bag, options: Options) -> Packing:
    """The best new melds of a hand; asked again and again in one turn."""
    if not may_hold_meld(hand, options):
        return Packing((), 0, bag_size(hand))
    return _packed(hand, options)


@lru_cache(maxsize=1 << 11)
def _packed(hand: Bag, options: Options) -> Packing:
    return best_melds(hand, options)


def _reached(state: DealState, action: SeatAction) -> Iterator[DealState]:
    """The state after the action, or nothing where it is refused."""
    try:
        yield after(state, action)
    except RefusedError:
        return
