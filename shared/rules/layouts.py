"""Every layout that cards can make: the new melds of a hand (R4), and the new layouts of a meld (R5.5).

Layouts are generated generously and, for amends, judged by ``check_amend``, so that the rules stand in one place.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Final

from shared.rules.amend import check_amend
from shared.rules.cards import (
    ACE,
    ACE_HIGH,
    CODES,
    FIRST,
    IS_PLAIN,
    JOKER,
    RANK,
    RUN_FACES,
    TWO,
    TWOS,
    Bag,
    Face,
    bag_add,
    bag_remove,
)
from shared.rules.melds import LONGEST_SET, SET_RANKS, SHORTEST, Meld, natural_two_at
from shared.rules.options import Options
from shared.rules.refusal import RefusedError

_CODE_ORDER: Final = bytes(sorted(CODES).index(code) for code in CODES).ljust(256, b"\xff")
ANY_TWO: Final = FIRST[TWOS[0]] | FIRST[TWOS[1]] | FIRST[TWOS[2]] | FIRST[TWOS[3]]
WHOLE_RUN: Final = (ACE, ACE_HIGH)


def code_order(cards: bytes) -> bytes:
    """A key that sorts layouts as lists of codes, the order in which answers list them."""
    return cards.translate(_CODE_ORDER)


def new_melds(hand: Bag, options: Options) -> list[bytes]:
    """Every single new meld that the hand holds, each layout once (R4)."""
    layouts: list[bytes] = []
    for suit in range(4):
        layouts += _RunGrower(suit, hand, options).new_runs()
    for rank in SET_RANKS:
        layouts += _new_sets(rank, hand, options)
    return layouts


def new_layouts(meld: Meld, hand: Bag, seat: int, options: Options, window: tuple[int, int] = WHOLE_RUN) -> list[bytes]:
    """Every layout that R5.5a-g let the seat's hand give the meld, each once; a set's in the order S H D C, two, joker.

    ``window``: only runs from these positions; the default is all.
    """
    candidates = _amended_runs(meld, hand, options, window) if meld.start else _amended_sets(meld, hand)
    layouts = []
    for cards in candidates:
        try:
            check_amend(meld, cards, seat, hand, options)
        except RefusedError:
            continue
        layouts.append(cards)
    return layouts


def swap_layouts(meld: Meld, hand: Bag) -> list[tuple[Face, bytes]]:
    """The meld's layouts with the joker's place taken by a card of the hand, and that card (R5.5c); not yet judged."""
    at = meld.cards.find(JOKER)
    if at < 0:
        return []
    if meld.start:
        cards = [RUN_FACES[meld.suit][meld.start + at - 1]]
    else:
        rank = next(RANK[card] for card in meld.cards if IS_PLAIN[card])
        cards = [card for card in range(rank - 1, 52, 13) if card not in meld.cards]
    return [(c, meld.cards[:at] + bytes([c]) + meld.cards[at + 1 :]) for c in cards if hand & FIRST[c]]


class _RunGrower:
    """Grows runs of one suit from left to right out of a pool of cards."""

    def __init__(self, suit: int, pool: Bag, options: Options) -> None:
        self.order = RUN_FACES[suit]
        self.own_two = TWOS[suit]
        self.pool = pool
        self.options = options
        self.forced: Mapping[int, tuple[tuple[Face, bool], ...]] = {}
        """At a position, the cards that may stand there, and whether each comes from the pool."""
        self.must_reach = 0
        self.last = ACE_HIGH
        self.joker_allowed = True
        self.found: set[bytes] = set()

    def new_runs(self) -> list[bytes]:
        """Runs that stand alone."""
        if not self.pool & _plain_of(self.order):
            return []
        for first in range(ACE, ACE_HIGH - 1):
            self._grow(first, b"", self.pool, not self.joker_allowed, False, 0, 0)
        return list(self.found)

    def grown(
        self, forced: Mapping[int, tuple[tuple[Face, bool], ...]], reach: tuple[int, int], window: tuple[int, int]
    ) -> list[bytes]:
        """Runs within the window that cover ``reach`` and have one of the forced cards at each of their positions."""
        self.forced = forced
        self.must_reach = reach[1]
        self.last = window[1]
        for first in range(window[0], reach[0] + 1):
            self._grow(first, b"", self.pool, not self.joker_allowed, False, 0, 0)
        return list(self.found)

    def _grow(self, at: int, laid: bytes, pool: Bag, joker: bool, two: bool, plain: int, natural: int) -> None:
        """Record what is laid, then extend it by one card; ``joker`` and ``two``: a wild of the kind is used up."""
        if len(laid) >= SHORTEST and at > self.must_reach and plain and plain + natural >= self.options.min_real:
            self.found.add(laid)
        if at > self.last:
            return
        forced = self.forced.get(at)
        if forced is not None:
            for face, from_pool in forced:
                if not from_pool or pool & FIRST[face]:
                    rest = bag_remove(pool, face) if from_pool else pool
                    is_plain = IS_PLAIN[face]
                    real_two = face == self.own_two
                    self._grow(
                        at + 1, laid + bytes([face]), rest, joker or face == JOKER, two, plain + is_plain,
                        natural + real_two,
                    )  # fmt: skip
            return
        real = self.order[at - 1]
        if at != TWO:
            if pool & FIRST[real]:
                self._grow(at + 1, laid + bytes([real]), bag_remove(pool, real), joker, two, plain + 1, natural)
        elif self.options.natural_two_is_real and pool & FIRST[real]:
            self._grow(at + 1, laid + bytes([real]), bag_remove(pool, real), joker, two, plain, natural + 1)
        if not joker and pool & FIRST[JOKER]:
            self._grow(at + 1, laid + bytes([JOKER]), bag_remove(pool, JOKER), True, two, plain, natural)
        if not two and pool & ANY_TWO:
            for face in TWOS:
                if pool & FIRST[face] and not (at == TWO and face == real and self.options.natural_two_is_real):
                    self._grow(at + 1, laid + bytes([face]), bag_remove(pool, face), joker, True, plain, natural)


def _plain_of(order: bytes) -> Bag:
    return sum(FIRST[face] for face in order[:13] if IS_PLAIN[face])


def _new_sets(rank: int, hand: Bag, options: Options) -> list[bytes]:
    """New sets of aces or 3s (R4.3, R4.6: two plain cards at least)."""
    held = [face for face in range(rank - 1, 52, 13) if hand & FIRST[face]]
    if len(held) < 2:
        return []
    twos = [bytes([face]) for face in TWOS if hand & FIRST[face]] if options.twos_in_sets else []
    jokers = [b"", bytes([JOKER])] if hand & FIRST[JOKER] else [b""]
    wilds = [two + joker for two in (b"", *twos) for joker in jokers]
    return [
        bytes(plain) + wild
        for count in range(2, len(held) + 1)
        for plain in combinations(held, count)
        for wild in wilds
        if SHORTEST <= count + len(wild) <= LONGEST_SET
    ]


def _amended_sets(meld: Meld, hand: Bag) -> list[bytes]:
    """Candidate layouts of a set: each choice of added cards, with the joker kept or given back."""
    rank = next(RANK[face] for face in meld.cards if IS_PLAIN[face])
    addable = [face for face in range(rank - 1, 52, 13) if hand & FIRST[face] and face not in meld.cards]
    addable += [face for face in (*TWOS, JOKER) if hand & FIRST[face] and face not in meld.cards]
    kept = [meld.cards]
    if JOKER in meld.cards:
        kept.append(bytes(face for face in meld.cards if face != JOKER))
    return [
        bytes(sorted((*cards, *added), key=SET_ORDER.index))
        for cards in kept
        for count in range(1, LONGEST_SET - len(cards) + 1)
        for added in combinations(addable, count)
    ]


SET_ORDER: Final = (*(face for face in range(52) if IS_PLAIN[face]), *TWOS, JOKER)
"""A set's cards in suit order, then the two, then the joker: the order in which answers list them."""


def _amended_runs(meld: Meld, hand: Bag, options: Options, window: tuple[int, int]) -> list[bytes]:
    """Candidate layouts of a run: plain cards stay, the joker stays or is swapped, a two may go elsewhere."""
    free = options.two_move == "free"
    fixed_two = -1 if free else natural_two_at(meld.start, meld.suit, meld.cards, options)
    pool = hand
    forced: dict[int, tuple[tuple[Face, bool], ...]] = {}
    for index, face in enumerate(meld.cards):
        at = meld.start + index
        if face == JOKER:
            forced[at] = ((JOKER, False), (RUN_FACES[meld.suit][at - 1], True))
        elif IS_PLAIN[face] or index == fixed_two:
            forced[at] = ((face, False),)
        else:
            pool = bag_add(pool, face)
    reach = (min(forced), max(forced))
    if not free:
        reach = (meld.start, meld.start + len(meld.cards) - 1)
    grower = _RunGrower(meld.suit, pool, options)
    grower.joker_allowed = JOKER not in meld.cards
    return grower.grown(forced, reach, window)
