"""The services that the gateway asks: always with the player's own token, or with none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final, TypeVar

import grpc
from banakil.lobby.v1.accounts_pb2_grpc import AccountServiceStub
from banakil.lobby.v1.lobby_pb2 import WatchRoomRequest, WatchRoomResponse
from banakil.lobby.v1.lobby_pb2_grpc import LobbyServiceStub
from banakil.shuffle.v1.days_pb2_grpc import DayServiceStub
from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceStub
from banakil.table.v1.contributing_pb2 import ContributeRequest
from banakil.table.v1.hints_pb2 import GetHintsRequest, GetHintsResponse
from banakil.table.v1.saying_pb2 import SayRequest
from banakil.table.v1.table_pb2 import ActRequest, ActResponse
from banakil.table.v1.table_pb2_grpc import TableServiceStub
from banakil.table.v1.wishes_pb2 import AskRequest, AskResponse
from banakil.wallet.v1.scores_pb2_grpc import ScoreServiceStub
from banakil.wallet.v1.settlements_pb2_grpc import SettlementServiceStub
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from services.gateway.relay import Relay, RelayedWatch
from shared.kit.clients import Channels, Metadata, answer, bearer
from shared.kit.identity import Role
from shared.kit.rpc_context import AUTHORIZATION_KEY
from shared.kit.status import DEPENDENCY_AWAY, INTERNAL, ApiError, AwayError, InternalError

if TYPE_CHECKING:
    from banakil.lobby.v1.accounts_pb2_grpc import AccountServiceAsyncStub
    from banakil.lobby.v1.lobby_pb2_grpc import LobbyServiceAsyncStub
    from banakil.shuffle.v1.days_pb2_grpc import DayServiceAsyncStub
    from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceAsyncStub
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub
    from banakil.wallet.v1.scores_pb2_grpc import ScoreServiceAsyncStub
    from banakil.wallet.v1.settlements_pb2_grpc import SettlementServiceAsyncStub
    from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceAsyncStub

T = TypeVar("T")

ACT_TIMEOUT_S: Final = 5.0
"""Longer than a client waits before it sends an action again: a table service that restarts is back by then."""
CONTRIBUTE_TIMEOUT_S: Final = 3.0
"""As long as players have for a step of a shuffle: later it is no longer awaited."""
RETRY_AFTER_MS: Final = 500
_AWAY: Final = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED}
)
NOBODY: Final[Metadata] = ((AUTHORIZATION_KEY, ""),)
"""The metadata of a call for one who has no token yet: the gateway's own token then says who passed it on, as it does
with a player's, and does not make the call the gateway's own. The lobby leaves counting such calls to the gateway.
"""


class Upstream:
    """Stubs on one channel to each service."""

    def __init__(
        self, channels: Channels, *, lobby_address: str, table_address: str, shuffle_address: str, wallet_address: str
    ) -> None:
        lobby = channels.to(lobby_address, Role.LOBBY.value)
        table = channels.to(table_address, Role.TABLE.value)
        self.accounts: AccountServiceAsyncStub = AccountServiceStub(lobby)
        self.lobby: LobbyServiceAsyncStub = LobbyServiceStub(lobby)
        self.table: TableServiceAsyncStub = TableServiceStub(table)
        shuffle = channels.to(shuffle_address, Role.SHUFFLE.value)
        self.shuffle: ShuffleServiceAsyncStub = ShuffleServiceStub(shuffle)
        self.days: DayServiceAsyncStub = DayServiceStub(shuffle)
        wallet = channels.to(wallet_address, Role.WALLET.value)
        self.scores: ScoreServiceAsyncStub = ScoreServiceStub(wallet)
        self.settlements: SettlementServiceAsyncStub = SettlementServiceStub(wallet)
        self.wallet: WalletServiceAsyncStub = WalletServiceStub(wallet)
        self._relay = Relay(self.table, lambda address: TableServiceStub(channels.to(address, Role.TABLE.value)))

    async def __aenter__(self) -> Upstream:
        """A resource for :meth:`App.enter`."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the relay."""
        await self._relay.close()

    def watch(self, token: str, table_id: str, last_revision: int) -> RelayedWatch:
        """The player's view of a table, each update as the bytes that came. A table service that is away is awaited."""
        return self._relay.watch(token, table_id, last_revision)

    def spectate(self, token: str, table_id: str, last_revision: int) -> RelayedWatch:
        """What is public of a table, in the same way."""
        return self._relay.spectate(token, table_id, last_revision)

    def watch_room(self, token: str, room_id: str) -> grpc.aio.UnaryStreamCall[WatchRoomRequest, WatchRoomResponse]:
        """The room that the player waits in."""
        return self.lobby.WatchRoom(WatchRoomRequest(room_id=room_id), metadata=bearer(token), wait_for_ready=True)

    async def act(self, token: str, request: ActRequest) -> ActResponse:
        """Plays an action. Raises :class:`ApiError`; where :func:`is_unanswered`, it may have been played."""
        return await _within(ACT_TIMEOUT_S, self._relay.act(token, request))

    async def wish(self, token: str, request: AskRequest) -> AskResponse:
        """Has a wish granted. Raises as :meth:`act` does."""
        return await _within(ACT_TIMEOUT_S, self._relay.ask(token, request))

    async def contribute(self, token: str, request: ContributeRequest) -> None:
        """Adds to a shuffle. Raises :class:`ApiError`; where :func:`is_unanswered`, it may have been taken in."""
        await _within(CONTRIBUTE_TIMEOUT_S, self._relay.contribute(token, request))

    async def say(self, token: str, request: SayRequest) -> None:
        """Says something at a table. Raises :class:`ApiError`."""
        await _within(ACT_TIMEOUT_S, self._relay.say(token, request))

    async def hints(self, token: str, table_id: str) -> GetHintsResponse:
        """What the player's hand could do. Raises :class:`ApiError`."""
        return await ask(self.table.GetHints(GetHintsRequest(table_id=table_id), metadata=bearer(token)))


async def ask(call: Awaitable[T]) -> T:
    """What the call gives. Raises :class:`ApiError` with a code of ours and nothing that is not for players: what gRPC
    itself says of a failure names addresses inside.
    """
    try:
        return await answer(call)
    except ApiError as error:
        if error.code != error.status.name:
            raise
        raise (_away() if error.status in _AWAY else InternalError(INTERNAL)) from None


async def _within(timeout_s: float, asked: Awaitable[T]) -> T:
    """The answer. Raises :class:`AwayError` where none has come by then."""
    try:
        async with asyncio.timeout(timeout_s):
            return await asked
    except TimeoutError:
        raise _away() from None


def is_unanswered(error: ApiError) -> bool:
    """Whether it is not known if what was asked has been done."""
    return error.status is grpc.StatusCode.UNAVAILABLE


def _away() -> AwayError:
    return AwayError(DEPENDENCY_AWAY, "a service that is needed is away", retry_after_ms=RETRY_AFTER_MS)
