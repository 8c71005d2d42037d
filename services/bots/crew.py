"""All the seats that this process plays: those that it was told of, and those of processes that are gone.

A seat is its owner's while that one's lease runs. Who has lost it lets all its seats go and plays nothing more; what it
may yet have sent finds another's Watch in its place, and another's answer under the same command id.
"""

import asyncio
import itertools
from collections.abc import Callable
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from services.bots.house import HouseSeat
from services.bots.lease import Lease
from services.bots.metrics import BotMetrics
from services.bots.player import Outcome, Player
from services.bots.store import SeatStore
from shared.kit.clock import Clock
from shared.kit.pod_lease import RENEW_MS, LeaseLostError
from shared.kit.tasks import cancel_and_wait, keep_running, spawn

LOOK_MS: Final = 500
MOST_CLAIMS: Final = 100
"""At once; others may want some too."""
TIDY_EVERY: Final = 20
"""Rounds."""
SUPERSEDED_MS: Final = 2_000
"""Until a seat is watched again that somebody else watches, where it is still this process's to play."""

_AWAY: Final = (SQLAlchemyError, OSError, TimeoutError)
_log = structlog.get_logger("bots.crew")

NewPlayer = Callable[[HouseSeat, Callable[[], bool]], Player]
"""A player for a seat, and by what it is told whether it may still play."""


class Crew:
    """A task for each seat."""

    def __init__(
        self, store: SeatStore, lease: Lease, new_player: NewPlayer, clock: Clock, metrics: BotMetrics, most: int
    ) -> None:
        self._store = store
        self._lease = lease
        self._new_player = new_player
        self._clock = clock
        self._metrics = metrics
        self._most = most
        self._playing: dict[HouseSeat, asyncio.Task[None]] = {}
        self._stopped = False

    @property
    def owner(self) -> str:
        """Whose seats those are that are started here; empty where none may be, or no more."""
        may = self._lease.holds and not self._stopped and len(self._playing) < self._most
        return self._lease.pod_id if may else ""

    async def begin(self) -> None:
        """Take the lease before facts come in; where that fails, ``run`` tries again."""
        try:
            await self._lease.take()
        except LeaseLostError as lost:
            _log.warning("lease.not_taken", reason=str(lost))

    async def run(self) -> None:
        """Background work: keeps the lease, and looks for seats that nobody plays."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_lease())
            group.create_task(self._look_for_seats())

    def start(self, seat: HouseSeat) -> None:
        """Play a seat that is this process's, unless it is being played."""
        owner = self.owner
        if not owner or seat in self._playing:
            return

        def may_play() -> bool:
            return self._lease.holds and self._lease.pod_id == owner

        async def play() -> None:
            await self._play(seat, may_play)

        task = spawn(keep_running("house bot", play, self._clock), f"house bot {seat.vacancy_id}")
        self._playing[seat] = task
        self._metrics.seats.set(len(self._playing))
        task.add_done_callback(lambda _: self._done(seat, task))

    async def stop(self) -> None:
        """Leave every table, and hand the seats over to whoever else there is."""
        self._stopped = True
        await asyncio.gather(*(cancel_and_wait(task) for task in self._let_go()))
        await self._lease.resign()

    async def _play(self, seat: HouseSeat, may_play: Callable[[], bool]) -> None:
        while True:
            outcome = await self._new_player(seat, may_play).play()
            if outcome is Outcome.OVER:
                await self._store.remove(seat)
            if outcome is not Outcome.SUPERSEDED:
                return
            await self._clock.sleep_ms(SUPERSEDED_MS)

    async def _keep_lease(self) -> None:
        while not self._stopped:
            try:
                if self._lease.pod_id:
                    await self._lease.renew(len(self._playing))
                else:
                    await self._lease.take()
            except LeaseLostError as lost:
                _log.warning("lease.lost", reason=str(lost), seats=len(self._playing))
                self._let_go()
            await self._clock.sleep_ms(RENEW_MS)

    async def _look_for_seats(self) -> None:
        for round_no in itertools.count():
            try:
                if owner := self.owner:
                    await self._look(owner, round_no)
            except _AWAY as fault:
                _log.warning("seats.not_looked_for", reason=type(fault).__name__)
            await self._clock.sleep_ms(LOOK_MS)

    async def _look(self, owner: str, round_no: int) -> None:
        most = min(MOST_CLAIMS, self._most - len(self._playing))
        claimed = await self._store.claim(owner, most)
        if claimed:
            _log.info("seats.claimed", count=len(claimed), pod=owner)
        if round_no % TIDY_EVERY == 0:
            await self._store.purge()
            # Those whose claim's answer was lost among them, and on SQLite those of before a restart.
            claimed += await self._store.of(owner)
        if self._lease.pod_id == owner:
            for seat in claimed:
                self.start(seat)

    def _let_go(self) -> list[asyncio.Task[None]]:
        tasks = list(self._playing.values())
        self._playing.clear()
        for task in tasks:
            task.cancel()
        self._metrics.seats.set(0)
        return tasks

    def _done(self, seat: HouseSeat, task: asyncio.Task[None]) -> None:
        if self._playing.get(seat) is task:
            del self._playing[seat]
            self._metrics.seats.set(len(self._playing))
