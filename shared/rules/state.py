"""The state of one deal (R3, R5.1), and how a deal begins."""

from enum import StrEnum
from typing import Final, NamedTuple

from shared.rules.cards import FULL_DECK, Bag, bag_cards, bag_of
from shared.rules.events import DealEnded
from shared.rules.melds import Meld
from shared.rules.options import Options
from shared.rules.refusal import RecordError
from shared.rules.replacing import quickly_replaced

STARTER_CARDS: Final = 19
OTHERS_CARDS: Final = 18
LAST_TURN: Final = 400
"""A deal whose 400th turn ends with nobody out is dead (R6.3)."""


class Phase(StrEnum):
    """Where a turn stands (R5.1)."""

    DRAW = "draw"
    PLAY = "play"
    OVER = "over"


@quickly_replaced
class DealState(NamedTuple):
    """One deal. Immutable; ``engine.evolve`` makes the next one."""

    options: Options
    starter: int
    hands: tuple[Bag, ...]
    """One bag per seat."""
    stock: bytes
    """Faces in drawing order."""
    pile: bytes
    """Faces from the bottom to the top."""
    melds: tuple[Meld, ...]
    """Index = id - 1."""
    turn: int
    """The seat whose turn it is."""
    turn_no: int
    """1 for the starter's first turn."""
    phase: Phase
    time_up: bool
    """The clock has run out once in this turn (R9.2)."""
    duties: Bag
    """Cards that must be on the table before the turn ends (R5.6)."""
    fallback: "DealState | None"
    """The last moment of the turn with no duty unmet, while one is (R5.8)."""
    opened: int
    """Bit per seat: has laid a new meld of its own (R1)."""
    put_down: int
    """Bit per seat: has put a card on the table (R7.3)."""
    fresh: bool
    """The seat to act had put no card on the table before this turn (R7.3)."""
    amended_partner: bool
    """The seat to act has amended a partner's meld in this turn (R7.3)."""
    reshuffles_used: int
    end: DealEnded | None

    @property
    def reshuffle_due(self) -> bool:
        """Whether the turn that begins waits for a new stock (R6.1)."""
        return self.phase is Phase.DRAW and not self.stock and self.may_reshuffle

    @property
    def may_reshuffle(self) -> bool:
        """Whether the pile but its top card could become a new stock (R6.1)."""
        most = self.options.max_reshuffles
        return len(self.pile) >= 2 and (most is None or self.reshuffles_used < most)


def same_team(one: int, other: int) -> bool:
    """Whether two seats play together: 0 and 2, 1 and 3; in a duel each is alone (R1)."""
    return (one ^ other) & 1 == 0


def next_seat(seat: int, options: Options) -> int:
    """The next seat in playing order (R1)."""
    return (seat + 1) % options.seats


def start_deal(options: Options, starter: int, deck: bytes) -> DealState:
    """Deal the 106 cards (R3.1): 19 to the starter, 18 to each other seat in playing order.

    Raises ``RecordError`` for a deck that is not the 106 cards or a starter that is no seat.
    """
    if not 0 <= starter < options.seats:
        raise RecordError("the starter is no seat of this table")
    if sorted(deck) != sorted(FULL_DECK):
        raise RecordError("the deck is not the 106 cards (R2.1)")
    hands = [0] * options.seats
    at = STARTER_CARDS
    hands[starter] = bag_of(deck[:at])
    for turn in range(1, options.seats):
        hands[(starter + turn) % options.seats] = bag_of(deck[at : at + OTHERS_CARDS])
        at += OTHERS_CARDS
    return DealState(
        options=options,
        starter=starter,
        hands=tuple(hands),
        stock=deck[at:],
        pile=b"",
        melds=(),
        turn=starter,
        turn_no=1,
        phase=Phase.PLAY,
        time_up=False,
        duties=0,
        fallback=None,
        opened=0,
        put_down=0,
        fresh=True,
        amended_partner=False,
        reshuffles_used=0,
        end=None,
    )


def all_cards(state: DealState) -> list[int]:
    """Every card of the deal, sorted by face: always the same ones (R2.1)."""
    cards = [face for hand in state.hands for face in bag_cards(hand)]
    cards += [*state.stock, *state.pile, *(face for meld in state.melds for face in meld.cards)]
    return sorted(cards)
