"""How long a command works on one file: a record can ask for far more looking than its size tells."""

import time
from collections.abc import Callable
from typing import Final

from shared.rules.refusal import RecordError

REPLAY_SECONDS: Final = 1.0
"""Of processor time, for the replay of one file. A long match takes a tenth of it."""
BEFORE_ANSWER_SECONDS: Final = 0.5
"""The same, where something is to be worked out from the position afterwards."""


class Patience:
    """Called before each deal and action; raises ``RecordError`` once the replay has had its time. 0 is no limit."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.process_time) -> None:
        self._seconds = seconds
        self._clock = clock
        self._ends = clock() + seconds

    def __call__(self) -> None:
        """Raise ``RecordError`` once the time is over."""
        if self._seconds and self._clock() > self._ends:
            raise RecordError(f"given up after {self._seconds:g} s of work; --patience gives it more")
