"""What has happened at a table: the journal's contents. ``Moved`` wraps the events of the rules core."""

from typing import NamedTuple, TypeAlias

from services.table.state import Fair, Occupant, Seat
from shared.rules.events import Event
from shared.rules.options import Options


class Created(NamedTuple):
    """The table was made."""

    table_id: str
    options: Options
    seats: tuple[Seat, ...]
    host_seat: int
    series_id: bytes
    match_id: bytes


class SeatTaken(NamedTuple):
    """Somebody sat down."""

    seat: int
    account: str
    name: str
    occupant: Occupant


class AwayChanged(NamedTuple):
    """The seat's person opened a first Watch, or has none left."""

    seat: int
    away: bool


class MatchBegan(NamedTuple):
    """A later match of the series."""

    match_id: bytes


class CeremonyBegan(NamedTuple):
    """The next deal is to be shuffled."""

    deal_no: int
    attempt: int
    starter: int | None
    """Who starts it, or ``None`` where the shuffle draws it."""


class Committed(NamedTuple):
    """The shuffle service committed to a secret."""

    fair: Fair


class Dealt(NamedTuple):
    """The cards were dealt. The deck lies sealed beside the event, never in it."""

    fair: Fair
    starter: int


class Moved(NamedTuple):
    """The rules' event. A new stock's order lies sealed beside the event, never in it."""

    event: Event


class ClockSet(NamedTuple):
    """From now on this clock runs, or none. Unix milliseconds."""

    deadline_ms: int | None


class Revealed(NamedTuple):
    """A deal's secret is out: the ``fair`` object of its record, as JSON."""

    match_id: bytes
    deal_no: int
    fair_json: str


class Closed(NamedTuple):
    """The table is over."""


TableEvent: TypeAlias = (
    Created
    | SeatTaken
    | AwayChanged
    | MatchBegan
    | CeremonyBegan
    | Committed
    | Dealt
    | Moved
    | ClockSet
    | Revealed
    | Closed
)
