"""The swap of seats after a series' first match (R8.3): for ten seconds one partner may ask and the other agree.

A bot agrees at once, whoever's it is, and one of the house never asks: it does not care where it sits. A house bot that
only stands in for somebody agrees to nothing, since who comes back is to find the seat that was left. The time is over
early where nobody can ask any more. Who swaps takes along all that is a player's: presence, host's right, vacancy,
the wish for a pause; and the result that is shown tells of the players.
"""

from collections.abc import Iterable
from typing import Final

from services.table.events import ClockSet, SeatsSwapped, SwapAsked, SwapEvent, SwapOpened, TableEvent
from services.table.moment import Now
from services.table.refusals import NothingToDoError, SwapNotPossibleError
from services.table.state import LastDeal, Occupant, Seat, Stage, TableState, TeamSwap
from shared.rules.series import SWAP_SECONDS, swap_seats
from shared.rules.views import SeenDealEnded

SWAP_MS: Final = SWAP_SECONDS * 1000
TEAMS: Final = 2


def opened(state: TableState, now: Now) -> tuple[TableEvent, ...]:
    """The swap's beginning, once the first match's result has been shown; nothing where there is none to be."""
    if not state.series.may_swap or not any(_may_want(state, team) for team in range(TEAMS)):
        return ()
    return SwapOpened(), ClockSet(now.after(SWAP_MS))


def swap(state: TableState, account: str) -> tuple[TableEvent, ...]:
    """Somebody asks or agrees. Raises ``SwapNotPossibleError``; asking again what one has asked for changes nothing."""
    seat = state.seat_of(account)
    if seat is None or account != state.seats[seat].account:
        raise SwapNotPossibleError
    if state.stage is not Stage.SWAP or state.deadline_ms is None:
        raise SwapNotPossibleError
    team = seat % TEAMS
    asked_by, agreed = state.swap[team]
    if agreed:
        raise SwapNotPossibleError
    if asked_by == seat:
        raise NothingToDoError
    asks: tuple[TableEvent, ...] = (SwapAsked(seat),) if asked_by is None else ()
    if asked_by is None and not _agrees_at_once(state.seats[_partner(seat)]):
        return asks
    swapped = *asks, SeatsSwapped(team)
    return swapped if _may_want(state, 1 - team) else (*swapped, ClockSet(None))


def evolve_swap(state: TableState, event: SwapEvent) -> TableState:
    """The table after an event of the swap."""
    match event:
        case SwapOpened():
            return state._replace(stage=Stage.SWAP, deal=None, swap=(TeamSwap(),) * TEAMS)
        case SwapAsked(seat):
            return _with_swap(state, seat % TEAMS, TeamSwap(asked_by=seat))
        case SeatsSwapped(team):
            return _swapped(state, team)


def seat_after(events: Iterable[TableEvent], seat: int) -> int:
    """Where who had this seat before these events sits after them."""
    for event in events:
        if isinstance(event, SeatsSwapped):
            seat = _seat_after_swap(seat, event.team)
    return seat


def _swapped(state: TableState, team: int) -> TableState:
    one, other = team, _partner(team)
    seats = list(state.seats)
    seats[one], seats[other] = seats[other], seats[one]
    asked_by = state.swap[team].asked_by
    if asked_by is None:
        raise ValueError("nobody has asked to swap seats (R8.3)")
    state = _with_swap(state, team, TeamSwap(_partner(asked_by), agreed=True))
    return state._replace(
        seats=tuple(seats),
        host_seat=_seat_after_swap(state.host_seat, team),
        pause=state.pause._replace(agreed=tuple(_seat_after_swap(n, team) for n in state.pause.agreed)),
        series=swap_seats(state.series, team),
        last=None if state.last is None else _seen_anew(state.last, team),
    )


def _seen_anew(last: LastDeal, team: int) -> LastDeal:
    """A result, told by the seats that its players have now."""
    end, hands, score = last.seen
    before = [_seat_after_swap(seat, team) for seat in range(2 * TEAMS)]
    score = score._replace(
        seats=None if score.seats is None else tuple(score.seats[seat] for seat in before),
        hand_points=tuple(score.hand_points[seat] for seat in before),
        laid_points=tuple(score.laid_points[seat] for seat in before),
    )
    end = end._replace(finisher=None if end.finisher is None else _seat_after_swap(end.finisher, team))
    return last._replace(seen=SeenDealEnded(end, tuple(hands[seat] for seat in before), score))


def _seat_after_swap(seat: int, team: int) -> int:
    return _partner(seat) if seat % TEAMS == team else seat


def _with_swap(state: TableState, team: int, swap: TeamSwap) -> TableState:
    return state._replace(swap=(*state.swap[:team], swap, *state.swap[team + 1 :]))


def _partner(seat: int) -> int:
    return (seat + TEAMS) % (2 * TEAMS)


def _may_want(state: TableState, team: int) -> bool:
    """Whether the team has not swapped, and somebody is in it who can ask for it."""
    if state.swap and state.swap[team].agreed:
        return False
    players = (state.seats[seat] for seat in (team, _partner(team)))
    return any(seat.occupant in (Occupant.PERSON, Occupant.BOT) and not seat.left for seat in players)


def _agrees_at_once(seat: Seat) -> bool:
    return seat.occupant in (Occupant.BOT, Occupant.HOUSE_BOT)
