"""Seats: whose they are, who plays them, and what becomes of one whose player is gone (R10). Pure."""

from services.table.commands import Presence, TakeVacancy
from services.table.events import AwayChanged, CeremonyBegan, SeatLeft, SeatTaken, StandInTook, TableEvent
from services.table.refusals import (
    NothingToDoError,
    NotSeatedError,
    SeatLeftError,
    StandInPlaysError,
    TableClosedError,
    UnknownVacancyError,
    VacancyTakenError,
)
from services.table.state import Occupant, Stage, TableState


def seat_to_watch(state: TableState, account: str) -> int:
    """The seat that an account may look on from. Raises ``NotSeatedError``, ``SeatLeftError``."""
    number = state.seat_of(account)
    if number is None:
        raise NotSeatedError
    seat = state.seats[number]
    if seat.left and account == seat.account:
        raise SeatLeftError
    return number


def seat_to_play(state: TableState, account: str) -> int:
    """The seat that an account plays now. Raises as ``seat_to_watch``, and ``StandInPlaysError``."""
    number = seat_to_watch(state, account)
    if state.seats[number].stand_in not in ("", account):
        raise StandInPlaysError
    return number


def first_ceremony() -> CeremonyBegan:
    """The first shuffle of a table, once every seat is taken."""
    return CeremonyBegan(deal_no=1, attempt=0, starter=None)


def take_vacancy(state: TableState, command: TakeVacancy) -> tuple[TableEvent, ...]:
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
    return (taken, first_ceremony()) if vacant == 1 else (taken,)


def presence(state: TableState, command: Presence) -> tuple[TableEvent, ...]:
    """A player is there, or is not: who comes back has the seat again, with the hand as it is (R10.3)."""
    number = state.seat_of(command.account)
    if number is None or state.stage is Stage.CLOSED:
        raise NothingToDoError
    seat = state.seats[number]
    if seat.account != command.account or seat.away == command.away or seat.left:
        raise NothingToDoError
    return (AwayChanged(number, command.away),)


def leave(state: TableState, account: str) -> tuple[TableEvent, ...]:
    """A player leaves on purpose. Nothing is dealt anew: at a free table a house bot is asked for at once (R10.1)."""
    number = seat_to_watch(state, account)
    return (SeatLeft(number, _vacancy(state, number)),)


def _vacancy(state: TableState, number: int) -> str:
    """The id by which a house bot may take a seat; empty where none is to: at coin tables (R10.2), or while one has
    it, or is awaited already, or where nothing is left to play."""
    seat = state.seats[number]
    if state.options.stake or seat.stand_in or seat.is_offered or state.series.winner is not None:
        return ""
    return f"{state.table_id}:{state.revision + 1}:{number}"
