"""A live table: its actor, and those who watch it."""

from services.table.actor import TableActor
from services.table.commands import Presence
from services.table.mail import own_id
from services.table.state import Occupant, Stage, TableState
from services.table.watching import Watchers
from shared.kit.clock import Clock


class LiveTable:
    """A table with those who watch it."""

    def __init__(self, actor: TableActor, clock: Clock) -> None:
        self.actor = actor
        self.watchers = Watchers(clock, self._note_presence)
        actor.listeners.append(self.watchers.tell)

    @property
    def state(self) -> TableState:
        """The table now."""
        return self.actor.state

    @property
    def is_over(self) -> bool:
        """Closed, every secret revealed, and nobody left who watches."""
        return self.state.stage is Stage.CLOSED and not self.state.unrevealed and not self.watchers.count

    def _note_presence(self, seat: int, away: bool) -> None:
        if self.state.seats[seat].occupant is Occupant.PERSON and self.state.stage is not Stage.CLOSED:
            self.actor.tell(Presence(seat, away), own_id("presence"))
