"""What the secret and transcript of a deal give: deck, reshuffles, first dealer, cut, starter (docs/fair.md).

A card has an id 0..105 here (copy, suit S H D C, rank A..K; the jokers last) and a face 0..52 as in the rules core;
which of two equal cards is which never matters.
"""

from dataclasses import dataclass, field

from shared.fairness.closed import CUT_MAX, ClosedSet, CutKind
from shared.fairness.commitment import SECRET_BYTES
from shared.fairness.encoding import HASH_BYTES, U32_MAX, require_length
from shared.fairness.errors import FairnessError
from shared.fairness.stream import Stream

DECK_CARDS = 106
FIRST_JOKER_ID = 104
FACES_IN_A_DECK = 52
JOKER_FACE = 52
STARTER_CARDS = 19
OTHER_CARDS = 18

DEALER_DRAW = "dealer_draw"
HOST_CUT = "host_cut"

# As long as `bytes.translate` wants it; the entries beyond the deck are never looked up.
_FACE_OF_ID = bytes(JOKER_FACE if card >= FIRST_JOKER_ID else card % FACES_IN_A_DECK for card in range(256))
_RANKS = "A23456789TJQK"
_SUITS = "SHDC"
CODES = (*(rank + suit for suit in _SUITS for rank in _RANKS), "JK")
"""The card code of each face (R2.1)."""


def faces_of(card_ids: bytes) -> bytes:
    """The faces of card ids 0..105, one by one."""
    return card_ids.translate(_FACE_OF_ID)


@dataclass(frozen=True, slots=True)
class Derivation:
    """All draws of one deal. The secret shows in no repr. `FairnessError` for a wrong length."""

    secret: bytes = field(repr=False)
    transcript: bytes

    def __post_init__(self) -> None:
        require_length(self.secret, "secret", SECRET_BYTES)
        require_length(self.transcript, "transcript", HASH_BYTES)

    def _stream(self, purpose: str, k: int) -> Stream:
        return Stream(self.secret, self.transcript, purpose, k)

    def deck_ids(self) -> bytes:
        """The 106 card ids in dealing order."""
        deck = bytearray(range(DECK_CARDS))
        self._stream("deal", 0).shuffle(deck)
        return bytes(deck)

    def deck_faces(self) -> bytes:
        """The 106 faces in dealing order."""
        return faces_of(self.deck_ids())

    def reshuffle(self, pile: bytes, n: int) -> bytes:
        """The n-th new stock of the deal (n = 1, 2, ...) in drawing order.

        `pile` is the pile bottom to top *without* its top card, one byte a card: faces, card ids or, for a caller who
        must not know the cards, mere places 0, 1, ...; a shuffle moves places, whatever lies on them.
        """
        if not 1 <= n <= U32_MAX:
            raise FairnessError("reshuffle", f"there is no reshuffle {n}; they count from 1")
        if len(pile) > DECK_CARDS:
            raise FairnessError("reshuffle", f"a pile of {len(pile)} cards")
        stock = bytearray(pile)
        self._stream("reshuffle", n).shuffle(stock)
        return bytes(stock)

    def first_dealer(self, seats: int) -> int:
        """The seat that deals first in a match where the starter comes by `dealer_draw`; the next seat starts."""
        return self._stream("dealer", 0).uniform(seats)

    def automatic_cut(self) -> int:
        """The cut 1..105 that stands for the host's where the host made none."""
        return 1 + self._stream("autocut", 0).uniform(CUT_MAX)

    def starter_by_cut(self, cut: int, host: int, seats: int) -> int:
        """The seat that starts after `cut`. `FairnessError` outside 1..105."""
        if not 1 <= cut <= CUT_MAX:
            raise FairnessError("cut", f"is {cut}, not 1..{CUT_MAX}")
        return (host + self._stream("cut", cut).uniform(seats)) % seats


def cut_due(closed: ClosedSet, starter_rule: str) -> bool:
    """Whether a cut is due in this deal: the first of a series, under `host_cut`."""
    return starter_rule == HOST_CUT and (closed.ctx.match_no, closed.ctx.deal_no) == (1, 1)


def derived_starter(closed: ClosedSet, derivation: Derivation, starter_rule: str) -> int | None:
    """The seat that starts this deal, or None where it follows from the deal or match before (R3.2).

    `starter_rule` is the table's option `starter`. `FairnessError` where a cut is due and the set has no host.
    """
    ctx = closed.ctx
    if starter_rule == DEALER_DRAW and ctx.deal_no == 1:
        return (derivation.first_dealer(ctx.seats) + 1) % ctx.seats
    if not cut_due(closed, starter_rule):
        return None
    if closed.host >= ctx.seats:
        raise FairnessError("host", "a cut is due, but the closed set names no host")
    cut = closed.cut if closed.cut_kind is CutKind.HOST else derivation.automatic_cut()
    return derivation.starter_by_cut(cut, closed.host, ctx.seats)


def dealt_hand(deck: bytes, seat: int, starter: int, seats: int) -> bytes:
    """The cards of `deck` that `seat` is dealt (R3.1): 19 to the starter, 18 to each next seat."""
    place = (seat - starter) % seats
    if place == 0:
        return deck[:STARTER_CARDS]
    begin = STARTER_CARDS + OTHER_CARDS * (place - 1)
    return deck[begin : begin + OTHER_CARDS]
