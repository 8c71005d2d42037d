"""Looks at the ledger all the time; at the first breach it becomes read-only, until an operator has looked at it too.

Each look goes through the transfers that are new and the accounts that they moved coins of, and a few hundred of the
other accounts, so that all of them are seen again and again, and the whole sum each time they have been.
"""

from typing import Final

import structlog
from prometheus_client import Counter, Gauge
from sqlalchemy import func, insert, select, update

from services.wallet.invariants import (
    ACCOUNTS_AT_ONCE,
    MOST_BREACHES,
    TRANSFERS_AT_ONCE,
    Breach,
    Reading,
    Report,
    check_all,
    reading,
)
from services.wallet.schema import BREACHES
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.metrics import Metrics

SLICES_IN_A_LOOK: Final = 20
OVERLAP: Final = 1_000
"""Transfers that are looked at again: of two that were written at once the later may be seen first."""
_TURN: Final = "wallet.checker"

_log = structlog.get_logger("wallet.ledger")


class Checker:
    """Holds the ledger to its rules. `run` is background work, `is_writable` a check of readiness."""

    def __init__(self, database: Database, clock: Clock, metrics: Metrics, every_ms: int) -> None:
        self._database = database
        self._clock = clock
        self._every_ms = every_ms
        self._seen = 0
        self._last_account = ""
        self._read_only = Gauge(
            "banakil_ledger_read_only", "Whether the ledger takes no writes", registry=metrics.registry
        )
        self._breaches = Counter(
            "banakil_ledger_breaches", "Rules found broken, by rule", ["rule"], registry=metrics.registry
        )

    async def run(self) -> None:
        """Look, for ever; of several processes one at a time does."""
        while True:
            async with self._database.turn(_TURN) as mine:
                if mine:
                    await self.look()
            self._read_only.set(bool(await self.read_only_since()))
            await self._clock.sleep_ms(self._every_ms)

    async def look(self) -> list[Breach]:
        """Look at what is new, and at some of the rest. What is found makes the ledger read-only."""
        async with reading(self._database) as ledger:
            breaches = await self._look_at_new(ledger)
            found, self._last_account, count = await ledger.accounts(self._last_account, ACCOUNTS_AT_ONCE)
            breaches += found
            if count < ACCOUNTS_AT_ONCE:
                self._last_account = ""
                breaches += await ledger.total()
        breaches = list(dict.fromkeys(breaches))
        await self._note(breaches)
        return breaches

    async def check(self) -> Report:
        """Look at everything. What is found makes the ledger read-only."""
        async with reading(self._database) as ledger:
            report = await check_all(ledger)
        await self._note(report.breaches)
        return report

    async def reopen(self) -> Report:
        """Look at everything, and have the ledger take writes again if nothing is found."""
        report = await self.check()
        if not report.breaches:
            async with self._database.transaction() as connection:
                cleared = update(BREACHES).where(BREACHES.c.cleared_ms.is_(None))
                await connection.execute(cleared.values(cleared_ms=self._clock.now_ms()))
            self._read_only.set(0)
            _log.warning("ledger.reopened")
        return report

    async def read_only_since(self) -> int:
        """Since when the ledger takes no writes, in Unix milliseconds; 0 where it does."""
        asked = select(func.min(BREACHES.c.found_ms)).where(BREACHES.c.cleared_ms.is_(None))
        async with self._database.reading() as connection:
            return int(await connection.scalar(asked) or 0)

    async def is_writable(self) -> bool:
        """Whether it takes writes."""
        return not await self.read_only_since()

    async def _look_at_new(self, ledger: Reading) -> list[Breach]:
        breaches: list[Breach] = []
        newest = await ledger.newest()
        for _ in range(SLICES_IN_A_LOOK):
            after = max(0, self._seen - OVERLAP)
            until = min(after + TRANSFERS_AT_ONCE, newest)
            breaches += await ledger.transfers(after, until)
            breaches += await ledger.touched(after, until)
            self._seen = until
            if until == newest:
                break
        return breaches

    async def _note(self, breaches: list[Breach] | tuple[Breach, ...]) -> None:
        """Close the ledger, unless it is; what is found after that is told by the log alone."""
        if not breaches:
            return
        rows = [{**breach._asdict(), "found_ms": self._clock.now_ms()} for breach in breaches[:MOST_BREACHES]]
        if not await self.read_only_since():
            async with self._database.transaction() as connection:
                await connection.execute(insert(BREACHES), rows)
        self._read_only.set(1)
        for breach in breaches[:MOST_BREACHES]:
            self._breaches.labels(breach.rule).inc()
            _log.error("ledger.breached", rule=breach.rule, detail=breach.detail)
