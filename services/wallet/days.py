"""Days as the daily bonus counts them, by one time zone for all players."""

from typing import Final

DAY_MS: Final = 86_400_000
MINUTE_MS: Final = 60_000


class Days:
    """Days of a time zone that is `offset_minutes` ahead of UTC, all year round."""

    def __init__(self, offset_minutes: int) -> None:
        self._offset_ms = offset_minutes * MINUTE_MS

    def day(self, at_ms: int) -> int:
        """The day of a moment (Unix milliseconds), counted from 1970-01-01 there."""
        return (at_ms + self._offset_ms) // DAY_MS

    def begins_ms(self, day: int) -> int:
        """When a day begins, in Unix milliseconds."""
        return day * DAY_MS - self._offset_ms
