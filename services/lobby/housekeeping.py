"""Puts the lobby's database in order from time to time, so that nothing in it grows or stays for ever."""

from typing import Final, NamedTuple

import structlog

from services.lobby.history import forget_matches
from services.lobby.room_store import forget_rooms, lock_room, quiet_tables, save_room
from services.lobby.rooms import RoomState
from services.lobby.tables import Tables
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.status import ApiError

EVERY_MS: Final = 10 * 60_000
QUIET_MS: Final = 60 * 60_000
"""A table that nothing was heard of for this long is asked: the fact that it has ended may be lost."""
BATCH: Final = 200

_log = structlog.get_logger("lobby.housekeeping")


class Keep(NamedTuple):
    """How long what is over is kept."""

    rooms_ms: int
    history_ms: int


class Housekeeping:
    """Asks quiet tables whether they are over, and forgets what has been over for long."""

    def __init__(self, database: Database, clock: Clock, tables: Tables, keep: Keep) -> None:
        self._database = database
        self._clock = clock
        self._tables = tables
        self._keep = keep

    async def run(self) -> None:
        """Background work: all of it now and every ten minutes."""
        while True:
            await self.ask_quiet_tables()
            await self.forget()
            await self._clock.sleep_ms(EVERY_MS)

    async def ask_quiet_tables(self) -> None:
        """Brings up to 200 rooms to where their tables stand. What cannot be asked now is left for later."""
        async with self._database.reading() as connection:
            quiet = await quiet_tables(connection, self._clock.now_ms() - QUIET_MS, BATCH)
        for room_id, table_id in quiet:
            try:
                state = (await self._tables.look(table_id)).state
            except ApiError as refusal:
                _log.warning("table.not_asked", table_id=table_id, reason=refusal.code)
                return
            async with self._database.transaction() as connection:
                room = await lock_room(connection, room_id)
                if room is not None and room.state in (RoomState.STARTED, RoomState.ENDED):
                    await save_room(connection, room._replace(state=state), self._clock.now_ms())

    async def forget(self) -> None:
        """Deletes rooms and matches that are older than they are kept, a batch in each transaction."""
        now_ms = self._clock.now_ms()
        for forget, keep_ms in ((forget_rooms, self._keep.rooms_ms), (forget_matches, self._keep.history_ms)):
            gone = BATCH
            while gone == BATCH:
                async with self._database.transaction() as connection:
                    gone = await forget(connection, now_ms - keep_ms, BATCH)
