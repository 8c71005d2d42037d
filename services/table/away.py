"""What becomes of a seat whose player is gone, comes back, or leaves on purpose (R10). Pure."""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final

from services.table.clocks import hurried
from services.table.commands import GraceOut, Presence, TakeVacancy
from services.table.events import (
    AwayChanged,
    CutOver,
    GraceOver,
    SeatLeft,
    SeatTaken,
    StandInTook,
    TableEvent,
)
from services.table.evolve import evolve
from services.table.funding import match_begins
from services.table.moment import Now
from services.table.refusals import (
    NothingToDoError,
    TableClosedError,
    UnknownVacancyError,
    VacancyTakenError,
)
from services.table.seats import seat_to_watch
from services.table.shuffling import nobody_cuts
from services.table.state import Occupant, Seat, Stage, TableState
from shared.rules.options import Options

GATEWAY_BACK_MS: Final = 15_000
"""How long a gateway has to come back before the graces of the players that came over it begin, and players at least
to come back to a table that another process goes on with. At no pace less."""


def decide_seat(state: TableState, command: TakeVacancy | Presence | GraceOut, now: Now) -> tuple[TableEvent, ...]:
    """Who sits down, comes, goes, or has been away for too long; raises as ``decide`` does."""
    match command:
        case TakeVacancy():
            return _take_vacancy(state, command, now)
        case Presence():
            return _presence(state, command, now)
        case GraceOut(deadline_ms):
            return _grace_over(state, deadline_ms, now)


def _take_vacancy(state: TableState, command: TakeVacancy, now: Now) -> tuple[TableEvent, ...]:
    """A house bot sits down, on a seat that nobody had or in place of its player."""
    number = next((n for n, seat in enumerate(state.seats) if seat.vacancy == command.vacancy != ""), None)
    if number is None:
        raise UnknownVacancyError
    if state.stage is Stage.CLOSED:
        raise TableClosedError
    seat = state.seats[number]
    if not seat.is_offered or state.seat_of(command.account) is not None:
        raise VacancyTakenError
    if seat.occupant is not Occupant.VACANT:
        return (StandInTook(number, command.account, command.name),)
    taken = SeatTaken(number, command.account, command.name, Occupant.HOUSE_BOT)
    vacant = sum(seat.occupant is Occupant.VACANT for seat in state.seats)
    return (taken, *match_begins(state.options.stake, None, now)) if vacant == 1 else (taken,)


def expected(seats: Sequence[Seat], options: Options, now: Now) -> tuple[Seat, ...]:
    """The seats of a new table: whoever is not there yet has the grace to come."""
    until_ms = now.after(options.grace_seconds * 1000)
    return tuple(seat._replace(grace_until_ms=until_ms) if seat.away else seat for seat in seats)


def _presence(state: TableState, command: Presence, now: Now) -> tuple[TableEvent, ...]:
    """A player is there, or is not: who comes back has the seat again, with the hand as it is (R10.3)."""
    number = state.seat_of(command.account)
    if number is None or state.stage is Stage.CLOSED:
        raise NothingToDoError
    seat = state.seats[number]
    if seat.account != command.account or seat.away == command.away or seat.left:
        raise NothingToDoError
    if not command.away:
        return (AwayChanged(number, False, 0),)
    return (AwayChanged(number, True, _grace_end(state, now) + (GATEWAY_BACK_MS if command.is_ours else 0)),)


def _grace_end(state: TableState, now: Now) -> int:
    """When a grace that begins now is over."""
    return _at_table(state, now).after(state.options.grace_seconds * 1000)


def _at_table(state: TableState, now: Now) -> Now:
    """To a table that stands still it is the moment since when it does."""
    return now if state.standstill is None else now._replace(ms=state.standstill.since_ms)


def _grace_over(state: TableState, deadline_ms: int, now: Now) -> tuple[TableEvent, ...]:
    """The graces that end by now: a house bot is asked for, or at a coin table the clock plays (R10.1, R10.2)."""
    over = [number for number, seat in enumerate(state.seats) if 0 < seat.grace_until_ms <= now.ms]
    if not over or now.ms < deadline_ms or state.stage is Stage.CLOSED:
        raise NothingToDoError
    events = tuple(GraceOver(number, _vacancy(state, number)) for number in over)
    return *events, *hurried(reduce(evolve, events, state), now)


def suspended(state: TableState, now: Now) -> Iterator[AwayChanged]:
    """After an outage nobody is watching yet, which is nobody's fault: each player has a fresh grace, but for who has
    been replaced or has left."""
    least_ms = max(_grace_end(state, now), _at_table(state, now).ms + GATEWAY_BACK_MS)
    for number, seat in enumerate(state.seats):
        until_ms = max(least_ms, seat.grace_until_ms)
        waits = seat.occupant is Occupant.PERSON and not (seat.left or seat.stand_in or seat.is_offered)
        if waits and (seat.away, seat.grace_until_ms) != (True, until_ms):
            yield AwayChanged(number, True, until_ms)


def leave(state: TableState, account: str, now: Now) -> tuple[TableEvent, ...]:
    """A player leaves on purpose. Nothing is dealt anew: at a free table a house bot is asked for at once (R10.1)."""
    number = seat_to_watch(state, account)
    left = SeatLeft(number, _vacancy(state, number))
    after = evolve(state, left)
    if state.standstill is None and nobody_cuts(after):
        return left, CutOver(0)
    return left, *hurried(after, now)


def _vacancy(state: TableState, number: int) -> str:
    """The id by which a house bot may take a seat; empty where none is to: at coin tables (R10.2), or while one has
    it, or is awaited already, or where nothing is left to play."""
    seat = state.seats[number]
    if state.options.stake or seat.stand_in or seat.is_offered or state.series.winner is not None:
        return ""
    return f"{state.table_id}:{state.revision + 1}:{number}"
