"""The last steps of a table, from which a viewer that has missed some is told what it missed."""

from collections import deque
from typing import Final, NamedTuple

from services.table.events import SeatsSwapped, TableEvent
from services.table.state import TableState

KEPT_STEPS: Final = 32
"""A viewer that has missed more gets a snapshot."""


class Step(NamedTuple):
    """One applied command: its events, and the table before, between and after them (one state more than events)."""

    events: tuple[TableEvent, ...]
    states: tuple[TableState, ...]

    @property
    def revision(self) -> int:
        """The table's revision after it."""
        return self.states[-1].revision

    @property
    def after(self) -> TableState:
        """The table after it."""
        return self.states[-1]

    @property
    def moves_players(self) -> bool:
        """Whether players sit elsewhere after it: each viewer is then sent a snapshot, and no delta."""
        return SeatsSwapped in map(type, self.events)


class Ring:
    """The last steps, oldest first."""

    def __init__(self) -> None:
        self._steps: deque[Step] = deque(maxlen=KEPT_STEPS)

    def add(self, step: Step) -> None:
        """Keep a step; the oldest may go. None is kept that was before players moved: it was seen from other seats."""
        if step.moves_players:
            self._steps.clear()
        else:
            self._steps.append(step)

    def since(self, revision: int) -> list[Step] | None:
        """The steps after a revision, or ``None`` where they are no longer all here."""
        if not self._steps or revision > self._steps[-1].revision or revision < self._steps[0].revision - 1:
            return None
        return [step for step in self._steps if step.revision > revision]
