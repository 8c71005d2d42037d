"""What players ask of the lobby: to be brought to a room, and out of it again. Nothing here knows gRPC.

Each request is one transaction that locks the account, then the room; it may be repeated, and says the same again.
"""

import uuid
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from services.lobby import room_store as store
from services.lobby.accounts import lock_account
from services.lobby.codes import make_code
from services.lobby.commands import Command, digest_of, find_room_of, remember
from services.lobby.news import RoomNews
from services.lobby.refusals import (
    AlreadyPlayingError,
    NotSeatedError,
    OverloadedError,
    RoomStartedError,
    StakeNotAgreedError,
    UnknownRoomError,
    UnknownTableError,
)
from services.lobby.rooms import (
    Account,
    Room,
    RoomState,
    change_seat,
    leave_table,
    queue_of,
    sit_again,
    sit_down,
    stand_up,
    start,
)
from services.lobby.stakes import Stakes
from services.lobby.starting import Starter
from services.lobby.tables import Tables
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.status import ApiError
from shared.rules.options import Options

TRIES: Final = 10
"""Codes tried, or open rooms that filled up before one's eyes."""
RETRY_MS: Final = 1_000

Work = Callable[[AsyncConnection, Account], Awaitable[Room]]


class LobbyLimits(NamedTuple):
    """How long rooms wait, and how many may."""

    quick_wait_ms: int
    """Until house bots take the vacant seats of a quick-play room."""
    again_wait_ms: int
    """The same, in a quick-play room for those who have played together."""
    room_life_ms: int
    """Until a room with a code is given up."""
    coin_wait_ms: int
    """Until a quick-play room for coins, where no house bots come, is given up."""
    most_rooms: int


