"""All sockets of this process: how many there may be, and what is done with them together."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

import structlog

from services.gateway.metrics import GatewayMetrics
from shared.kit.clock import Clock

LOOK_EVERY_MS: Final = 5_000
FAREWELL_S: Final = 2.5

_log = structlog.get_logger("gateway.sockets")


class Ending(Protocol):
    """A socket that can be told to end."""

    def bye(self, code: str) -> None:
        """Say why, and end."""

    def look(self) -> None:
        """End if there is a reason to by now."""


class Sockets:
    """Who is here."""

    def __init__(
        self, clock: Clock, metrics: GatewayMetrics, *, most: int, most_per_account: int, most_per_address: int
    ) -> None:
        self.draining = False
        self._clock = clock
        self._metrics = metrics
        self._most = most
        self._most_per_account = most_per_account
        self._most_per_address = most_per_address
        self._open: set[Ending] = set()
        self._by_address: Counter[str] = Counter()
        self._by_account: defaultdict[str, list[Ending]] = defaultdict(list)
        self._empty = asyncio.Event()
        self._empty.set()

    def refusal(self, address: str) -> str:
        """Why one more socket from this address cannot be had, or nothing. An empty address is not counted."""
        if self.draining:
            return "DRAINING"
        if len(self._open) >= self._most:
            return "OVERLOADED"
        if address and self._by_address[address] >= self._most_per_address:
            return "TOO_MANY_SOCKETS"
        return ""

    @contextmanager
    def opened(self, ending: Ending, address: str) -> Iterator[None]:
        """Counts a socket while it is open."""
        self._open.add(ending)
        self._by_address[address] += 1
        self._empty.clear()
        self._metrics.sockets.set(len(self._open))
        try:
            yield
        finally:
            self._open.discard(ending)
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
            self._metrics.sockets.set(len(self._open))
            if not self._open:
                self._empty.set()

    @contextmanager
    def signed_in(self, ending: Ending, account: str) -> Iterator[None]:
        """Counts a socket as its account's. One too many ends the oldest: a new one must never be locked out by old
        ones whose connections are dead.
        """
        its_sockets = self._by_account[account]
        its_sockets.append(ending)
        for oldest in its_sockets[: -self._most_per_account]:
            oldest.bye("TOO_MANY_SOCKETS")
        try:
            yield
        finally:
            its_sockets.remove(ending)
            if not its_sockets:
                del self._by_account[account]

    async def look_after(self) -> None:
        """Every five seconds ends the sockets that have a reason to end."""
        while True:
            await self._clock.sleep_ms(LOOK_EVERY_MS)
            for ending in list(self._open):
                ending.look()

    async def drain(self) -> None:
        """Sends everybody elsewhere."""
        self.draining = True
        _log.info("sockets.draining", count=len(self._open))
        for ending in list(self._open):
            ending.bye("DRAINING")
        try:
            async with asyncio.timeout(FAREWELL_S):
                await self._empty.wait()
        except TimeoutError:
            _log.warning("sockets.overran", count=len(self._open))
