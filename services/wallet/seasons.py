"""Seasons of ratings: the quarters of the year by the calendar of Riyadh, which is UTC+3 all year round."""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Final

RIYADH: Final = timezone(timedelta(hours=3))
QUARTERS: Final = 4
MONTHS: Final = 3
ALL_TIME: Final = 0
"""Stands for the season of ratings that never begin anew."""
FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 9998


@dataclass(frozen=True, slots=True)
class Season:
    """Three months. Raises `ValueError` for a year before 1970 or after 9998, and for a quarter that is none."""

    year: int
    quarter: int

    def __post_init__(self) -> None:
        if not (FIRST_YEAR <= self.year <= LAST_YEAR and 1 <= self.quarter <= QUARTERS):
            raise ValueError("not a season")

    @classmethod
    def at(cls, at_ms: int) -> "Season":
        """The season that the time, in Unix milliseconds, lies in; of what lies beyond all of them, the last."""
        last = cls(LAST_YEAR, QUARTERS)
        if at_ms >= last.starts_ms:
            return last
        day = datetime.fromtimestamp(at_ms // 1000, RIYADH)
        return cls(day.year, (day.month - 1) // MONTHS + 1)

    @classmethod
    def numbered(cls, number: int) -> "Season":
        """The season of that number. Raises `ValueError` where there is none."""
        return cls(*divmod(number, 10))

    @property
    def number(self) -> int:
        """The year times ten plus the quarter."""
        return self.year * 10 + self.quarter

    @property
    def starts_ms(self) -> int:
        """When it begins, in Unix milliseconds."""
        first = datetime(self.year, (self.quarter - 1) * MONTHS + 1, 1, tzinfo=RIYADH)
        return int(first.timestamp()) * 1000

    @property
    def ends_ms(self) -> int:
        """When the next one begins, in Unix milliseconds."""
        over, quarter = divmod(self.quarter, QUARTERS)
        first = datetime(self.year + over, quarter * MONTHS + 1, 1, tzinfo=RIYADH)
        return int(first.timestamp()) * 1000
