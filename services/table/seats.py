"""Seats: whose they are, who plays them, and what an event makes of one. Pure."""

from services.table.events import AwayChanged, GraceOver, SeatEvent, SeatLeft, SeatTaken, StandInTook
from services.table.refusals import NotSeatedError, SeatLeftError, StandInPlaysError
from services.table.state import Seat, TableState


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


def next_grace_end(state: TableState) -> int | None:
    """When the first grace that runs is over; none does while the table stands still."""
    if state.standstill is not None:
        return None
    return min((seat.grace_until_ms for seat in state.seats if seat.grace_until_ms), default=None)


def evolve_seat(seat: Seat, event: SeatEvent) -> Seat:
    """The seat after an event of its own."""
    match event:
        case SeatTaken(_, account, name, occupant):
            return seat._replace(account=account, name=name, occupant=occupant)
        case AwayChanged(_, True, grace_until_ms):
            return seat._replace(away=True, grace_until_ms=grace_until_ms)
        case AwayChanged():
            return seat._replace(away=False, grace_until_ms=0, vacancy="", stand_in="", stand_in_name="")
        case GraceOver(_, vacancy):
            return seat._replace(grace_until_ms=0, vacancy=vacancy)
        case SeatLeft(_, vacancy):
            return seat._replace(away=True, left=True, grace_until_ms=0, vacancy=vacancy or seat.vacancy)
        case StandInTook(_, account, name):
            return seat._replace(stand_in=account, stand_in_name=name)
