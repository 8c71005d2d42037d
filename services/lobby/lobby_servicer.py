"""LobbyService: reads requests, asks the lobby, writes answers. The token alone says who asks."""

from collections.abc import AsyncIterator
from typing import Final

from banakil.lobby.v1 import history_pb2 as history
from banakil.lobby.v1 import lobby_pb2 as wire
from banakil.lobby.v1.lobby_pb2_grpc import LobbyServiceServicer

from services.lobby.codes import read_code
from services.lobby.history import list_matches
from services.lobby.limiting import CallLimits
from services.lobby.lobby import Lobby
from services.lobby.refusals import BadRequestError, UnknownRoomError
from services.lobby.room_store import find_held, find_room_with_code, live_tables
from services.lobby.rooms import Room, RoomState
from services.lobby.watching import RoomWatches
from services.lobby.wire import (
    read_quick_options,
    read_uuid,
    write_live_table,
    write_match,
    write_room,
)
from shared.codec.bot_levels import read_bot_level
from shared.codec.options import read_options, write_options
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.guard import Context

MOST_TABLES: Final = 50
PAGE_SIZE: Final = 20
MAX_PAGE_SIZE: Final = 100
MAX_SEAT: Final = 3
_WAITING: Final = (RoomState.WAITING, RoomState.STARTING)


class LobbyServicer(LobbyServiceServicer):
    """See the proto."""

    def __init__(
        self, lobby: Lobby, watches: RoomWatches, database: Database, clock: Clock, limits: CallLimits
    ) -> None:
        self._lobby = lobby
        self._watches = watches
        self._database = database
        self._clock = clock
        self._limits = limits

    async def QuickPlay(  # noqa: N802  # the RPC's name
        self, request: wire.QuickPlayRequest, _context: Context
    ) -> wire.QuickPlayResponse:
        account_id = self._limits.admit_account()
        command_id, options = read_uuid(request.command_id, "command_id"), read_quick_options(request)
        room = await self._lobby.quick_play(
            account_id,
            command_id,
            options,
            with_house_bots=request.with_house_bots,
            bot_level=read_bot_level(request.bot_level),
        )
        return wire.QuickPlayResponse(room=self._write(room))

    async def CreateRoom(  # noqa: N802  # the RPC's name
        self, request: wire.CreateRoomRequest, _context: Context
    ) -> wire.CreateRoomResponse:
        account_id = self._limits.admit_account()
        command_id, options = read_uuid(request.command_id, "command_id"), read_options(request.options)
        return wire.CreateRoomResponse(room=self._write(await self._lobby.create_room(account_id, command_id, options)))

    async def JoinRoom(  # noqa: N802  # the RPC's name
        self, request: wire.JoinRoomRequest, _context: Context
    ) -> wire.JoinRoomResponse:
        account_id = self._limits.admit_account()
        wanted = request.seat if request.HasField("seat") else None
        if wanted is not None and wanted > MAX_SEAT:
            raise BadRequestError(f"seats are numbered from 0 to {MAX_SEAT}")
        room = await self._lobby.join_room(account_id, read_code(request.code), wanted, request.stake_coins)
        return wire.JoinRoomResponse(room=self._write(room))

    async def LookUpRoom(  # noqa: N802  # the RPC's name
        self, request: wire.LookUpRoomRequest, _context: Context
    ) -> wire.LookUpRoomResponse:
        self._limits.admit_account()
        async with self._database.reading() as connection:
            room = await find_room_with_code(connection, read_code(request.code))
        if room is None or room.state is RoomState.CLOSED:
            raise UnknownRoomError
        return wire.LookUpRoomResponse(
            options=write_options(room.options), free_seats=room.options.seats - len(room.sitters)
        )

    async def PlayAgain(  # noqa: N802  # the RPC's name
        self, request: wire.PlayAgainRequest, _context: Context
    ) -> wire.PlayAgainResponse:
        account_id = self._limits.admit_account()
        room = await self._lobby.play_again(account_id, read_uuid(request.table_id, "table_id"))
        return wire.PlayAgainResponse(room=self._write(room))

    async def StartRoom(  # noqa: N802  # the RPC's name
        self, request: wire.StartRoomRequest, _context: Context
    ) -> wire.StartRoomResponse:
        account_id = self._limits.admit_account()
        room_id, level = read_uuid(request.room_id, "room_id"), read_bot_level(request.bot_level)
        room = await self._lobby.start_room(account_id, room_id, level)
        return wire.StartRoomResponse(room=self._write(room))

    async def LeaveRoom(  # noqa: N802  # the RPC's name
        self, request: wire.LeaveRoomRequest, _context: Context
    ) -> wire.LeaveRoomResponse:
        account_id = self._limits.admit_account()
        await self._lobby.leave_room(account_id, read_uuid(request.room_id, "room_id"))
        return wire.LeaveRoomResponse()

    async def WatchRoom(  # noqa: N802  # the RPC's name
        self, request: wire.WatchRoomRequest, _context: Context
    ) -> AsyncIterator[wire.WatchRoomResponse]:
        account_id = self._limits.admit_account()
        async for room in self._watches.watch(account_id, read_uuid(request.room_id, "room_id")):
            yield wire.WatchRoomResponse(room=self._write(room))

    async def ListMyTables(  # noqa: N802  # the RPC's name
        self, _request: wire.ListMyTablesRequest, _context: Context
    ) -> wire.ListMyTablesResponse:
        account_id = self._limits.admit_account()
        async with self._database.reading() as connection:
            tables = await live_tables(connection, account_id, MOST_TABLES)
            held = await find_held(connection, account_id)
        return wire.ListMyTablesResponse(
            tables=[write_live_table(room, account_id) for room in tables],
            room=self._write(held) if held is not None and held.state in _WAITING else None,
        )

    async def GetHistory(  # noqa: N802  # the RPC's name
        self, request: history.GetHistoryRequest, _context: Context
    ) -> history.GetHistoryResponse:
        account_id = self._limits.admit_account()
        if request.page_size > MAX_PAGE_SIZE:
            raise BadRequestError(f"a page has {MAX_PAGE_SIZE} matches at the most")
        async with self._database.reading() as connection:
            page = await list_matches(connection, account_id, request.page_size or PAGE_SIZE, request.page_token)
        return history.GetHistoryResponse(
            matches=[write_match(match, seat) for match, seat in page.matches], next_page_token=page.next_token
        )

    def _write(self, room: Room) -> wire.Room:
        return write_room(room, self._clock.now_ms())
