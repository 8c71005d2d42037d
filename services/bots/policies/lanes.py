"""Cards of many deals at once: a hand as bits of a 64-bit number, a column of numbers for as many deals.

Each suit has a lane of 16 bits, in which bit ``p`` is the card at position ``p`` of a run (R4.2): the ace is held at
position 1, and shows at 14 as well where runs are looked for. The bits 0 and 15 of a lane stay clear, so that a shift
by two does not reach the next suit. Twos are counted, not held by suit: each is as good as the other, but for a natural
one. A card that is drawn is one number too: its bit, or ``TWO_CARD`` or ``JOKER_CARD``.
"""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from shared.rules.cards import ACE, ACE_HIGH, FACES, JOKER, RANK, SUIT, TWO, Bag, Face, bag_count

Column: TypeAlias = npt.NDArray[np.int64]
"""A number for each deal."""

_LANE: Final = 16
TWO_CARD: Final = 1
JOKER_CARD: Final = 1 << _LANE


def _every_suit(lane: int) -> int:
    return sum(lane << suit * _LANE for suit in range(4))


def bit(suit: int, place: int) -> int:
    """The bit of a position 1..14 in a suit; 0 for any other position."""
    return 1 << suit * _LANE + place if ACE <= place <= ACE_HIGH else 0


ACES: Final = _every_suit(1 << ACE)
HIGH_ACES: Final = _every_suit(1 << ACE_HIGH)
THREES: Final = _every_suit(1 << 3)
CHEAP: Final = _every_suit(sum(1 << rank for rank in range(3, 7)))
"""Cards of half a point; every other plain card has one point (R2.2)."""
PLAIN: Final = _every_suit(sum(1 << rank for rank in range(ACE, ACE_HIGH) if rank != TWO))
PLACES: Final = PLAIN | HIGH_ACES | _every_suit(1 << TWO)
"""Positions 1..14 of every suit."""
CARD_OF: Final = np.array(
    [
        JOKER_CARD if face == JOKER else TWO_CARD if RANK[face] == TWO else bit(SUIT[face], RANK[face])
        for face in range(FACES)
    ],
    dtype=np.int64,
)
"""The number of each face."""


def held(hand: Bag) -> tuple[int, int, int, int]:
    """A hand's plain cards, the second copies among them, its twos and its jokers."""
    first = second = twos = 0
    for face in range(FACES - 1):
        count = bag_count(hand, face)
        if RANK[face] == TWO:
            twos += count
        elif count:
            first |= bit(SUIT[face], RANK[face])
            second |= bit(SUIT[face], RANK[face]) if count == 2 else 0
    return first, second, twos, bag_count(hand, JOKER)


def card_bit(face: Face) -> int:
    """The number of a face."""
    return int(CARD_OF[face])


def in_runs(cards: Column) -> Column:
    """Plain cards as they may stand in runs: aces at both ends."""
    return cards | (cards & ACES) << 13


def of_hand(places: Column) -> Column:
    """The cards that stand at these places: the ace once."""
    return (places | (places & HIGH_ACES) >> 13) & PLAIN


def lowest(cards: Column) -> Column:
    """One bit of each number, 0 of 0."""
    return cards & -cards


def count(cards: Column) -> npt.NDArray[np.uint8]:
    """How many bits."""
    return np.bitwise_count(cards)


def value(cards: Column) -> npt.NDArray[np.uint8]:
    """The points of plain cards, in half-points."""
    points: npt.NDArray[np.uint8] = 2 * np.bitwise_count(cards) - np.bitwise_count(cards & CHEAP)
    return points
