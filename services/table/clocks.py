"""How long each clock runs (R9.1, R9.2, R10.3). Pure."""

from typing import Final

from services.table.events import ClockSet
from services.table.moment import Now
from services.table.state import RESULT_MS, Stage, TableState

ABSENT_MS: Final = 5_000
"""What a turn has at a coin table, whose player has been gone for longer than the grace or has left."""
ALL_ABSENT_MS: Final = 1_000
"""The same where nobody is there."""


def turn_end(state: TableState, seat: int, now: Now) -> int:
    """When a turn of this seat that begins now is over."""
    return now.after(_shortened(state, seat, state.options.turn_seconds * 1000))


def discard_end(state: TableState, seat: int, now: Now) -> int:
    """When the time for the discard alone is over."""
    return now.after(_shortened(state, seat, state.options.discard_seconds * 1000))


def result_end(now: Now) -> int:
    """When the result of a deal that ends now has been shown (R10.4)."""
    return now.after(RESULT_MS)


def hurried(state: TableState, now: Now) -> tuple[ClockSet, ...]:
    """The clock of who is to act, where that seat has become absent at a coin table; nobody else's changes."""
    deal, deadline_ms = state.deal, state.deadline_ms
    if state.stage is not Stage.DEAL or deal is None or deadline_ms is None:
        return ()
    limit_ms = _limit(state, deal.turn)
    if limit_ms is None or now.after(limit_ms) >= deadline_ms:
        return ()
    return (ClockSet(now.after(limit_ms)),)


def _shortened(state: TableState, seat: int, duration_ms: int) -> int:
    limit_ms = _limit(state, seat)
    return duration_ms if limit_ms is None else min(duration_ms, limit_ms)


def _limit(state: TableState, seat: int) -> int | None:
    if not state.options.stake or not state.seats[seat].is_absent:
        return None
    return ALL_ABSENT_MS if all(other.is_absent for other in state.seats) else ABSENT_MS
