"""Who may sit at a table for coins: named accounts that the wallet has nothing against."""

from collections.abc import Callable
from typing import Final

from banakil.wallet.v1 import wallet_pb2 as wire
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from services.lobby.refusals import GuestAccountError, TooFewCoinsError, TooFewMatchesError
from shared.kit.clients import Channels, answer, forwarded
from shared.kit.rpc_context import principal
from shared.kit.status import DEPENDENCY_AWAY, ApiError, AwayError, InternalError

RETRY_MS: Final = 1_000
_OBSTACLES: Final[dict[int, Callable[[], ApiError]]] = {
    wire.STAKE_OBSTACLE_GUEST: GuestAccountError,
    wire.STAKE_OBSTACLE_TOO_FEW_MATCHES: TooFewMatchesError,
    wire.STAKE_OBSTACLE_TOO_FEW_COINS: TooFewCoinsError,
}


class Stakes:
    """The wallet at an address, asked in the player's own name: that opens an account which has just got its name."""

    def __init__(self, channels: Channels, address: str) -> None:
        self._stub = WalletServiceStub(channels.to(address, "wallet"))

    async def require(self, account_id: str, stake_coins: int) -> None:
        """For who wants to sit down for a stake, if it is one.

        Raises `GuestAccountError`, `TooFewMatchesError`, `TooFewCoinsError`, and `AwayError` (`DEPENDENCY_AWAY`).
        """
        if not stake_coins:
            return
        if not principal().named:
            raise GuestAccountError
        request = wire.CheckStakeRequest(account_id=account_id, stake_coins=stake_coins)
        for obstacle in (await self._ask(request)).obstacles:
            raise _OBSTACLES.get(obstacle, _unknown)()

    async def _ask(self, request: wire.CheckStakeRequest) -> wire.CheckStakeResponse:
        try:
            return await answer(self._stub.CheckStake(request, metadata=forwarded()))
        except ApiError as refusal:
            if refusal.code != refusal.status.name:
                raise
            # Nobody answered: what gRPC says of that is not for players.
            raise AwayError(DEPENDENCY_AWAY, "the wallet is away", retry_after_ms=RETRY_MS) from None


def _unknown() -> InternalError:
    return InternalError("INTERNAL")
