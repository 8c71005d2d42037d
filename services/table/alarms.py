"""All clocks of one table: what rings for them is a command, whose id makes it happen once."""

from collections.abc import Callable
from typing import Final

from services.table.alarm import Alarm
from services.table.ceremony import CeremonyStep
from services.table.commands import CeremonyClockOut, ClockOut, Command, GraceOut, PauseOut
from services.table.seats import next_grace_end
from services.table.state import Seat, Stage, Standstill, TableState
from shared.kit.clock import Clock

Tell = Callable[[Command, str], None]
_NOBODY: Final[tuple[Seat, ...]] = ()
_GOES_ON: Final[Standstill | None] = None


class Alarms:
    """Rings for the deadlines of a state, and for no others."""

    def __init__(self, clock: Clock, tell: Tell, gathering_over: Callable[[], None]) -> None:
        """``tell``: takes a command of the table's own. ``gathering_over``: the time for a shuffle's step is over."""
        self._tell = tell
        self._gathering_over = gathering_over
        self._state: TableState | None = None
        self._seats, self._standstill = _NOBODY, _GOES_ON
        self._turn = Alarm(clock, self._turn_rings)
        self._ceremony = Alarm(clock, self._ceremony_rings)
        self._grace = Alarm(clock, self._grace_rings)
        self._pause = Alarm(clock, self._pause_rings)

    def set(self, state: TableState) -> None:
        """From now on the deadlines are this state's."""
        if state.stage is Stage.CLOSED:
            self.stop()
            return
        self._state = state
        self._turn.set(state.deadline_ms)
        self._ceremony.set(None if state.next_fair is None else state.next_fair.deadline_ms)
        if state.seats is not self._seats or state.standstill is not self._standstill:
            self._seats, self._standstill = state.seats, state.standstill
            self._grace.set(next_grace_end(state))
            self._pause.set(state.pause.until_ms or None)

    def set_again(self, state: TableState) -> None:
        """As ``set``, also for what has rung already: it was early, or overtaken."""
        self.stop()
        self.set(state)

    def stop(self) -> None:
        """Nothing rings."""
        self._state, self._seats, self._standstill = None, _NOBODY, None
        for alarm in (self._turn, self._ceremony, self._grace, self._pause):
            alarm.forget()

    def _turn_rings(self, due_ms: int) -> None:
        if (state := self._state) is not None:
            turn = 0 if state.deal is None else state.deal.turn_no
            moment = f"{state.stage}:{state.match_id.hex()}:{state.deal_no}:{turn}:{due_ms}"
            self._tell(ClockOut(due_ms), f"clock:{moment}")

    def _ceremony_rings(self, due_ms: int) -> None:
        ceremony = None if self._state is None else self._state.next_fair
        if ceremony is not None and ceremony.step is CeremonyStep.CUTTING:
            ctx = ceremony.context
            self._tell(CeremonyClockOut(due_ms), f"cut over:{ctx.match.hex()}:{ctx.deal_no}:{ctx.attempt}:{due_ms}")
        else:
            self._gathering_over()

    def _grace_rings(self, due_ms: int) -> None:
        if self._state is not None:
            self._tell(GraceOut(due_ms), f"grace:{self._state.revision}:{due_ms}")

    def _pause_rings(self, due_ms: int) -> None:
        if self._state is not None:
            self._tell(PauseOut(due_ms), f"pause:{self._state.revision}:{due_ms}")
