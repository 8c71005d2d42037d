"""What to throw: the card that is missed least and helps the other team least, both in half-points.

What the parts weigh was found in the arena (docs/bots.md).
"""

from typing import Final

from services.bots.policies.danger import Danger
from services.bots.policies.reading import PLAIN, beside, fitting, outs, team_fitting
from shared.rules.cards import FIRST, HALF_POINTS, JOKER, Face, bag_faces, bag_remove
from shared.rules.discard_choice import LINKS
from shared.rules.state import DealState, same_team
from shared.rules.views import View

LINK: Final = 4.0
"""Another card in the hand with which a run or a set could be made (R9.3)."""
OUT: Final = 24.0
"""A meld of the hand that the next card would complete, if it were sure to come."""
FITS_OURS: Final = 10.0
"""It fits a meld of the team, where it cannot be laid off yet."""
NEAR_OURS: Final = 2.0
"""It fits a meld of the team after one more card."""
HIGH: Final = 1.5
"""A half-point that may be left in the hand."""
GIVEN_MELD: Final = 15.0
"""The other team makes a new meld of it."""
GIVEN_LAY_OFF: Final = (27.0, 27.0, 8.4, 4.8, 3.0)
"""The other team lays it off, whose smallest hand has so many cards, or more: it is then so close to going out."""


def throws(view: View, state: DealState) -> list[tuple[float, Face]]:
    """The cards that may sensibly be thrown, each with what it costs, the best first.

    No wild while another card is held; nothing that fits the team's melds while something fits nobody's.
    """
    seat = state.turn
    hand = state.hands[seat]
    plain = hand & PLAIN
    if not plain:
        return [(0.0, min(bag_faces(hand), key=lambda face: (face == JOKER, face)))]
    ours = team_fitting(state, seat)
    theirs = fitting((meld for meld in state.melds if not same_team(meld.owner, seat)), state.options)
    if plain & ~ours & ~theirs:
        plain &= ~ours
    danger = Danger(view, state)
    out = OUT / max(1, sum(danger.unseen))
    all_outs = outs(hand & PLAIN, danger.unseen)
    near = beside(ours)

    def cost(face: Face) -> float:
        rest = bag_remove(hand, face) & PLAIN
        keep = out * (all_outs - outs(rest, danger.unseen)) + LINK * (rest & LINKS[face]).bit_count()
        if ours & FIRST[face]:
            keep += FITS_OURS
        elif near & FIRST[face]:
            keep += NEAR_OURS
        return keep - HIGH * HALF_POINTS[face] + _given(danger, face)

    return sorted((cost(face), face) for face in bag_faces(plain))


def _given(danger: Danger, face: Face) -> float:
    if danger.layable(face):
        return GIVEN_LAY_OFF[min(danger.nearest, len(GIVEN_LAY_OFF) - 1)]
    return GIVEN_MELD * danger.meld_chance(face)
