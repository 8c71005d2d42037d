"""What a seat can read off its view: which cards fit a meld, and which are still unseen."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from shared.rules.cards import (
    ACE_HIGH,
    FACES,
    FIRST,
    IS_PLAIN,
    JOKER,
    RANK,
    RUN_FACES,
    TWO,
    TWOS,
    Bag,
    Face,
    bag_count,
)
from shared.rules.melds import LONGEST_SET, Meld, natural_two_at
from shared.rules.options import Options
from shared.rules.state import DealState, same_team

_ALL_TWOS: Final = sum(FIRST[face] for face in TWOS)
_ACES: Final = sum(FIRST[face] for face in range(0, 52, 13))
_THREES: Final = sum(FIRST[face] for face in range(2, 52, 13))
PLAIN: Final = sum(FIRST[face] for face in range(FACES) if IS_PLAIN[face])
"""All faces but jokers and twos, as a bag of first copies."""


class Fits(NamedTuple):
    """Faces as bags of first copies."""

    added: Bag
    """Each of these can be added to the meld alone (R5.5)."""
    swapped: Bag
    """Each of these can take the place of the meld's joker (R5.5c)."""


@lru_cache(maxsize=1 << 13)
def fits(cards: bytes, start: int, suit: int, options: Options) -> Fits:
    """Which cards, each by itself, give a meld a new layout, its joker staying where it is or leaving."""
    if not start:
        return _set_fits(cards, options)
    swapped = 0
    at = cards.find(JOKER)
    if at >= 0 and (start + at != TWO or options.natural_two_is_real or not any(face in TWOS for face in cards)):
        swapped = FIRST[RUN_FACES[suit][start + at - 1]]
    added = _fit_free if options.two_move == "free" else _fit_displacing
    return Fits(added(cards, start, suit, options), swapped)


def _fit_displacing(cards: bytes, start: int, suit: int, options: Options) -> Bag:
    """R5.5e: at the ends, and in the place of a two that then goes beyond an end."""
    order = RUN_FACES[suit]
    natural = natural_two_at(start, suit, cards, options)
    twos = [start + at for at, face in enumerate(cards) if not IS_PLAIN[face] and face != JOKER and at != natural]
    room = len(cards) < ACE_HIGH
    added = 0
    for place in (start - 1, start + len(cards), *(twos if room else ())):
        if 1 <= place <= ACE_HIGH and (place != TWO or options.natural_two_is_real):
            added |= FIRST[order[place - 1]]
    if room and not twos:
        added |= _ALL_TWOS
    if room and JOKER not in cards:
        added |= FIRST[JOKER]
    return added


def _fit_free(cards: bytes, start: int, suit: int, options: Options) -> Bag:
    """R5.5f: twos stand wherever they are of use."""
    order = RUN_FACES[suit]
    fixed = {start + at for at, face in enumerate(cards) if IS_PLAIN[face] or face == JOKER}
    twos = [face for face in cards if not IS_PLAIN[face] and face != JOKER]
    natural = options.natural_two_is_real
    own = TWOS[suit]
    added = 0
    for place in range(max(1, start - 2), min(ACE_HIGH, start + len(cards) + 1) + 1):
        if place not in fixed and place != TWO and _spans({*fixed, place}, twos, 0, own if natural else -1):
            added |= FIRST[order[place - 1]]
    for two in TWOS:
        if _spans(fixed, [*twos, two], 0, own if natural else -1):
            added |= FIRST[two]
    if JOKER not in cards and _spans(fixed, twos, 1, own if natural else -1):
        added |= FIRST[JOKER]
    return added


def _spans(fixed: set[int], twos: list[Face], jokers: int, own: Face) -> bool:
    """Whether the places fixed, twos and a joker make a run; ``own``: the two that may be natural, or -1."""
    for naturals in (0, 1) if own in twos and TWO not in fixed else (0,):
        places = {*fixed, TWO} if naturals else fixed
        if len(twos) - naturals > 1:
            continue
        wilds = len(twos) - naturals + jokers
        gaps = max(places) - min(places) + 1 - len(places)
        if gaps <= wilds and len(places) + wilds <= ACE_HIGH:
            return True
    return False


def _set_fits(cards: bytes, options: Options) -> Fits:
    rank = next(RANK[face] for face in cards if IS_PLAIN[face])
    lacking = sum(FIRST[face] for face in range(rank - 1, 52, 13) if face not in cards)
    has_joker = JOKER in cards
    added = 0
    if len(cards) < LONGEST_SET:
        added = lacking
        if options.twos_in_sets and not any(face in TWOS for face in cards):
            added |= _ALL_TWOS
        if not has_joker:
            added |= FIRST[JOKER]
    return Fits(added, lacking if has_joker else 0)


def fitting(melds: Iterable[Meld], options: Options) -> Bag:
    """The faces that can be added to one of the melds, as a bag of first copies."""
    faces = 0
    for meld in melds:
        faces |= fits(meld.cards, meld.start, meld.suit, options).added
    return faces


def team_fitting(state: DealState, seat: int) -> Bag:
    """What fits the melds of a seat's team, whether it has opened or not."""
    return fitting((meld for meld in state.melds if same_team(meld.owner, seat)), state.options)


def unseen_counts(state: DealState, seat: int) -> list[int]:
    """How many cards of each face the seat has not seen: in the stock, or in the hands of others (R2.1)."""
    hand = state.hands[seat]
    counts = [2 - bag_count(hand, face) for face in range(FACES)]
    for face in state.pile:
        counts[face] -= 1
    for meld in state.melds:
        for face in meld.cards:
            counts[face] -= 1
    return counts


def may_hold_meld(hand: Bag, options: Options) -> bool:
    """Whether the hand could hold a new meld: a quick look, wrong only where it says yes (R4)."""
    joker = hand & FIRST[JOKER]
    two = hand & _ALL_TWOS
    plain = hand & PLAIN
    if not plain:
        return False
    if joker and two and options.min_real == 1:
        return True
    real = plain | two if options.natural_two_is_real else plain
    for suit in range(4):
        plane = real >> suit * 13 & 0x1FFF
        plane |= (plane & 1) << 13
        if plane & plane >> 1 & plane >> 2:
            return True
        if (joker or two) and plane & (plane >> 1 | plane >> 2):
            return True
        if joker and two and plane & plane >> 3:
            return True
    least = 2 if joker or (two and options.twos_in_sets) else 3
    return (plain & _ACES).bit_count() >= least or (plain & _THREES).bit_count() >= least


def outs(plain: Bag, counts: list[int]) -> int:
    """How many unseen cards make a meld with two plain cards of a hand."""
    found = 0
    for suit in range(4):
        plane = plain >> suit * 13 & 0x1FFF
        if plane & plane - 1:
            plane |= (plane & 1) << 13
            up, down = plane << 1, plane >> 1
            places = (up & plane << 2 | down & plane >> 2 | up & down) & ~plane & 0x3FFD
            found |= (places & 0x1FFF | places >> 13) << suit * 13
    for faces in (_ACES, _THREES):
        if (plain & faces).bit_count() >= 2:
            found |= faces & ~plain
    count = 0
    while found:
        low = found & -found
        count += counts[low.bit_length() - 1]
        found ^= low
    return count


def beside(faces: Bag) -> Bag:
    """The faces next to these in their suits."""
    near = 0
    for suit in range(4):
        plane = faces >> suit * 13 & 0x1FFF
        near |= ((plane << 1 | plane >> 1) & 0x1FFF) << suit * 13
    return near
