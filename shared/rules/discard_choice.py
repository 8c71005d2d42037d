"""The server's discard (R9.3): the least useful card, never a joker or a two while another card is held."""

from typing import Final

from shared.rules.cards import (
    ACE_HIGH,
    FIRST,
    HALF_POINTS,
    IS_PLAIN,
    JOKER,
    RANK,
    SUIT,
    Bag,
    Face,
    bag_faces,
)
from shared.rules.laying import may_amend
from shared.rules.layouts import new_layouts
from shared.rules.melds import SET_RANKS, Meld
from shared.rules.state import DealState

FITS_A_MELD: Final = 2
"""What a card that fits a meld of the team counts, in links."""


def _positions(face: Face) -> tuple[int, ...]:
    return (1, ACE_HIGH) if RANK[face] == 1 else (RANK[face],)


def _linked(face: Face, other: Face) -> bool:
    """Whether two different plain faces make a possible run or set (R9.3)."""
    if SUIT[face] == SUIT[other]:
        return any(abs(one - two) <= 2 for one in _positions(face) for two in _positions(other))
    return RANK[face] == RANK[other] and RANK[face] in SET_RANKS


_PLAIN_FACES: Final = tuple(face for face in range(52) if IS_PLAIN[face])
LINKS: Final = {
    face: sum(FIRST[other] for other in _PLAIN_FACES if other != face and _linked(face, other)) for face in _PLAIN_FACES
}
"""For each plain face the faces that it links with, as a bag of first copies."""


def least_useful_card(state: DealState) -> Face:
    """The card that the server throws for the seat to act (R9.3)."""
    hand = state.hands[state.turn]
    plain = [face for face in bag_faces(hand) if IS_PLAIN[face]]
    if not plain:
        return min(bag_faces(hand), key=lambda face: (face == JOKER, SUIT[face]))
    melds = [meld for meld in state.melds if may_amend(state, state.turn, meld)]
    return min(
        plain, key=lambda face: (_usefulness(state, hand, melds, face), HALF_POINTS[face], RANK[face], SUIT[face])
    )


def _usefulness(state: DealState, hand: Bag, melds: list[Meld], face: Face) -> int:
    links = (hand & LINKS[face]).bit_count()
    fits = any(_near(meld, face) and _fits_alone(state, meld, face) for meld in melds)
    return links + FITS_A_MELD * fits


def _near(meld: Meld, face: Face) -> bool:
    """Whether the face can possibly be added alone: a quick look before the exact one."""
    if not meld.start:
        return any(IS_PLAIN[card] and RANK[card] == RANK[face] for card in meld.cards)
    if SUIT[face] != meld.suit:
        return False
    end = meld.start + len(meld.cards)
    if any(meld.start - 2 <= at <= end + 1 for at in _positions(face)):
        return face not in meld.cards or RANK[face] == 1
    return False


def _fits_alone(state: DealState, meld: Meld, face: Face) -> bool:
    """Whether this card alone, added to the meld, makes a new layout (R5.5)."""
    layouts = new_layouts(meld, FIRST[face], state.turn, state.options)
    return any(layout.count(face) > meld.cards.count(face) for layout in layouts)
