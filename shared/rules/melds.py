"""Melds (R4): what a legal layout is, and which cards it stands for."""

from typing import Final, NamedTuple, NoReturn

from shared.rules.cards import (
    ACE,
    ACE_HIGH,
    CODES,
    IS_PLAIN,
    JOKER,
    RANK,
    RUN_FACES,
    SUIT,
    THREE,
    TWO,
    TWOS,
    Face,
)
from shared.rules.options import Options
from shared.rules.refusal import Code, RefusedError

SHORTEST: Final = 3
LONGEST_SET: Final = 4
SET_RANKS: Final = (ACE, THREE)


class Meld(NamedTuple):
    """A meld on the table."""

    id: int
    """1, 2, 3 ... in each deal, in the order laid."""
    owner: int
    """The seat that first laid it."""
    cards: bytes
    """Faces in the order of the layout; a run's from low to high (R4.6)."""
    layers: bytes
    """For each card the seat that put it on the table."""
    start: int
    """Position 1..14 of a run's first card; 0 for a set."""
    suit: int
    """Suit 0..3 of a run; -1 for a set."""


class Shape(NamedTuple):
    """What a legal layout is: a run from ``start`` in ``suit``, or a set (0, -1)."""

    start: int
    suit: int


SET_SHAPE: Final = Shape(0, -1)


def layout_shape(cards: bytes, options: Options) -> Shape:
    """Check a layout by R4 and say what it is.

    Raises ``RefusedError`` with the code of a rule it breaks.
    """
    if len(cards) < SHORTEST:
        _refuse(Code.MELD_TOO_SHORT, cards)
    jokers = cards.count(JOKER)
    if jokers > 1:
        _refuse(Code.TOO_MANY_JOKERS, cards)
    plain = [face for face in cards if IS_PLAIN[face]]
    if not plain:
        _refuse(Code.NOT_ENOUGH_REAL_CARDS, cards)
    rank = RANK[plain[0]]
    if len(plain) > 1 and all(RANK[face] == rank for face in plain):
        return _set_shape(cards, plain, jokers, options)
    return _run_shape(cards, plain, jokers, options)


def natural_two_at(start: int, suit: int, cards: bytes, options: Options) -> int:
    """Index of a run's natural two (R4.5), or -1. Always -1 where ``natural_two_is_real`` is off."""
    if not options.natural_two_is_real or not 1 <= start <= TWO:
        return -1
    index = TWO - start
    return index if index < len(cards) and cards[index] == TWOS[suit] else -1


def _set_shape(cards: bytes, plain: list[Face], jokers: int, options: Options) -> Shape:
    """A set: aces or 3s of different suits, four cards at the most (R4.3)."""
    twos = len(cards) - len(plain) - jokers
    if RANK[plain[0]] not in SET_RANKS:
        _refuse(Code.SET_RANK_NOT_ALLOWED, cards)
    if len(set(plain)) != len(plain):
        _refuse(Code.SET_SUIT_REPEATED, cards)
    if twos and not options.twos_in_sets:
        _refuse(Code.TWO_IN_SET_NOT_ALLOWED, cards)
    if twos > 1:
        _refuse(Code.TOO_MANY_TWOS, cards)
    if len(cards) > LONGEST_SET:
        _refuse(Code.SET_TOO_LONG, cards)
    return SET_SHAPE


def _run_shape(cards: bytes, plain: list[Face], jokers: int, options: Options) -> Shape:
    """A run: one suit in sequence, positions 1..14 (R4.2)."""
    suit = SUIT[plain[0]]
    for face in plain:
        if SUIT[face] != suit:
            _refuse(Code.RUN_SUITS_DIFFER, cards)
    start = _run_start(cards, plain)
    if start < 1 or start + len(cards) - 1 > ACE_HIGH:
        _refuse(Code.RUN_OUT_OF_RANGE, cards)
    order = RUN_FACES[suit]
    for index, face in enumerate(cards, start - 1):
        if face != order[index] and IS_PLAIN[face]:
            _refuse(Code.RUN_NOT_CONSECUTIVE, cards)
    twos = len(cards) - len(plain) - jokers
    natural = 1 if twos and natural_two_at(start, suit, cards, options) >= 0 else 0
    if twos - natural > 1:
        _refuse(Code.TOO_MANY_TWOS, cards)
    if len(plain) + natural < options.min_real:
        _refuse(Code.NOT_ENOUGH_REAL_CARDS, cards)
    return Shape(start, suit)


def _run_start(cards: bytes, plain: list[Face]) -> int:
    """Position of the first card: a card other than an ace tells; a lone ace is low in front, else high (R4.2)."""
    for face in plain:
        if RANK[face] != ACE:
            return RANK[face] - cards.index(face)
    index = cards.index(plain[0])
    return ACE if index == 0 else ACE_HIGH - index


def _refuse(code: Code, cards: bytes) -> NoReturn:
    raise RefusedError(code, f"{code}: {' '.join(CODES[face] for face in cards[:15])}")
