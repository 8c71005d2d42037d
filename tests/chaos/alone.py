"""The platform as one process on SQLite, and what befalls it."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import grpc

from shared.kit.clock import RealClock
from shared.kit.identity import TokenIssuer
from shared.kit.sealing import SealingKeys
from tests.chaos import plan
from tests.chaos.again import start_twice
from tests.chaos.checks import Checks
from tests.chaos.journals import SqliteJournal
from tests.support.up import Up, open_up

AWAY_MS: Final = 300


class Alone:
    """The system that is played on."""

    at_once = 1
    kinds = plan.ONE_PROCESS

    def __init__(self, up: Up, journal: SqliteJournal, checks: Checks) -> None:
        self.journal = journal
        self.checks = checks
        self._up = up

    @property
    def address(self) -> str:
        return self._up.address

    def channel(self) -> grpc.aio.Channel:
        return self._up.channel()

    def issuer(self, name: str) -> TokenIssuer:
        return self._up.issuer(name)

    async def strike(self, kind: str, rng: random.Random) -> None:
        """Returns once it is at work again."""
        if kind == plan.TERM:
            assert await self._up.stop() == 0
        else:
            self.checks.stands_still(list(self.checks.books.books), RealClock().now_ms())
            await self._up.kill()
        await RealClock().sleep_ms(rng.randrange(AWAY_MS))
        if kind == plan.KILL_AGAIN:
            await start_twice(self._up.start, self._up.kill, rng)
        else:
            await self._up.start()


@asynccontextmanager
async def alone(folder: Path, pace: float) -> AsyncIterator[Alone]:
    """At work."""
    async with open_up(folder, pace) as up:
        journal = SqliteJournal(up.data / "table.db")
        try:
            yield Alone(up, journal, Checks(SealingKeys.load(up.data / "keys" / "table-seal"), pace))
        finally:
            await journal.close()
