"""Rooms become tables: when the last seat is taken, when the host says so, when their time is over.

That a room starts is stored before the table is made, and its table's id long before. Whoever dies in between leaves a
room that starts; this work, here or in any other process, makes its table, and making it twice makes it once.
"""

import asyncio
from typing import Final

import grpc
import structlog

from services.lobby.news import RoomNews
from services.lobby.room_store import due_rooms, find_room, lock_room, next_deadline_ms, save_room
from services.lobby.rooms import RoomState, time_out
from services.lobby.tables import Tables
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.status import ApiError
from shared.kit.tasks import cancel_and_wait, spawn

LOOK_MS: Final = 5_000
"""Rooms that other processes opened are looked for this often; one's own are known."""
RETRY_FIRST_MS: Final = 500
RETRY_MOST_MS: Final = 5_000
MOST_AT_ONCE: Final = 16
PATIENCE_S: Final = 4.0
"""How long a caller waits for a table; afterwards it watches the room, which starts all the same."""
_REFUSED_FOR_GOOD: Final = frozenset(
    {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.ALREADY_EXISTS, grpc.StatusCode.FAILED_PRECONDITION}
)

_log = structlog.get_logger("lobby.starting")


class Starter:
    """Makes the tables of rooms that start. A resource: what is under way ends with it."""

    def __init__(self, database: Database, clock: Clock, tables: Tables, news: RoomNews) -> None:
        self._database = database
        self._clock = clock
        self._tables = tables
        self._news = news
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._woken = asyncio.Event()
        self._retry_ms = RETRY_FIRST_MS

    async def __aenter__(self) -> "Starter":
        """See the class."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """See the class."""
        for task in list(self._under_way.values()):
            await cancel_and_wait(task)

    def wake(self) -> None:
        """Has the background work look at the rooms now: there is a new deadline, or a room to start."""
        self._woken.set()

    async def start(self, room_id: str) -> None:
        """Waits until the room's table is made, for `PATIENCE_S` at the most."""
        await asyncio.wait({self._begin(room_id)}, timeout=PATIENCE_S)
        self.wake()

    async def run(self) -> None:
        """Background work: starts rooms as they fall due, for ever."""
        while True:
            self._woken.clear()
            await self._wait(await self.start_due())

    async def start_due(self) -> int:
        """Starts rooms that are due, or gives them up; the milliseconds until it should be called again."""
        async with self._database.reading() as connection:
            due = await due_rooms(connection, self._clock.now_ms(), MOST_AT_ONCE)
        for room_id in due:
            await self._time_out(room_id)
        if due:
            await asyncio.wait([self._begin(room_id) for room_id in due])
        async with self._database.reading() as connection:
            still_due = await due_rooms(connection, self._clock.now_ms(), MOST_AT_ONCE)
            next_ms = await next_deadline_ms(connection)
        if still_due and set(still_due) <= set(due):
            retry_ms, self._retry_ms = self._retry_ms, min(self._retry_ms * 2, RETRY_MOST_MS)
            return retry_ms
        self._retry_ms = RETRY_FIRST_MS
        if still_due:
            return 1
        return LOOK_MS if next_ms is None else max(1, min(LOOK_MS, next_ms - self._clock.now_ms()))

    def _begin(self, room_id: str) -> asyncio.Task[None]:
        task = self._under_way.get(room_id)
        if task is None:
            task = self._under_way[room_id] = spawn(self._make_table(room_id), "start room")
            task.add_done_callback(lambda _: self._under_way.pop(room_id, None))
        return task

    async def _make_table(self, room_id: str) -> None:
        async with self._database.reading() as connection:
            room = await find_room(connection, room_id)
        if room is None or room.state is not RoomState.STARTING:
            return
        try:
            await self._tables.make(room)
        except ApiError as refusal:
            _log.warning("room.delayed", room_id=room_id, table_id=room.table_id, reason=refusal.code)
            if refusal.status in _REFUSED_FOR_GOOD:
                await self._leave_starting(room_id, RoomState.CLOSED)
        else:
            await self._leave_starting(room_id, RoomState.STARTED)

    async def _leave_starting(self, room_id: str, state: RoomState) -> None:
        async with self._database.transaction() as connection:
            room = await lock_room(connection, room_id)
            if room is None or room.state is not RoomState.STARTING:
                return  # another process was quicker, or a fact of the table's
            await save_room(connection, room._replace(state=state), self._clock.now_ms())
        _log.info("room.started" if state is RoomState.STARTED else "room.refused", room_id=room_id)
        await self._news.tell(room_id)

    async def _time_out(self, room_id: str) -> None:
        async with self._database.transaction() as connection:
            room = await lock_room(connection, room_id)
            if room is None or (after := time_out(room, self._clock.now_ms())) == room:
                return
            await save_room(connection, after, self._clock.now_ms())
        _log.info("room.timed_out", room_id=room_id, state=after.state)
        await self._news.tell(room_id)

    async def _wait(self, most_ms: int) -> None:
        timer = self._clock.call_at(self._clock.monotonic_ms() + most_ms, self._woken.set)
        try:
            await self._woken.wait()
        finally:
            timer.cancel()
