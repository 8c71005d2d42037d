"""One who runs the system: has a table stand still now and then, and go on after a while, or end."""

from typing import Any, Final

from banakil.table.v1 import admin_pb2 as wire

from shared.kit.identity import Principal, Role
from shared.kit.status import ApiError, AwayError, FullError
from tests.sim.loop import Process
from tests.sim.network import Network

OPERATOR: Final = Principal(Role.OPERATOR, "samira")
LONGEST_MS: Final = 20_000
AGAIN_MS: Final = 500


class Operator:
    """Of one table, until it is over."""

    def __init__(self, network: Network, clients: Process, table_id: str, every_ms: int, aborts: float = 0.0) -> None:
        """``every_ms``: how often, on the average; ``aborts``: how likely it is each time that the table is ended."""
        self._network = network
        self._world = network.world
        self._clients = clients
        self._about: dict[str, Any] = {"table_id": table_id, "reason": "a trial"}
        self._every_ms = every_ms
        self._aborts = aborts
        self._rng = network.world.rng(f"operator of {table_id}")
        clients.start(self._run())

    async def _run(self) -> None:
        clock, heals_ms = self._clients.clock, self._world.plan.heals_ms
        abort = wire.AbortRequest(**self._about)
        while clock.monotonic_ms() < heals_ms:
            await clock.sleep_ms(self._rng.randrange(2 * self._every_ms))
            if not await self._have("Freeze", wire.FreezeRequest(**self._about)):
                return
            self._world.counts["freezes"] += 1
            await clock.sleep_ms(self._rng.randrange(LONGEST_MS))
            if self._aborts and self._rng.random() < self._aborts and await self._have("Abort", abort):
                self._world.counts["aborts"] += 1
                return
            await self._have("Unfreeze", wire.UnfreezeRequest(**self._about))
        # A message that was late may stop it once more.
        while await self._have("Unfreeze", wire.UnfreezeRequest(**self._about)):
            await clock.sleep_ms(LONGEST_MS)

    async def _have(self, method: str, request: Any) -> bool:
        """Ask until there is an answer; false once the table is closed."""
        while True:
            try:
                await self._network.call(self._clients, "table", method, request, OPERATOR)
            except (AwayError, FullError) as error:
                await self._clients.clock.sleep_ms(error.retry_after_ms or AGAIN_MS)
            except ApiError as error:
                if error.code != "TABLE_CLOSED":
                    self._world.fail(f"{method} was refused: {error.code}")
                return False
            else:
                return True
