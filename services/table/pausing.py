"""The pause of a private table: everybody who plays agrees to it, once in a match, and anybody ends it. Pure.

While it lasts the table stands still as at an operator's word (``operating.py``), and each clock gets the time back.
"""

from typing import Final

from services.table.events import Frozen, PauseAsked, PauseBegan, PauseEvent, PauseOver, TableEvent
from services.table.moment import Now
from services.table.operating import gone_on
from services.table.refusals import NothingToDoError, PauseNotPossibleError
from services.table.state import Occupant, Pause, Stage, TableState

PAUSE_MS: Final = 5 * 60_000
"""How long a pause lasts at the most. No pace divides it: it is for people."""


def ask_pause(state: TableState, seat: int, now: Now) -> tuple[TableEvent, ...]:
    """A player wants the match paused, or agrees; it is once all do who play now.

    Raises ``PauseNotPossibleError``; ``NothingToDoError`` where that was said already and others have still to agree.
    """
    pause = state.pause
    if not state.private or pause.used or pause.until_ms or state.stage is Stage.SEATING:
        raise PauseNotPossibleError
    if state.seats[seat].plays is not Occupant.PERSON:
        raise PauseNotPossibleError
    people = {n for n, other in enumerate(state.seats) if other.plays is Occupant.PERSON and not other.left}
    asked = () if seat in pause.agreed else (PauseAsked(seat, True),)
    if people <= {*pause.agreed, seat}:
        return *asked, PauseBegan(now.ms + PAUSE_MS), Frozen(now.ms)
    if not asked:
        raise NothingToDoError
    return asked


def end_pause(state: TableState, seat: int, now: Now) -> tuple[TableEvent, ...]:
    """A player goes on, or no longer wants a pause that has not begun. Raises ``PauseNotPossibleError``."""
    if state.pause.until_ms:
        return *gone_on(state, now), PauseOver()
    if seat not in state.pause.agreed:
        raise PauseNotPossibleError
    return (PauseAsked(seat, False),)


def pause_out(state: TableState, deadline_ms: int, now: Now) -> tuple[TableEvent, ...]:
    """Its time is over."""
    if state.pause.until_ms != deadline_ms or now.ms < deadline_ms:
        raise NothingToDoError
    return *gone_on(state, now), PauseOver()


def prolonged(state: TableState, outage_ms: int) -> tuple[PauseBegan, ...]:
    """A pause gets an outage back like any other clock."""
    until_ms = state.pause.until_ms
    return (PauseBegan(until_ms + outage_ms),) if until_ms else ()


def evolve_pause(pause: Pause, event: PauseEvent) -> Pause:
    """The pause after an event of its own."""
    match event:
        case PauseAsked(seat, wanted):
            others = tuple(other for other in pause.agreed if other != seat)
            return pause._replace(agreed=(*others, seat) if wanted else others)
        case PauseBegan(until_ms):
            return Pause(until_ms=until_ms)
        case PauseOver():
            return Pause(used=True)
