"""Events: what has been accepted. A deal's start and its events are the whole of it.

No event names a card that only one seat may know: a drawn card is found in the stock, a new stock's order is
given to ``evolve`` by who keeps it. So events can be kept and sent without care, but for ``Reshuffled``.
"""

from typing import Literal, NamedTuple, TypeAlias

from shared.rules.melds import Meld

EndKind: TypeAlias = Literal["out", "dead"]


class Drew(NamedTuple):
    """The seat drew the front card of the stock (R5.2)."""

    seat: int


class Took(NamedTuple):
    """The seat took the pile's top ``depth`` cards (R5.2)."""

    seat: int
    depth: int


class Passed(NamedTuple):
    """The seat declined the last card of the pile (R6.2)."""

    seat: int


class Laid(NamedTuple):
    """New melds from the seat's hand (R5.4)."""

    seat: int
    melds: tuple[Meld, ...]


class Amended(NamedTuple):
    """A meld has a new layout (R5.5); ``added`` faces came from the seat's hand."""

    seat: int
    meld: Meld
    added: bytes
    joker_released: bool


class Undone(NamedTuple):
    """The turn is back at its last moment with no duty unmet (R5.8)."""

    seat: int


class Discarded(NamedTuple):
    """The seat threw a card, or the clock did for it (R9.2); the next seat's turn begins."""

    seat: int
    card: int
    by_clock: bool


class TimeRanOut(NamedTuple):
    """Only a discard is taken from the seat now (R9.2)."""

    seat: int


class Reshuffled(NamedTuple):
    """The pile but its top card is the new stock, in this drawing order (R6.1)."""

    stock: bytes


class DealEnded(NamedTuple):
    """The deal is over (R7.1)."""

    end: EndKind
    finisher: int | None
    one_turn: bool
    """Whether the finisher laid all in one turn and is paid for it (R7.3)."""


Event: TypeAlias = Drew | Took | Passed | Laid | Amended | Undone | Discarded | TimeRanOut | Reshuffled | DealEnded
