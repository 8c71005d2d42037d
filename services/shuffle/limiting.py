"""How often anybody may ask for what is public."""

from typing import Any, Final

import grpc

from shared.kit.clock import Clock
from shared.kit.limits import RateLimiter
from shared.kit.rpc_context import principal

CALLS_PER_SECOND: Final = 5
CALLS_AT_ONCE: Final = 30


class PublicCalls:
    """One budget for each caller: an account, or else an address."""

    def __init__(self, clock: Clock) -> None:
        self._limiter = RateLimiter(clock, per_second=CALLS_PER_SECOND, burst=CALLS_AT_ONCE)

    def admit(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Takes one call. Raises `FullError`."""
        address = context.peer().rpartition(":")[0]
        self._limiter.admit(principal().account or address, "RATE_LIMITED")
