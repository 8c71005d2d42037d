"""The moment at which a command is decided."""

from typing import NamedTuple

from shared.kit.clock import Pace


class Now(NamedTuple):
    """The moment, and how fast the table plays."""

    ms: int
    """Unix milliseconds."""
    pace: Pace = Pace()

    def after(self, duration_ms: int) -> int:
        """The moment so much of the game's time from now."""
        return self.ms + self.pace.ms(duration_ms)
