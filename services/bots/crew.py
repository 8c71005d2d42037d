"""All the seats that this process plays."""

import asyncio
from collections.abc import Callable

import structlog

from services.bots.house import HouseSeat
from services.bots.metrics import BotMetrics
from services.bots.player import Outcome, Player
from services.bots.store import SeatStore
from shared.kit.clock import Clock
from shared.kit.tasks import cancel_and_wait, keep_running, spawn

_log = structlog.get_logger("bots.crew")


class Crew:
    """A task for each seat."""

    def __init__(
        self, store: SeatStore, make_player: Callable[[HouseSeat], Player], clock: Clock, metrics: BotMetrics, most: int
    ) -> None:
        self._store = store
        self._make_player = make_player
        self._clock = clock
        self._metrics = metrics
        self._most = most
        self._playing: dict[HouseSeat, asyncio.Task[None]] = {}
        self._stopped = False

    @property
    def has_room(self) -> bool:
        """Whether one more seat can be played."""
        return len(self._playing) < self._most

    async def resume(self) -> None:
        """Go on with every seat that is kept: after a start."""
        seats = await self._store.all()
        for seat in seats:
            self.start(seat)
        _log.info("seats.resumed", count=len(seats))

    def start(self, seat: HouseSeat) -> None:
        """Play a seat, unless it is being played."""
        if self._stopped or seat in self._playing:
            return

        async def play() -> None:
            await self._play(seat)

        task = spawn(keep_running("house bot", play, self._clock), f"house bot {seat.vacancy_id}")
        self._playing[seat] = task
        self._metrics.seats.set(len(self._playing))
        task.add_done_callback(lambda _: self._done(seat))

    async def stop(self) -> None:
        """Leave every table. The seats stay ours, and are gone on with after the next start."""
        self._stopped = True
        await asyncio.gather(*(cancel_and_wait(task) for task in list(self._playing.values())))

    async def _play(self, seat: HouseSeat) -> None:
        if await self._make_player(seat).play() is Outcome.OVER:
            await self._store.remove(seat)

    def _done(self, seat: HouseSeat) -> None:
        del self._playing[seat]
        self._metrics.seats.set(len(self._playing))
