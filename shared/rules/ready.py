"""The smallest melds that a hand holds: is there one at all, is there one with a certain card (R4, for R5.3)."""

from collections.abc import Iterator

from shared.rules.cards import (
    FIRST,
    IS_PLAIN,
    JOKER,
    RANK,
    RUN_FACES,
    SUIT,
    TWOS,
    Bag,
    Face,
    bag_count,
    suit_plane,
)
from shared.rules.layouts import ANY_TWO
from shared.rules.melds import SET_RANKS
from shared.rules.options import Options

TWO_BIT = 1 << 1
"""Position 2 in a plane of positions."""
_WINDOWS = tuple((first, length, (1 << length) - 1 << first) for length in (3, 4) for first in range(15 - length))


def has_meld(hand: Bag, options: Options) -> bool:
    """Whether the hand holds any legal new meld (R4)."""
    return next(small_melds(hand, options), None) is not None


def small_melds(hand: Bag, options: Options, face: Face | None = None) -> Iterator[bytes]:
    """New melds of three or four cards from the hand, all that hold no smaller one; only those with ``face`` if given.

    Four cards are needed only where both wilds stand between two real cards (R4.4).
    """
    suits: tuple[int, ...] = (0, 1, 2, 3)
    ranks: tuple[int, ...] = SET_RANKS
    if face is not None and IS_PLAIN[face]:
        suits = (SUIT[face],)
        ranks = (RANK[face],) if RANK[face] in SET_RANKS else ()
    for rank in ranks:
        yield from _small_sets(hand, options, rank, face)
    for suit in suits:
        yield from _small_runs(hand, options, suit, face)


def _small_sets(hand: Bag, options: Options, rank: int, face: Face | None) -> Iterator[bytes]:
    held = [card for card in range(rank - 1, 52, 13) if hand & FIRST[card]]
    if len(held) < 2:
        return
    wilds = [card for card in TWOS if hand & FIRST[card]] if options.twos_in_sets else []
    if hand & FIRST[JOKER]:
        wilds.append(JOKER)
    for index, one in enumerate(held):
        for at, other in enumerate(held[index + 1 :], index + 1):
            for third in (*held[at + 1 :], *wilds):
                if face is None or face in (one, other, third):
                    yield bytes((one, other, third))


def _small_runs(hand: Bag, options: Options, suit: int, face: Face | None) -> Iterator[bytes]:
    plane = suit_plane(hand, suit)
    plane |= (plane & 1) << 13
    own_two = plane & TWO_BIT
    plain = plane & ~TWO_BIT
    if not plain:
        return
    real = plain | own_two if options.natural_two_is_real else plain
    joker = bool(hand & FIRST[JOKER])
    order = RUN_FACES[suit]
    must = sum(1 << at for at in range(14) if order[at] == face) if face is not None and IS_PLAIN[face] else 0
    for first, length, window in _WINDOWS:
        reals = (real & window).bit_count()
        missing = length - reals
        if missing > 2 or reals < options.min_real or not plain & window or (must and not must & window):
            continue
        if length == 4 and missing != 2:
            continue
        yield from _fill(hand, order[first : first + length], real & window, first, joker, face)


def _fill(hand: Bag, cells: bytes, real: int, first: int, joker: bool, face: Face | None) -> Iterator[bytes]:
    """The window's cells with each choice of wilds in its gaps."""
    gaps = [at for at in range(len(cells)) if not real >> first + at & 1]
    natural = next((cell for cell in cells if RANK[cell] == 2 and real & TWO_BIT), None)
    twos = [two for two in TWOS if bag_count(hand, two) > (two == natural)] if hand & ANY_TWO else []
    fills: list[tuple[Face, ...]] = []
    if not gaps:
        fills = [()]
    elif len(gaps) == 1:
        fills = [(wild,) for wild in (*twos, JOKER) if wild != JOKER or joker]
    elif joker:
        fills = [pair for two in twos for pair in ((two, JOKER), (JOKER, two))]
    for fill in fills:
        cards = bytearray(cells)
        for at, wild in zip(gaps, fill, strict=True):
            cards[at] = wild
        if face is None or face in cards:
            yield bytes(cards)