class Lobby:
    """The rooms of the lobby's database, as its players may use them."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        tables: Tables,
        stakes: Stakes,
        starter: Starter,
        news: RoomNews,
        limits: LobbyLimits,
    ) -> None:
        self._database = database
        self._clock = clock
        self._tables = tables
        self._stakes = stakes
        self._starter = starter
        self._news = news
        self._limits = limits

    async def quick_play(
        self, account_id: str, command_id: str, options: Options, *, with_house_bots: bool, bot_level: int = 0
    ) -> Room:
        """Seats the account in the room that waits for this kind of table, or in a new one.

        With house bots the room is its own and starts at once. Raises `AlreadyPlayingError`, `CommandReusedError`,
        `OverloadedError`, `UnknownAccountError`; for a stake what :meth:`Stakes.require` does.
        """
        command = Command(
            account_id, command_id, digest_of("house" if with_house_bots else "quick", options, bot_level)
        )

        async def seat(connection: AsyncConnection, account: Account) -> Room:
            if not with_house_bots:
                return sit_down(await self._open_room(connection, options, bot_level), account)
            room = sit_down(self._new_room(options, self._limits.quick_wait_ms, bot_level=bot_level), account)
            room = start(room, account.account_id)
            await store.add_room(connection, room)
            return room

        return await self._once(command, options, seat)

    async def create_room(self, account_id: str, command_id: str, options: Options) -> Room:
        """A room with a code, the account in seat 0 as its host. Raises as `quick_play`."""
        command = Command(account_id, command_id, digest_of("room", options))

        async def make(connection: AsyncConnection, account: Account) -> Room:
            await self._require_space(connection)
            for _ in range(TRIES):
                room = self._new_room(options, self._limits.room_life_ms, make_code())
                if await store.add_room(connection, room):
                    return sit_down(room, account, 0)
            raise OverloadedError(RETRY_MS)

        return await self._once(command, options, make)

    async def join_room(self, account_id: str, code: str, wanted: int | None, agreed_coins: int) -> Room:
        """Seats the account in the room with this code, or moves it there to the seat it wants.

        Raises `UnknownRoomError`, `RoomFullError`, `RoomStartedError`, `AlreadyPlayingError`, `UnknownAccountError`;
        `StakeNotAgreedError`, and for a stake what :meth:`Stakes.require` does.
        """
        async with self._database.reading() as connection:
            found = await store.find_room_with_code(connection, code)
        # A room's rules and its code stay, so that what is found now holds in the transaction too.
        if found is not None and found.sitter(account_id) is None and found.state is RoomState.WAITING:
            if found.options.stake != agreed_coins:
                raise StakeNotAgreedError
            await self._stakes.require(account_id, agreed_coins)

        async def join(connection: AsyncConnection, account: Account) -> Room:
            room = await store.lock_room_with_code(connection, code)
            if room is None or room.state is RoomState.CLOSED:
                raise UnknownRoomError
            sitter = room.sitter(account.account_id)
            if sitter is None:
                if room.state is not RoomState.WAITING:
                    raise RoomStartedError
                await self._require_free(connection, account)
                after = sit_down(room, account, wanted)
            elif room.state is RoomState.WAITING and wanted not in (None, sitter.seat):
                after = change_seat(room, sitter, wanted)
            else:
                return room
            await store.save_room(connection, after, self._clock.now_ms())
            return after

        return await self._apply(account_id, join)

    async def play_again(self, account_id: str, table_id: str) -> Room:
        """Seats the account for another game with those of a table.

        Raises `UnknownTableError`, `NotSeatedError`, `RoomFullError`, `RoomStartedError`, `AlreadyPlayingError`,
        `OverloadedError`, `UnknownAccountError`; for a stake what :meth:`Stakes.require` does.
        """
        async with self._database.reading() as connection:
            played = await store.find_room_of_table(connection, table_id)
            joined = await store.find_room_again(connection, table_id)
        if played is not None and (joined is None or joined.sitter(account_id) is None):
            await self._stakes.require(account_id, played.options.stake)

        async def sit(connection: AsyncConnection, account: Account) -> Room:
            before = await store.find_room_of_table(connection, table_id)
            if before is None:
                raise UnknownTableError
            if before.sitter(account_id) is None:
                raise NotSeatedError
            room = await store.lock_room_again(connection, table_id)
            if room is not None and room.sitter(account_id) is not None:
                return room
            await self._require_free(connection, account)
            after = sit_again(room or await self._room_again(connection, before), before, account)
            await store.save_room(connection, after, self._clock.now_ms())
            return after

        return await self._apply(account_id, sit)

    async def start_room(self, account_id: str, room_id: str, bot_level: int = 0) -> Room:
        """Starts the host's room, with house bots in vacant seats.

        Raises `UnknownRoomError`, `NotHostError`, `SeatsVacantError`, and `BadRequestError` for bots at a stake.
        """

        async def begin(connection: AsyncConnection, account: Account) -> Room:
            room = await self._lock(connection, room_id)
            if room.state is RoomState.CLOSED:
                raise UnknownRoomError
            after = start(room, account.account_id, bot_level)
            if after != room:
                await store.save_room(connection, after, self._clock.now_ms())
            return after

        return await self._apply(account_id, begin)

    async def leave_room(self, account_id: str, room_id: str) -> None:
        """Takes the account out of a room, where it is in it. Raises `UnknownRoomError`, `RoomStartedError`."""

        async def leave(connection: AsyncConnection, account: Account) -> Room:
            room = await self._lock(connection, room_id)
            after = stand_up(room, account.account_id)
            if after != room:
                await store.save_room(connection, after, self._clock.now_ms())
            return after

        await self._apply(account_id, leave)

    async def _once(self, command: Command, options: Options, work: Work) -> Room:
        """Carries a command for such a table out, or finds what it led to."""
        if options.stake:
            async with self._database.reading() as connection:
                done = await find_room_of(connection, command)
            if done is None:
                await self._stakes.require(command.account_id, options.stake)

        async def carry_out(connection: AsyncConnection, account: Account) -> Room:
            room_id = await find_room_of(connection, command)
            if room_id is not None:
                return await self._lock(connection, room_id)
            await self._require_free(connection, account)
            room = await work(connection, account)
            await store.save_room(connection, room, self._clock.now_ms())
            await remember(connection, command, room.room_id)
            return room

        return await self._apply(command.account_id, carry_out)

    async def _apply(self, account_id: str, work: Work) -> Room:
        """Does the work in a transaction, then what follows from it; the room as it is after all that."""
        try:
            room = await self._transact(account_id, work)
        except AlreadyPlayingError as refusal:
            if not await self._is_free_after_all(account_id, refusal.metadata):
                raise
            room = await self._transact(account_id, work)
        await self._news.tell(room.room_id)
        if room.state is not RoomState.STARTING:
            return room
        await self._starter.start(room.room_id)
        async with self._database.reading() as connection:
            return await store.find_room(connection, room.room_id) or room

    async def _transact(self, account_id: str, work: Work) -> Room:
        try:
            async with self._database.transaction() as connection:
                return await work(connection, await lock_account(connection, account_id))
        finally:
            # There may be a room to start or a new deadline, also where the caller has gone and waits for no answer.
            self._starter.wake()

    async def _require_free(self, connection: AsyncConnection, account: Account) -> None:
        held = await store.find_held(connection, account.account_id)
        if held is None:
            return
        where = {"room_id": held.room_id}
        if held.state is RoomState.STARTED:
            where["table_id"] = held.table_id
        raise AlreadyPlayingError(where)

    async def _is_free_after_all(self, account_id: str, where: dict[str, str]) -> bool:
        """Asks the table that the account is held by: the fact that it has ended, or was left, may be on its way."""
        if "table_id" not in where:
            return False
        try:
            state, left = await self._tables.look(where["table_id"])
        except ApiError:
            return False
        if state is RoomState.STARTED and account_id not in left:
            return False
        async with self._database.transaction() as connection:
            room = await store.lock_room(connection, where["room_id"])
            if room is not None and room.state is RoomState.STARTED:
                after = leave_table(room._replace(state=state), left)
                await store.save_room(connection, after, self._clock.now_ms())
        return True

    async def _open_room(self, connection: AsyncConnection, options: Options, bot_level: int) -> Room:
        for _ in range(TRIES):
            room = await store.lock_open_room(connection, queue_of(options))
            if room is not None:
                return room
            await self._require_space(connection)
            room = self._new_room(options, self._quick_wait_ms(options), bot_level=bot_level)
            if await store.add_room(connection, room):
                return room
        raise OverloadedError(RETRY_MS)

    async def _room_again(self, connection: AsyncConnection, before: Room) -> Room:
        """The room in which those of an earlier one play again, made now if nobody was quicker."""
        await self._require_space(connection)
        life_ms = self._limits.again_wait_ms if before.is_quick else self._limits.room_life_ms
        if before.is_quick and before.options.stake:
            life_ms = self._limits.coin_wait_ms
        for _ in range(TRIES):
            room = self._new_room(before.options, life_ms, "" if before.is_quick else make_code())
            room = room._replace(again_of=before.table_id, bot_level=before.bot_level)
            if await store.add_room(connection, room):
                return room
            others = await store.lock_room_again(connection, before.table_id)
            if others is not None:
                return others
        raise OverloadedError(RETRY_MS)

    async def _require_space(self, connection: AsyncConnection) -> None:
        if await store.count_waiting(connection) >= self._limits.most_rooms:
            raise OverloadedError(RETRY_MS)

    async def _lock(self, connection: AsyncConnection, room_id: str) -> Room:
        room = await store.lock_room(connection, room_id)
        if room is None:
            raise UnknownRoomError
        return room

    def _quick_wait_ms(self, options: Options) -> int:
        return self._limits.coin_wait_ms if options.stake else self._limits.quick_wait_ms

    def _new_room(self, options: Options, life_ms: int, code: str = "", bot_level: int = 0) -> Room:
        now_ms = self._clock.now_ms()
        ids = str(uuid.uuid4()), str(uuid.uuid4())
        return Room(*ids, code, options, now_ms, now_ms + life_ms, bot_level=bot_level)
