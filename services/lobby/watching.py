"""Following a room until it has become a table or is given up."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Final

from services.lobby.news import RoomNews
from services.lobby.refusals import NotInRoomError, UnknownRoomError
from services.lobby.room_store import find_room
from services.lobby.rooms import Room, RoomState
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.status import FullError

LOOK_MS: Final = 5_000
"""A room is read again this often though no news of it came: news may be lost."""
MOST_WATCHES: Final = 8
"""By one account at once."""
RETRY_MS: Final = 1_000
_MOVING: Final = frozenset({RoomState.WAITING, RoomState.STARTING})


class RoomWatches:
    """The watches that are open in this process."""

    def __init__(self, database: Database, clock: Clock, news: RoomNews) -> None:
        self._database = database
        self._clock = clock
        self._news = news
        self._open: Counter[str] = Counter()

    async def watch(self, account_id: str, room_id: str) -> AsyncIterator[Room]:
        """The room now and after each change, its last state included.

        Raises `UnknownRoomError`, `NotInRoomError` (also for one who leaves), and `FullError` (`RATE_LIMITED`).
        """
        if self._open[account_id] >= MOST_WATCHES:
            raise FullError("RATE_LIMITED", "too many open watches", retry_after_ms=RETRY_MS)
        self._open[account_id] += 1
        try:
            with self._news.watching(room_id) as changed:
                async for room in self._follow(account_id, room_id, changed):
                    yield room
        finally:
            self._open[account_id] -= 1
            if not self._open[account_id]:
                del self._open[account_id]

    async def _follow(self, account_id: str, room_id: str, changed: asyncio.Event) -> AsyncIterator[Room]:
        shown: Room | None = None
        while shown is None or shown.state in _MOVING:
            changed.clear()
            async with self._database.reading() as connection:
                room = await find_room(connection, room_id)
            if room is None:
                raise UnknownRoomError
            if room.sitter(account_id) is None:
                raise NotInRoomError
            if room != shown:
                shown = room
                yield room
            else:
                await self._wait(changed)

    async def _wait(self, changed: asyncio.Event) -> None:
        timer = self._clock.call_at(self._clock.monotonic_ms() + LOOK_MS, changed.set)
        try:
            await changed.wait()
        finally:
            timer.cancel()
