"""What may be asked of a table: by players, by its own clock, and by what it asked of other services."""

from typing import NamedTuple, TypeAlias

from services.table.state import Fair, Seat
from shared.fairness.context import DealContext
from shared.rules.actions import SeatAction
from shared.rules.options import Options


class Create(NamedTuple):
    """Make the table."""

    options: Options
    seats: tuple[Seat, ...]
    host_seat: int
    series_id: bytes
    match_id: bytes


class TakeVacancy(NamedTuple):
    """Sit a house bot down."""

    vacancy: str
    account: str
    name: str


class Play(NamedTuple):
    """Play an action for an account, meant for one turn of one deal."""

    account: str
    deal_no: int
    turn_no: int
    action: SeatAction
    """Its seat is the account's, whatever seat it names."""


class ClockOut(NamedTuple):
    """The clock that was set to this moment is out."""

    deadline_ms: int


class Commitment(NamedTuple):
    """The shuffle service has committed to a secret."""

    context: DealContext
    fair: Fair


class Deal(NamedTuple):
    """The shuffle service has dealt."""

    context: DealContext
    fair: Fair
    starter: int | None
    """As drawn, or ``None`` where the deal before settled it."""
    deck: bytes


class NewStock(NamedTuple):
    """The shuffle service has made a new stock."""

    context: DealContext
    number: int
    stock: bytes


class Reveal(NamedTuple):
    """The shuffle service has revealed a deal's secret."""

    match_id: bytes
    deal_no: int
    fair_json: str


class Presence(NamedTuple):
    """The seat's person has a Watch open, or none left."""

    seat: int
    away: bool


class Resume(NamedTuple):
    """An owner goes on with a table that has stood still since then (Unix milliseconds)."""

    since_ms: int


class NextMatch(NamedTuple):
    """The series goes on with this match."""

    match_id: bytes


Command: TypeAlias = (
    Create | TakeVacancy | Play | ClockOut | Commitment | Deal | NewStock | Reveal | Presence | Resume | NextMatch
)
