"""The world: processes, a clock, and what happens next, all of it by the seed."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from shared.kit.clock import VirtualClock
from tests.sim.disk import Fault
from tests.sim.loop import Process
from tests.sim.plan import CALM, PLANS, Plan

MOST_STEPS = 20_000_000
START_MS = 1_764_547_200_000


class ViolationError(AssertionError):
    """Something that must never be."""


class World:
    """What all the processes of a simulation share."""

    def __init__(
        self, seed: int, folder: Path, kind: str, trace: TextIO | None = None, *, plan: Plan | None = None
    ) -> None:
        """``kind``: of its plan, one of ``PLANS`` where none is given."""
        self.seed = seed
        self.folder = folder
        self.kind = kind
        self.plan = plan or PLANS[kind](seed)
        self.chances = self.plan.chances
        self.clock = VirtualClock(START_MS)
        self.processes: list[Process] = []
        self.gone: list[Process] = []
        """Those that are dead."""
        self.current: Process | None = None
        self.is_over = False
        self.counts: Counter[str] = Counter()
        self.after_step: Callable[[Process], None] = _nothing
        self.on_commit: Callable[[Process, str], None] = _nothing
        """Told which process has committed to which file."""
        self.steps = 0
        self._trace = trace
        self._digest = hashlib.sha256()
        self._violation: str | None = None
        self._order = self.rng("order")
        self._disk = self.rng("disk")

    def rng(self, name: str) -> random.Random:
        """Random numbers of their own for each thing, so that one more here changes nothing there."""
        return random.Random(f"{self.seed}/{name}")

    @property
    def hash(self) -> str:
        """Of the whole trace up to now."""
        return self._digest.hexdigest()

    def note(self, *what: object) -> None:
        """Add a line to the trace."""
        line = f"{self.clock.monotonic_ms()} {' '.join(map(str, what))}\n"
        self._digest.update(line.encode())
        if self._trace is not None:
            self._trace.write(line)

    def fail(self, what: str) -> None:
        """Say that something was violated; the world ends after the step. The first counts."""
        if self._violation is None:
            self._violation = what
            self.note("VIOLATION", what)

    def add(self, process: Process) -> None:
        """Begin a process."""
        self.processes.append(process)
        self.note("begins", process.name)

    def kill(self, process: Process) -> None:
        """End a process, here and now."""
        if process.dead:
            return
        self.counts["crashes"] += 1
        self.note("dies", process.name)
        self.processes.remove(process)
        self.gone.append(process)
        process.die()

    def later(self, wait_ms: int, then: Callable[[], object]) -> None:
        """Have something happen that is no process's."""
        self.clock.call_at(self.clock.monotonic_ms() + wait_ms, then)

    def run(self, is_done: Callable[[], bool], limit_ms: int) -> None:
        """Let everything happen until it is done. Raises `ViolationError`."""
        while not is_done():
            ready = [process for process in self.processes if process.is_ready]
            if ready:
                self._take_step(ready[0] if len(ready) == 1 else self._order.choice(ready))
            elif not self.clock.step(limit_ms):
                self.fail(f"not done after {limit_ms} ms" if self.clock._timers else "everybody waits for ever")
            self.raise_violation()

    def raise_violation(self) -> None:
        """Raises `ViolationError` where there was one."""
        if self._violation is not None:
            raise ViolationError(f"seed {self.seed} ({self.kind}), {self.clock.monotonic_ms()} ms: {self._violation}")

    def heal(self) -> None:
        """From now on nothing goes wrong."""
        self.chances = CALM
        self.note("heals")
        for process in self.processes:
            process.lives = None

    def end(self) -> None:
        """Clear everything away."""
        self.is_over = True
        for process in (*self.processes, *self.gone):
            self.current = process
            process.clear_away()
            for connection in list(process.connections):
                connection.close()

    def disk_ms(self) -> int:
        """How long a thread needs for its work."""
        return self._disk.randrange(self.chances.latency_ms + 2)

    def commit_fault(self, process: Process) -> Fault | None:
        """What happens to the commit that is due now."""
        if self.is_over or self._disk.random() >= self.chances.commit:
            return None
        fault = self._disk.choice(tuple(Fault))
        if process.lives is None and fault in (Fault.DIED_BEFORE, Fault.DIED_AFTER):
            return None
        self.counts["commit faults"] += 1
        self.note("disk", process.name, fault)
        return fault

    def committed(self, process: Process, file: str) -> None:
        """A process has committed to a file."""
        if self.is_over:
            return
        try:
            self.on_commit(process, file)
        except Exception as fault:  # which who commits would take for the database's
            self.fail(f"the check of a commit failed: {fault!r}")

    def _take_step(self, process: Process) -> None:
        self.steps += 1
        self.current = process
        process.step()
        self.after_step(process)
        if self.steps > MOST_STEPS:
            self.fail("too many steps")


def _nothing(*_: object) -> None:
    """Until somebody wants to know."""
