"""A bot of anybody's: a guest flagged as a bot, who comes to a room by its code and plays, by the public API alone."""

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

import structlog
from banakil.lobby.v1 import accounts_pb2, lobby_pb2
from banakil.lobby.v1.accounts_pb2_grpc import AccountServiceStub
from banakil.lobby.v1.lobby_pb2_grpc import LobbyServiceStub
from banakil.table.v1 import table_pb2, views_pb2
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from services.bots.house import HouseSeat
from services.bots.levels import level_of
from services.bots.metrics import BotMetrics
from services.bots.mind import Mind
from services.bots.player import Player
from services.bots.policies.registry import policy_named
from shared.codec.methods import repeatable_methods
from shared.codec.options import write_options
from shared.kit.clients import Channels, Metadata, answer, bearer, received
from shared.kit.clock import Pace, RealClock
from shared.kit.identity import Role
from shared.kit.metrics import Metrics
from shared.kit.status import ApiError, AwayError
from shared.kit.tasks import cancel_and_wait, spawn
from shared.rules.options import Options

if TYPE_CHECKING:
    from banakil.lobby.v1.accounts_pb2_grpc import AccountServiceAsyncStub
    from banakil.lobby.v1.lobby_pb2_grpc import LobbyServiceAsyncStub

BUDGET_MS: Final = 1_000
RENEW_MS: Final = 5 * 60_000
"""A token holds for a quarter of an hour."""
RETRY_MS: Final = 1_000

_log = structlog.get_logger("bots.guest")


class Wish(NamedTuple):
    """Who plays where, and how."""

    address: str
    """host:port of the platform."""
    name: str
    level: int
    policy: str
    """Empty for the level's."""
    code: str
    """Of the room; empty to make one."""
    options: Options
    """Of a room that is made."""
    pace: float


class RoomGoneError(Exception):
    """The room was closed before there was a table."""


class SeatedPlayer(Player):
    """Has its seat from the lobby."""

    occupant = views_pb2.OCCUPANT_BOT

    async def _take_seat(self) -> None:
        self._log.info("seat.taken")


class Guest:
    """An account, its token, and what it does."""

    def __init__(self, channels: Channels, address: str) -> None:
        self._accounts: AccountServiceAsyncStub = AccountServiceStub(channels.to(address, Role.LOBBY.value))
        self._lobby: LobbyServiceAsyncStub = LobbyServiceStub(channels.to(address, Role.LOBBY.value))
        self._clock = RealClock()
        self._made = accounts_pb2.CreateGuestResponse()

    async def sign_up(self, name: str) -> None:
        """Become a guest. Raises ``ApiError``."""
        request = accounts_pb2.CreateGuestRequest(display_name=name, bot=True)
        self._made = await answer(self._accounts.CreateGuest(request))

    @property
    def account(self) -> accounts_pb2.Account:
        """Itself."""
        return self._made.account

    def token(self) -> Metadata:
        """For its calls."""
        return bearer(self._made.token.jwt)

    async def keep_token(self) -> None:
        """Renews the token for ever."""
        wait_ms = RENEW_MS
        while True:
            await self._clock.sleep_ms(wait_ms)
            request = accounts_pb2.RefreshTokenRequest(
                account_id=self.account.account_id, refresh_secret=self._made.refresh_secret
            )
            try:
                self._made.token.CopyFrom((await answer(self._accounts.RefreshToken(request))).token)
                wait_ms = RENEW_MS
            except ApiError as error:
                _log.warning("token.not_renewed", reason=error.code)
                wait_ms = RETRY_MS

    async def enter(self, wish: Wish) -> lobby_pb2.Room:
        """Sit down in the room with this code, or in a new one. Raises ``ApiError``."""
        if wish.code:
            joining = lobby_pb2.JoinRoomRequest(code=wish.code)
            return (await answer(self._lobby.JoinRoom(joining, metadata=self.token()))).room
        making = lobby_pb2.CreateRoomRequest(command_id=str(uuid.uuid4()), options=write_options(wish.options))
        return (await answer(self._lobby.CreateRoom(making, metadata=self.token()))).room

    async def table_of(self, room: lobby_pb2.Room) -> str:
        """The table that the room becomes. Raises ``RoomGoneError``, ``ApiError``."""
        while not room.table_id:
            request = lobby_pb2.WatchRoomRequest(room_id=room.room_id)
            try:
                async for news in received(self._lobby.WatchRoom(request, metadata=self.token())):
                    room = news.room
            except AwayError:
                await self._clock.sleep_ms(RETRY_MS)
            if room.state == lobby_pb2.ROOM_STATE_CLOSED:
                raise RoomGoneError
        return room.table_id


async def play(wish: Wish, announce: Callable[[str], None]) -> tuple[views_pb2.View, int]:
    """Plays at one table to its end; its last view, and its seat there. ``announce``: is told the room's code.

    Raises ``ApiError``, ``RoomGoneError``, and ``KeyError`` for a policy that there is not.
    """
    policy = policy_named(wish.policy or level_of(wish.level).policy)
    clock = RealClock()
    async with Channels(None, repeatable=repeatable_methods()) as channels:
        guest = Guest(channels, wish.address)
        await guest.sign_up(wish.name)
        keeping = spawn(guest.keep_token(), "token")
        mind = Mind(clock, Pace(wish.pace), BotMetrics(Metrics()), BUDGET_MS)
        try:
            room = await guest.enter(wish)
            announce(room.code)
            table_id = await guest.table_of(room)
            table = TableServiceStub(channels.to(wish.address, Role.TABLE.value))
            seat = HouseSeat("", table_id, guest.account.account_id, wish.name, "", wish.level)
            player = SeatedPlayer(seat, policy, mind, table, guest.token, clock)
            await player.play()
            asked = table_pb2.GetViewRequest(table_id=table_id)
            view = (await answer(table.GetView(asked, metadata=guest.token()))).view
            return view, player.sight.seat
        finally:
            mind.close()
            await cancel_and_wait(keeping)
