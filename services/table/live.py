"""A live table: its actor, and those who watch it."""

from typing import Final

from services.table.actor import TableActor
from services.table.commands import Abandoned, Presence
from services.table.funding import is_at_stake
from services.table.mail import own_id
from services.table.spectating import Spectating
from services.table.state import Occupant, Stage, TableState
from services.table.watching import Watchers
from shared.kit.clock import Clock

ABANDONED_MS: Final = 15 * 60_000
"""So long somebody may come back to a table that all have left; then it is closed. No pace divides this time."""


class LiveTable:
    """A table with those who watch it."""

    def __init__(self, actor: TableActor, clock: Clock, spectating: Spectating) -> None:
        self.actor = actor
        self._clock = clock
        self._abandoned_ms: int | None = None
        """Since when nobody is there who plays, by the steady clock."""
        self.watchers = Watchers(clock, self._note_presence, spectating)
        actor.listeners.append(self.watchers.tell)

    @property
    def state(self) -> TableState:
        """The table now."""
        return self.actor.state

    @property
    def is_over(self) -> bool:
        """Closed, every secret revealed, and nobody left who watches."""
        return self.state.stage is Stage.CLOSED and not self.state.unrevealed and not self.watchers.count

    def look_after(self) -> None:
        """Every few seconds: a sign of life to who watches, and the end of a table that all have left."""
        state = self.state
        self.watchers.beat(state)
        now_ms = self._clock.monotonic_ms()
        waits = state.stage is Stage.CLOSED or state.standstill is not None or is_at_stake(state)
        if waits or not state.is_abandoned:
            self._abandoned_ms = None
        elif self._abandoned_ms is None:
            self._abandoned_ms = now_ms
        elif now_ms - self._abandoned_ms >= ABANDONED_MS:
            self.actor.tell(Abandoned(), own_id("abandoned"))

    def _note_presence(self, account: str, away: bool, is_ours: bool) -> None:
        if not away:
            self._abandoned_ms = None
        if is_presence(self.state, account, away):
            self.actor.tell(Presence(account, away, is_ours), own_id("presence"))


def is_presence(state: TableState, account: str, away: bool) -> bool:
    """Whether a table minds that this account comes, or goes. A bot is always there; but one that has left a match
    comes back to the next as anybody does."""
    for seat in state.seats:
        if account == seat.account and state.stage is not Stage.CLOSED:
            return seat.occupant is Occupant.PERSON or (seat.away and not away)
    return False
