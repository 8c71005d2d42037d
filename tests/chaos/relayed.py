"""A player whose page is connected to the gateway: the gateway's own end of its Relay, and no socket."""

import asyncio
import random
import time

import grpc
from banakil.table.v1 import contributing_pb2
from banakil.table.v1 import table_pb2 as wire

from services.gateway.relay import Relay
from shared.kit.clock import RealClock
from shared.kit.status import ApiError
from tests.chaos.player import Answer, Player
from tests.support.contributing import Contributor
from tests.support.roaming import ATTEMPT_S, AWAY, LATE

AGAIN = (*AWAY, grpc.StatusCode.RESOURCE_EXHAUSTED)
AGAIN_MS = 50


class RelayedPlayer(Player):
    """As any other, but for the way that its calls take."""

    def __init__(
        self, relay: Relay, channel: grpc.aio.Channel, table_id: str, account: str, token: str, rng: random.Random
    ) -> None:
        super().__init__(channel, table_id, account, token, rng)
        self._relay = relay

    async def _attempt(self, request: wire.ActRequest) -> Answer | None:
        try:
            async with asyncio.timeout(ATTEMPT_S):
                acted = await self._relay.act(self._token, request)
        except (TimeoutError, ApiError) as fault:
            if isinstance(fault, ApiError) and fault.status not in AGAIN:
                return Answer(request, None, fault.code)
            await _wait_as_told(fault)
            return None
        return Answer(request, acted.revision, "")

    async def _keep_watching(self) -> None:
        while True:
            watch = self._relay.watch(self._token, self.table_id, self.client.revision)
            contributor, is_first = Contributor(), True
            try:
                async for update in watch:
                    self.client.take(update)
                    self.latest = wire.WatchResponse.FromString(update)
                    if is_first:
                        self.first_updates.append(self.latest)
                    is_first = False
                    self._changed.set()
                    for due in contributor.due(self.client.view):
                        await self._contribute(due)
                return
            except ApiError as fault:
                self.ends.append((time.monotonic(), fault.code))
                if fault.status not in AGAIN:
                    raise
                await _wait_as_told(fault)
            finally:
                watch.cancel()

    async def _contribute(self, request: contributing_pb2.ContributeRequest) -> None:
        try:
            async with asyncio.timeout(ATTEMPT_S):
                await self._relay.contribute(self._token, request)
        except TimeoutError:
            pass
        except ApiError as fault:
            if fault.status not in AGAIN and fault.code not in LATE:
                raise


async def _wait_as_told(fault: Exception) -> None:
    told_ms = fault.retry_after_ms if isinstance(fault, ApiError) else None
    await RealClock().sleep_ms(AGAIN_MS if told_ms is None else told_ms)
