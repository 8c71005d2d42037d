"""Cards (R2): the 53 faces, their codes and points, and the bag, a small immutable multiset of cards.

A *face* is an int: ``suit * 13 + rank - 1`` with suits S H D C and ranks A..K, and ``JOKER`` (52).
The two copies of a face are interchangeable everywhere (R2.3), so no card has an identity beyond its face.

A *bag* is an int of two bit planes: bit ``f`` says that the bag holds a first copy of face ``f``, bit
``53 + f`` that it holds a second one. Planes make three things one operation each: which faces of a suit are
there, whether one bag holds another (``a & ~b == 0``), and copying.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

Face: TypeAlias = int
Bag: TypeAlias = int

SUITS: Final = "SHDC"
RANKS: Final = "A23456789TJQK"
FACES: Final = 53
JOKER: Final = 52
ACE: Final = 1
TWO: Final = 2
THREE: Final = 3
ACE_HIGH: Final = 14
"""Position of an ace after the king (R4.2)."""

CODES: Final = (*(rank + suit for suit in SUITS for rank in RANKS), "JK")
FACE_OF: Final = {code: face for face, code in enumerate(CODES)}
SUIT: Final = (*(face // 13 for face in range(52)), -1)
"""Suit 0..3 of each face, -1 for the joker."""
RANK: Final = (*(face % 13 + 1 for face in range(52)), 0)
"""Rank 1..13 of each face, 0 for the joker."""
IS_PLAIN: Final = tuple(face != JOKER and RANK[face] != TWO for face in range(FACES))
"""Neither a joker nor a two (R1)."""
TWOS: Final = tuple(suit * 13 + 1 for suit in range(4))
"""The two of each suit."""
RUN_FACES: Final = tuple(bytes([*range(suit * 13, suit * 13 + 13), suit * 13]) for suit in range(4))
"""For each suit the face that belongs at positions 1..14 of a run (index = position - 1, R4.2)."""

FIRST: Final = tuple(1 << face for face in range(FACES))
SECOND: Final = tuple(1 << (FACES + face) for face in range(FACES))
FIRST_PLANE: Final = (1 << FACES) - 1
RANK_ORDER: Final = (*sorted(range(52), key=lambda face: (RANK[face], SUIT[face])), JOKER)
"""Faces by rank A..K, then suit S H D C, the joker last: the order in which records list a hand."""


def _half_points(face: Face) -> int:
    if face == JOKER:
        return 8
    if RANK[face] == TWO:
        return 4
    return 1 if THREE <= RANK[face] <= 6 else 2


HALF_POINTS: Final = tuple(_half_points(face) for face in range(FACES))
"""Points of each face in whole half-points (R2.2)."""

FULL_DECK: Final = bytes([*range(52), *range(52), JOKER, JOKER])
"""The 106 cards (R2.1)."""


class ThirdCopyError(ValueError):
    """A bag would hold a face three times; no deal has that, only a position whose hands were not added up."""


def parse_card(code: str) -> Face:
    """The face of a card code such as ``7H`` or ``JK`` (R2.1). Raises ``ValueError`` for any other text."""
    try:
        return FACE_OF[code]
    except (KeyError, TypeError):
        raise ValueError(f"not a card: {code!r:.20}") from None


def codes(cards: Iterable[Face]) -> list[str]:
    """The codes of the cards, in their order."""
    return [CODES[face] for face in cards]


def bag_of(cards: Iterable[Face]) -> Bag:
    """A bag of these cards. Raises ``ThirdCopyError`` for a third copy of a face (R2.1)."""
    bag = 0
    for face in cards:
        bag = bag_add(bag, face)
    return bag


def bag_add(bag: Bag, face: Face) -> Bag:
    """The bag with one more card. Raises ``ThirdCopyError`` for a third copy of a face (R2.1)."""
    if not bag & FIRST[face]:
        return bag | FIRST[face]
    if bag & SECOND[face]:
        raise ThirdCopyError(f"a third {CODES[face]}")
    return bag | SECOND[face]


def bag_remove(bag: Bag, face: Face) -> Bag:
    """The bag without one card of this face, which must be in it."""
    return bag ^ (SECOND[face] if bag & SECOND[face] else FIRST[face])


def bag_take(bag: Bag, cards: Iterable[Face]) -> Bag:
    """The bag without these cards, or -1 where it does not hold them all."""
    for face in cards:
        if bag & SECOND[face]:
            bag ^= SECOND[face]
        elif bag & FIRST[face]:
            bag ^= FIRST[face]
        else:
            return -1
    return bag


def bag_count(bag: Bag, face: Face) -> int:
    """How many cards of this face the bag holds: 0, 1 or 2."""
    return (bag >> face & 1) + (bag >> (FACES + face) & 1)


def bag_size(bag: Bag) -> int:
    """How many cards the bag holds."""
    return bag.bit_count()


def bag_cards(bag: Bag) -> list[Face]:
    """The cards by rank A..K, then suit S H D C, the joker last."""
    if not bag:
        return []
    cards = []
    for face in RANK_ORDER:
        if bag & FIRST[face]:
            cards.append(face)
            if bag & SECOND[face]:
                cards.append(face)
    return cards


def bag_faces(bag: Bag) -> list[Face]:
    """The different faces in the bag, each once, in the order of their numbers."""
    faces = []
    plane = bag & FIRST_PLANE
    while plane:
        low = plane & -plane
        faces.append(low.bit_length() - 1)
        plane ^= low
    return faces


def half_points(cards: Iterable[Face]) -> int:
    """The points of the cards in half-points (R2.2)."""
    return sum(HALF_POINTS[face] for face in cards)


def suit_plane(bag: Bag, suit: int) -> int:
    """13 bits, bit ``rank - 1``: which ranks of the suit the bag holds at least once."""
    return bag >> suit * 13 & 0x1FFF
