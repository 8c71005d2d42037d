"""What the lobby hears of its tables: they play, a match is won or aborted, they are closed."""

from typing import Final

import structlog
from banakil.events.v1 import facts_pb2 as wire
from sqlalchemy.ext.asyncio import AsyncConnection

from services.lobby.history import FinishedMatch, MatchSeat, add_match
from services.lobby.news import RoomNews
from services.lobby.room_store import lock_room_of_table, save_room
from services.lobby.rooms import RoomState, leave_table, seated_as
from shared.codec.facts import read_fact
from shared.codec.options import read_options
from shared.kit.clock import Clock
from shared.kit.inbox import AfterCommit, Fact
from shared.rules.options import Options

CONSUMER: Final = "lobby"
_ORDER: Final = (RoomState.STARTING, RoomState.STARTED, RoomState.ENDED, RoomState.OVER)
"""A room goes on in this order alone, in whatever order it is told."""

_log = structlog.get_logger("lobby.facts")


class FactHandler:
    """Takes a fact in, within the inbox's transaction."""

    def __init__(self, clock: Clock, news: RoomNews) -> None:
        self._clock = clock
        self._news = news

    async def take_in(self, connection: AsyncConnection, fact: Fact) -> AfterCommit | None:
        """For `InboxConsumer`. Raises `MalformedError` for what is no fact, or makes no sense."""
        told = read_fact(fact.payload)
        match told.WhichOneof("fact"):
            case "match_started":
                await self._seat(connection, told.table_id, told.match_started)
                return await self._go_on(connection, told.table_id, RoomState.STARTED)
            case "player_left":
                return await self._leave(connection, told.table_id, told.player_left.account_id)
            case "match_ended":
                options = read_options(told.match_ended.options)
                await add_match(connection, _finished(told.match_ended, options, told.at_ms))
                if options.format == "single":
                    return await self._go_on(connection, told.table_id, RoomState.ENDED)
            case "table_closed" | "match_aborted":
                return await self._go_on(connection, told.table_id, RoomState.OVER)
        return None

    async def _seat(self, connection: AsyncConnection, table_id: str, started: wire.MatchStarted) -> None:
        """In a later match of a series players may have swapped seats (R8.3)."""
        room = None if started.match_no == 1 else await lock_room_of_table(connection, table_id)
        if room is not None:
            after = seated_as(room, [seat.account_id for seat in started.seats])
            if after != room:
                await save_room(connection, after, self._clock.now_ms())

    async def _leave(self, connection: AsyncConnection, table_id: str, account_id: str) -> AfterCommit | None:
        room = await lock_room_of_table(connection, table_id)
        if room is None or room.state not in (RoomState.STARTING, RoomState.STARTED):
            return None
        await save_room(connection, leave_table(room, [account_id]), self._clock.now_ms())
        _log.info("room.left", room_id=room.room_id, table_id=table_id, account=account_id)
        return None

    async def _go_on(self, connection: AsyncConnection, table_id: str, state: RoomState) -> AfterCommit | None:
        room = await lock_room_of_table(connection, table_id)
        if room is None or room.state not in _ORDER or _ORDER.index(room.state) >= _ORDER.index(state):
            return None
        await save_room(connection, room._replace(state=state), self._clock.now_ms())
        _log.info("room.went_on", room_id=room.room_id, table_id=table_id, state=state)
        return lambda: self._news.wake(room.room_id)


def _finished(ended: wire.MatchEnded, options: Options, at_ms: int) -> FinishedMatch:
    return FinishedMatch(
        match_id=ended.match_id,
        preset=options.preset,
        mode=options.mode,
        seats=tuple(MatchSeat(seat.account_id, seat.display_name) for seat in ended.seats),
        totals=tuple(ended.total_half_points),
        winner_team=ended.winner_team,
        ended_ms=at_ms,
    )
