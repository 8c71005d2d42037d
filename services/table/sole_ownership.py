"""One process, which owns every table for ever: on SQLite."""

from collections.abc import Awaitable, Callable
from typing import Final

from services.table.journal import Journal
from services.table.ownership import Claim, Host
from services.table.pods import Pod
from services.table.refusals import DrainingError
from shared.kit.clock import Clock

BEAT_MS: Final = 1_000


class SoleOwnership:
    """See ``Ownership``."""

    name = None
    address = ""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._last_beat_ms = 0
        """The last sign of life of the process before this one."""
        self._is_over = False

    async def begin(self, host: Host) -> None:
        """See ``Ownership``. Goes on with every live table.

        Returns once the outage is in the journal: ``run`` must not begin before, or another one would hide it.
        """
        self._last_beat_ms = await self._journal.last_beat_ms()
        await host.take_over([await self.claim(table_id) for table_id in await self._journal.live_tables()])

    async def run(self) -> None:
        """See ``Ownership``. Notes every second that this process is alive."""
        while True:
            await self._journal.beat(self._clock.now_ms())
            await self._clock.sleep_ms(BEAT_MS)

    async def owner_of(self, table_id: str) -> str:
        """See ``Ownership``."""
        return ""

    async def claim(self, table_id: str) -> Claim:
        """See ``Ownership``. What became of the last append a resend of its command will tell."""
        if self._is_over:
            raise DrainingError
        return Claim(table_id, 0, self._last_beat_ms)

    def forget(self, table_id: str) -> None:
        """See ``Ownership``."""

    def wake(self) -> None:
        """See ``Ownership``."""

    def place(self) -> str:
        """See ``Ownership``."""
        return ""

    async def pods(self) -> list[Pod]:
        """See ``Ownership``."""
        return []

    async def hand_over(self, stop: Callable[[], Awaitable[None]]) -> None:
        """See ``Ownership``. The next process finds them in the journal."""
        self._is_over = True
        await stop()
