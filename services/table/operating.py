"""A table that stands still and goes on again, and what ends one before its time. Pure."""

from collections.abc import Iterator

from services.table.clocks import hurried
from services.table.commands import (
    Abandoned,
    Abort,
    Ask,
    Command,
    Cut,
    Freeze,
    PauseOut,
    Play,
    Presence,
    Resume,
    Reveal,
    TakeVacancy,
    Unfreeze,
)
from services.table.events import (
    Aborted,
    AwayChanged,
    ClockSet,
    Closed,
    Frozen,
    OperatorEvent,
    PauseOver,
    TableEvent,
    Unfrozen,
)
from services.table.funding import is_at_stake
from services.table.moment import Now
from services.table.refusals import NothingToDoError, PausedError, TableClosedError, TableFrozenError
from services.table.shuffling import resumed
from services.table.state import Pause, Stage, Standstill, TableState

OperatorCommand = Freeze | Unfreeze | Abort | Abandoned
_WISHES = (Play, Cut, Ask, TakeVacancy)
_GOES_ON = (Freeze, Unfreeze, Abort, Reveal, Presence, Resume)
_GOES_ON_IN_A_PAUSE = (*_GOES_ON, Ask, TakeVacancy, PauseOut)


def decide_operator(state: TableState, command: OperatorCommand, now: Now) -> tuple[TableEvent, ...]:
    """The events of such a command; ``NothingToDoError`` where the table is already as it is to be."""
    if isinstance(command, Abandoned):
        _require(state.stage is not Stage.CLOSED and state.is_abandoned and not is_at_stake(state))
        return ClockSet(None), Closed()
    if isinstance(command, Abort) and state.aborted:
        raise NothingToDoError
    if state.stage is Stage.CLOSED:
        raise TableClosedError
    match command:
        case Abort():
            return ClockSet(None), Aborted(), Closed()
        case Freeze():
            _require(not state.is_frozen)
            return (Frozen(now.ms),) if state.standstill is None else (PauseOver(),)
        case Unfreeze():
            _require(state.is_frozen)
            return gone_on(state, now)


def admit_while_still(state: TableState, command: Command) -> None:
    """While a table stands still: raises ``TableFrozenError`` or ``PausedError`` for what somebody wishes,
    ``NothingToDoError`` for clocks, and for answers to what is asked for again once the table goes on."""
    if not state.is_frozen:
        if isinstance(command, Play | Cut):
            raise PausedError
        _require(isinstance(command, _GOES_ON_IN_A_PAUSE))
        return
    if isinstance(command, _WISHES):
        raise TableFrozenError
    _require(isinstance(command, _GOES_ON))


def evolve_operator(state: TableState, event: OperatorEvent | Closed) -> TableState:
    """The table after such an event. While it stands still it has no clocks that could ring. The secret of a deal that
    was being played when it closed comes out too: nobody can gain by it any more."""
    match event:
        case Closed():
            in_play = state.deal is not None and state.deal.end is None
            unrevealed = (*state.unrevealed, state.context()) if in_play else state.unrevealed
            closed = state._replace(stage=Stage.CLOSED, deal=None, next_fair=None, swap=(), unrevealed=unrevealed)
            return closed._replace(standstill=None, pause=Pause())
        case Frozen(at_ms):
            ceremony = state.next_fair
            still = Standstill(at_ms, state.deadline_ms, None if ceremony is None else ceremony.deadline_ms)
            return _with_clocks(state, None, None)._replace(standstill=still)
        case Unfrozen():
            assert state.standstill is not None
            _, deadline_ms, ceremony_deadline_ms = state.standstill
            return _with_clocks(state, deadline_ms, ceremony_deadline_ms)._replace(standstill=None)
        case Aborted():
            return state._replace(aborted=True)


def _with_clocks(state: TableState, deadline_ms: int | None, ceremony_deadline_ms: int | None) -> TableState:
    ceremony = state.next_fair
    if ceremony is not None:
        ceremony = ceremony._replace(deadline_ms=ceremony_deadline_ms)
    return state._replace(deadline_ms=deadline_ms, next_fair=ceremony)


def gone_on(state: TableState, now: Now) -> tuple[TableEvent, ...]:
    """What ends a standstill: each clock gets the time back, and what clients had sent for a shuffle they have all of
    its time to send again."""
    if state.standstill is None:
        raise NothingToDoError
    stood_ms = max(0, now.ms - state.standstill.since_ms)
    again = evolve_operator(state, Unfrozen())
    events: list[TableEvent] = [Unfrozen(), *_graces(state, stood_ms)]
    if again.deadline_ms is not None:
        deadline_ms = again.deadline_ms + stood_ms
        # Who is to act may have left meanwhile.
        events.extend(hurried(again._replace(deadline_ms=deadline_ms), now) or (ClockSet(deadline_ms),))
    shuffle = resumed(again, stood_ms, now)
    return (*events, shuffle) if shuffle is not None else tuple(events)


def _graces(state: TableState, stood_ms: int) -> Iterator[AwayChanged]:
    for number, seat in enumerate(state.seats):
        if seat.grace_until_ms:
            yield AwayChanged(number, True, seat.grace_until_ms + stood_ms)


def _require(wanted: bool) -> None:
    if not wanted:
        raise NothingToDoError
