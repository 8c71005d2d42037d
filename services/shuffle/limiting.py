"""How often anybody may ask for what is public."""

from typing import Any, Final

import grpc

from shared.kit.clock import Clock
from shared.kit.identity import Role
from shared.kit.limits import RateLimiter
from shared.kit.peers import peer_key
from shared.kit.rpc_context import forwarder, principal

CALLS_PER_SECOND: Final = 5
CALLS_AT_ONCE: Final = 30


class PublicCalls:
    """One budget for each caller: an account, or else an address."""

    def __init__(self, clock: Clock) -> None:
        self._limiter = RateLimiter(clock, per_second=CALLS_PER_SECOND, burst=CALLS_AT_ONCE)

    def admit(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Takes one call, unless it is one that the gateway passes on, which counts by its visitors' own addresses, or
        the wallet's, which has to look at every match for coins.

        Raises `FullError`.
        """
        if forwarder() is None and principal().role is not Role.WALLET:
            self._limiter.admit(principal().account or peer_key(context.peer()), "RATE_LIMITED")
