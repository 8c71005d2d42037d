"""What may be asked of a table: by players, by its own clock, and by what it asked of other services."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from services.table.ceremony import Receipt
from services.table.state import MissingStake, Seat
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
    private: bool = False
    """Whether friends made it for themselves."""


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
    match_id: str = ""
    """The match that it is meant for, in hex; empty for whichever is played."""


class ClockOut(NamedTuple):
    """The clock that was set to this moment is out."""

    deadline_ms: int


class CeremonyClockOut(NamedTuple):
    """The host's time to cut, set to this moment, is out."""

    deadline_ms: int


class Funded(NamedTuple):
    """The wallet holds every seat's stake."""

    match_id: bytes


class Unfunded(NamedTuple):
    """The wallet holds none, and will not."""

    match_id: bytes
    missing: tuple[MissingStake, ...]


class Commitment(NamedTuple):
    """The shuffle service has committed to a secret."""

    context: DealContext
    commitment: bytes
    key_id: str
    signature: bytes


class CutDue(NamedTuple):
    """Each seat's h is in, or the time for them is over (empty where it sent none): the cut is next."""

    context: DealContext
    promises: tuple[bytes, ...]


class Cut(NamedTuple):
    """Cut for an account."""

    account: str
    match_id: bytes
    deal_no: int
    attempt: int
    cut: int
    """1..105."""


class Transcript(NamedTuple):
    """What the shuffle service has signed of a settled attempt."""

    transcript: bytes
    signature: bytes
    contributions: tuple[bytes, ...]
    receipts: tuple[Receipt, ...]
    starter: int | None
    """As drawn, or ``None`` where the deal before settled it."""
    automatic_cut: int


class ClosedSet(NamedTuple):
    """The shuffle service has closed the set of who takes part. Where none has to contribute there is a transcript."""

    context: DealContext
    closed: bytes
    signature: bytes
    receipts: tuple[Receipt, ...]
    transcript: Transcript | None


class Outcome(NamedTuple):
    """What became of a closed attempt: its transcript, or the seats that failed."""

    context: DealContext
    transcript: Transcript | None
    failed: tuple[int, ...] = ()
    deck: bytes = b""
    """Where it came with the transcript: the deal is dealt at once."""


class Deal(NamedTuple):
    """The shuffle service has given the deck."""

    context: DealContext
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
    """A seat's person has a Watch open, or none left."""

    account: str
    away: bool
    is_ours: bool = False
    """Whether it has none left since something of ours is gone, and not the player."""


class GraceOut(NamedTuple):
    """The grace of absent players, which was to end at this moment, is over."""

    deadline_ms: int


class PauseOut(NamedTuple):
    """The time of a pause, which was to end at this moment, is over."""

    deadline_ms: int


class Wish(StrEnum):
    """What a player may wish that is no play of cards."""

    LEAVE = "leave"
    SWAP = "swap"
    PAUSE = "pause"
    END_PAUSE = "end_pause"


class Ask(NamedTuple):
    """Grant an account its wish."""

    account: str
    wish: Wish


class Resume(NamedTuple):
    """An owner goes on with a table that has stood still since then (Unix milliseconds)."""

    since_ms: int


class NextMatch(NamedTuple):
    """The series goes on with this match."""

    match_id: bytes


class Abandoned(NamedTuple):
    """For long nobody has been there who plays."""


class Freeze(NamedTuple):
    """An operator has the table stand still."""


class Unfreeze(NamedTuple):
    """An operator has it go on."""


class Abort(NamedTuple):
    """An operator ends the table."""


Command: TypeAlias = (
    Create
    | TakeVacancy
    | Play
    | ClockOut
    | CeremonyClockOut
    | Funded
    | Unfunded
    | Commitment
    | CutDue
    | Cut
    | ClosedSet
    | Outcome
    | Deal
    | NewStock
    | Reveal
    | Presence
    | GraceOut
    | PauseOut
    | Ask
    | Resume
    | NextMatch
    | Abandoned
    | Freeze
    | Unfreeze
    | Abort
)
