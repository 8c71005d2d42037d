"""How many may look on: at one table, and one account at several."""

from collections import Counter
from typing import Final

from shared.kit.status import FullError

MOST_SPECTATORS: Final = 50
"""Of one table."""
MOST_OF_ACCOUNT: Final = 4
"""Tables of one process that an account spectates at: one for each socket that it may have at a gateway."""
RETRY_AFTER_MS: Final = 10_000


class Spectating:
    """Counts the tables of a process that each account spectates at."""

    def __init__(self) -> None:
        self._tables: Counter[str] = Counter()

    def come(self, account: str, present: int) -> None:
        """One more at a table that so many spectate at. Raises ``FullError``."""
        if present >= MOST_SPECTATORS:
            raise _full("as many spectate at this table as may")
        if self._tables[account] >= MOST_OF_ACCOUNT:
            raise _full("this account spectates at as many tables as it may")
        self._tables[account] += 1

    def go(self, account: str) -> None:
        """One fewer."""
        self._tables[account] -= 1
        if not self._tables[account]:
            del self._tables[account]


def _full(why: str) -> FullError:
    return FullError("TOO_MANY_SPECTATORS", why, retry_after_ms=RETRY_AFTER_MS)
