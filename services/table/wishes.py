"""What players wish of their table that is no play of cards: who may, and what comes of it. Pure."""

from typing import assert_never

from services.table.away import leave
from services.table.commands import Ask, Wish
from services.table.events import TableEvent
from services.table.moment import Now
from services.table.pausing import ask_pause, end_pause
from services.table.refusals import TableClosedError
from services.table.seats import seat_to_watch
from services.table.state import Stage, TableState
from services.table.swapping import swap


def decide_wish(state: TableState, command: Ask, now: Now) -> tuple[TableEvent, ...]:
    """Raises ``NotSeatedError``, ``SeatLeftError``, ``TableClosedError``, and what the wish itself is refused with."""
    seat = seat_to_watch(state, command.account)
    if state.stage is Stage.CLOSED:
        raise TableClosedError
    match command.wish:
        case Wish.LEAVE:
            return leave(state, command.account, now)
        case Wish.SWAP:
            return swap(state, command.account)
        case Wish.PAUSE:
            return ask_pause(state, seat, now)
        case Wish.END_PAUSE:
            return end_pause(state, seat, now)
        case _:
            assert_never(command.wish)
