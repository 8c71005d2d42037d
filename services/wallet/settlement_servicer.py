"""SettlementService: what became of stakes, for everybody."""

# ruff: noqa: N802  # methods bear the names of their RPCs

from typing import Any, Final

import grpc
from banakil.wallet.v1 import settlements_pb2 as wire
from banakil.wallet.v1.settlements_pb2_grpc import SettlementServiceServicer
from sqlalchemy import func, select

from services.wallet.ids import read_match_id
from services.wallet.refusals import UnknownMatchError
from services.wallet.schema import HOLDS, SETTLEMENTS
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.limits import RateLimiter
from shared.kit.peers import peer_key
from shared.kit.rpc_context import principal

COUNT_AGAIN_MS: Final = 10_000
Context = grpc.aio.ServicerContext[Any, Any]


class SettlementServicer(SettlementServiceServicer):
    """See settlements.proto. `calls` limits how often one caller may ask."""

    def __init__(self, database: Database, calls: RateLimiter, clock: Clock) -> None:
        self._database = database
        self._calls = calls
        self._clock = clock
        self._counted: wire.CountSettlementsResponse | None = None
        self._counted_ms = 0

    async def GetSettlement(self, request: wire.GetSettlementRequest, context: Context) -> wire.GetSettlementResponse:
        self._admit(context)
        match_id = read_match_id(request.match_id)
        held = select(HOLDS.c.stake_coins).where(HOLDS.c.match_id == match_id)
        settled = select(SETTLEMENTS).where(SETTLEMENTS.c.match_id == match_id)
        async with self._database.reading() as connection:
            stake_coins: int | None = await connection.scalar(held)
            found = (await connection.execute(settled)).one_or_none()
        if stake_coins is None and found is None:
            raise UnknownMatchError
        answer = wire.GetSettlementResponse(stake_coins=stake_coins or 0)
        if found is not None:
            answer.cause, answer.settled_at_ms = _cause(found.cause), found.at_ms
        return answer

    async def CountSettlements(
        self, request: wire.CountSettlementsRequest, context: Context
    ) -> wire.CountSettlementsResponse:
        self._admit(context)
        now_ms = self._clock.monotonic_ms()
        if self._counted is None or now_ms - self._counted_ms >= COUNT_AGAIN_MS:
            self._counted, self._counted_ms = await self._count(), now_ms
        return self._counted

    async def _count(self) -> wire.CountSettlementsResponse:
        by_cause = select(SETTLEMENTS.c.cause, func.count()).group_by(SETTLEMENTS.c.cause)
        held = select(func.count()).select_from(HOLDS).where(HOLDS.c.settled_ms.is_(None))
        async with self._database.reading() as connection:
            counts = {_cause(cause): matches for cause, matches in await connection.execute(by_cause)}
            held_matches: int = await connection.scalar(held) or 0
        count = wire.CountSettlementsResponse.Count
        return wire.CountSettlementsResponse(
            counts=[count(cause=cause, matches=counts[cause]) for cause in sorted(counts)], held_matches=held_matches
        )

    def _admit(self, context: Context) -> None:
        self._calls.admit(principal().account or peer_key(context.peer()), "RATE_LIMITED")


def _cause(cause: str) -> "wire.SettlementCause.ValueType":
    return wire.SettlementCause.Value(f"SETTLEMENT_CAUSE_{cause.upper()}")
