"""What has happened at a table: the journal's contents. ``Moved`` wraps the events of the rules core."""

from typing import NamedTuple, TypeAlias

from services.table.ceremony import Receipt
from services.table.state import MissingStake, Occupant, Seat
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
    private: bool


class SeatTaken(NamedTuple):
    """Somebody sat down."""

    seat: int
    account: str
    name: str
    occupant: Occupant


class AwayChanged(NamedTuple):
    """The seat's player opened a first Watch, and plays it again, or has none left."""

    seat: int
    away: bool
    grace_until_ms: int
    """When the grace of who is away ends, Unix milliseconds; 0 where none runs."""


class GraceOver(NamedTuple):
    """The seat's player did not come back in time. ``vacancy``: by which a house bot may take it, or empty."""

    seat: int
    vacancy: str


class SeatLeft(NamedTuple):
    """The seat's player has left on purpose. ``vacancy``: by which a house bot may take it; empty where none is to."""

    seat: int
    vacancy: str


class StandInTook(NamedTuple):
    """A house bot plays from now on in place of the seat's player."""

    seat: int
    account: str
    name: str


class SwapOpened(NamedTuple):
    """A series' first match is over and shown: partners may swap seats (R8.3)."""


class SwapAsked(NamedTuple):
    """Who has this seat wants to swap with the partner."""

    seat: int


class SeatsSwapped(NamedTuple):
    """The two partners of a team have each other's seats."""

    team: int


class MatchBegan(NamedTuple):
    """A later match of the series."""

    match_id: bytes


class FundingBegan(NamedTuple):
    """The match waits until its stakes are held."""

    starter: int | None
    """Who starts its first deal, or ``None`` where the shuffle draws it."""


class StakesHeld(NamedTuple):
    """Every seat's stake is held."""


class StakesMissing(NamedTuple):
    """None is: those of these seats cannot be had, or nobody has said in time."""

    missing: tuple[MissingStake, ...]


class CeremonyBegan(NamedTuple):
    """An attempt at shuffling the next deal."""

    deal_no: int
    attempt: int
    starter: int | None
    """Who starts it, or ``None`` where the shuffle draws it."""


class Committed(NamedTuple):
    """The shuffle service committed to a secret: from now on clients may send their h."""

    commitment: bytes
    key_id: str
    signature: bytes
    deadline_ms: int | None


class CutAwaited(NamedTuple):
    """The host may cut. ``promises`` has each seat's h, empty where it sent none."""

    promises: tuple[bytes, ...]
    deadline_ms: int


class CutOver(NamedTuple):
    """The host has cut (1..105), or has let its time pass (0)."""

    cut: int


class SetClosed(NamedTuple):
    """The closed set K stands: from now on clients may send their c."""

    closed: bytes
    signature: bytes
    receipts: tuple[Receipt, ...]
    deadline_ms: int | None


class Settled(NamedTuple):
    """There is a transcript: everything of the deal is fixed."""

    transcript: bytes
    signature: bytes
    contributions: tuple[bytes, ...]
    receipts: tuple[Receipt, ...]
    starter: int | None
    """As drawn, or ``None`` where the deal before settled it."""
    automatic_cut: int
    """0 where none was due."""


class AttemptVoid(NamedTuple):
    """The c of these seats was missing or wrong: no deal comes of the attempt."""

    failed: tuple[int, ...]


class CeremonyClockSet(NamedTuple):
    """The time for the ceremony's step is over at this moment (Unix milliseconds)."""

    deadline_ms: int


class ResultShown(NamedTuple):
    """The result has been shown for its time: the table waits for the next deal."""


class Dealt(NamedTuple):
    """The cards of the settled ceremony were dealt. The deck lies sealed beside the event, never in it."""

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


class Frozen(NamedTuple):
    """The table stands still from this moment (Unix milliseconds): no action is accepted, and no clock runs."""

    at_ms: int


class Unfrozen(NamedTuple):
    """It goes on. Its clocks are set anew by events of their own."""


class PauseAsked(NamedTuple):
    """A seat wants a pause, or no longer."""

    seat: int
    wanted: bool


class PauseBegan(NamedTuple):
    """The match is paused until then (Unix milliseconds) at the most."""

    until_ms: int


class PauseOver(NamedTuple):
    """The match has had its pause."""


class Aborted(NamedTuple):
    """An operator ended the table: the match has no result."""


class Closed(NamedTuple):
    """The table is over."""


SwapEvent: TypeAlias = SwapOpened | SwapAsked | SeatsSwapped
"""What happens while seats may be swapped."""
SeatEvent: TypeAlias = SeatTaken | AwayChanged | GraceOver | SeatLeft | StandInTook
"""What happens to one seat."""
CeremonyEvent: TypeAlias = Committed | CutAwaited | CutOver | SetClosed | Settled | AttemptVoid | CeremonyClockSet
"""What happens in one attempt at a shuffle."""
PauseEvent: TypeAlias = PauseAsked | PauseBegan | PauseOver
"""What happens to the pause of a private table."""
OperatorEvent: TypeAlias = Frozen | Unfrozen | Aborted
"""What those who run the system have done."""
TableEvent: TypeAlias = (
    Created
    | SeatEvent
    | SwapEvent
    | PauseEvent
    | MatchBegan
    | FundingBegan
    | StakesHeld
    | StakesMissing
    | CeremonyBegan
    | CeremonyEvent
    | ResultShown
    | Dealt
    | Moved
    | ClockSet
    | Revealed
    | OperatorEvent
    | Closed
)
