"""Actions: what a player, or the clock, asks for. Cards are faces (cards.py), seats 0..3."""

from typing import Final, NamedTuple, TypeAlias


class Draw(NamedTuple):
    """Draw the front card of the stock (R5.2)."""

    seat: int


class Take(NamedTuple):
    """Take the pile's top ``depth`` cards (R5.2)."""

    seat: int
    depth: int


class Pass(NamedTuple):
    """Decline the last card of the pile (R6.2)."""

    seat: int


class Lay(NamedTuple):
    """Lay one or more new melds, all or none (R5.4)."""

    seat: int
    melds: tuple[bytes, ...]


class Amend(NamedTuple):
    """Give one meld of the team a new layout (R5.5)."""

    seat: int
    meld_id: int
    cards: bytes


class Undo(NamedTuple):
    """Go back to the last moment with no duty unmet (R5.8)."""

    seat: int


class Discard(NamedTuple):
    """Throw a card, which ends the turn (R5.7)."""

    seat: int
    card: int


class Timeout(NamedTuple):
    """The clock ran out (R9.2)."""


SeatAction: TypeAlias = Draw | Take | Pass | Lay | Amend | Undo | Discard
"""What a player asks for."""
Action: TypeAlias = SeatAction | Timeout

TIMEOUT: Final = Timeout()


def at_seat(action: SeatAction, seat: int) -> SeatAction:
    """The action as this seat's."""
    return action if action.seat == seat else action._replace(seat=seat)
