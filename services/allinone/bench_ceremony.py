"""What a whole ceremony of four people costs: how long it takes them, and how much processor time of the servers.

Tables are made with four people each, who watch over one Relay and play their part in the first deal's shuffle. What
making the table and watching it costs is measured by itself, at tables that wait for a fourth player, and taken off.
"""

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from banakil.table.v1 import contributing_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import FAIR_STEP_OPENING, FAIR_STEP_PROMISING, FairInfo

from services.allinone.bench_processes import Servers
from services.gateway.relay import Relay
from shared.codec.options import write_options
from shared.fairness.commitment import CONTRIBUTION_BYTES, client_commitment
from shared.fairness.context import DealContext
from shared.kit.clock import Clock
from shared.kit.identity import TokenIssuer
from shared.rules.options import make_options

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

TABLES: Final = 60
ROUND_TRIP_MS: Final = 200
SLOW_TABLES: Final = 10
"""With clients that far away."""
SEATS: Final = 4


class CeremonyBench:
    """The servers to measure, with a way in for their players."""

    def __init__(
        self, servers: Servers, lobby: "TableServiceAsyncStub", relay: Relay, issuer: TokenIssuer, clock: Clock
    ) -> None:
        self._servers = servers
        self._lobby = lobby
        self._relay = relay
        self._issuer = issuer
        self._clock = clock

    async def measure(self) -> dict[str, Any]:
        """All figures, as JSON values. ``server_cpu_us``: of table and shuffle service together, for each ceremony."""
        waiting = await self._cpu_us(TABLES, people=SEATS - 1)
        whole = await self._cpu_us(TABLES, people=SEATS)
        took = await asyncio.gather(*(self._one(SEATS, ROUND_TRIP_MS) for _ in range(SLOW_TABLES)))
        return {
            "tables": TABLES,
            "server_cpu_us": round(whole - waiting * SEATS / (SEATS - 1), 1),
            "round_trip_ms": ROUND_TRIP_MS,
            "ms_after_last_ready": {"median": round(median(took), 1), "max": round(max(took), 1)},
        }

    async def _cpu_us(self, tables: int, people: int) -> float:
        before = self._servers.cpu_seconds()
        await asyncio.gather(*(self._one(people, 0) for _ in range(tables)))
        return (self._servers.cpu_seconds() - before) / tables * 1e6

    async def _one(self, people: int, round_trip_ms: int) -> float:
        """One table to its first deal, or where a seat stays vacant until all watch; milliseconds since it was made."""
        table_id = str(uuid.uuid4())
        accounts = [f"{table_id[:18]}-{seat}" for seat in range(people)]
        seats = [wire.SeatAssignment(account_id=account, display_name=account) for account in accounts]
        seats += [wire.SeatAssignment()] * (SEATS - people)
        options = write_options(make_options({"preset": "sahrat"}))
        await self._lobby.Create(wire.CreateRequest(table_id=table_id, options=options, seats=seats))
        began = time.perf_counter()
        players = [
            _Player(self._relay, self._clock, self._issuer.for_account(account).text, table_id, round_trip_ms)
            for account in accounts
        ]
        await asyncio.gather(*(player.run(to_deal=people == SEATS) for player in players))
        return (time.perf_counter() - began) * 1e3


class _Player:
    """One honest client, so far away."""

    def __init__(self, relay: Relay, clock: Clock, token: str, table_id: str, round_trip_ms: int) -> None:
        self._relay = relay
        self._clock = clock
        self._token = token
        self._table_id = table_id
        self._one_way_ms = round_trip_ms // 2
        self._c = os.urandom(CONTRIBUTION_BYTES)
        self._seat = 0
        self._sent: set[int] = set()

    async def run(self, *, to_deal: bool) -> None:
        watch = self._relay.watch(self._token, self._table_id, 0)
        try:
            async for raw in self._far_away(watch):
                update = wire.WatchResponse.FromString(raw)
                if not to_deal or _has_deal(update):
                    return
                if update.HasField("snapshot"):
                    self._seat = update.snapshot.viewer_seat
                for fair in _published(update):
                    await self._contribute(fair)
        finally:
            watch.cancel()

    async def _far_away(self, updates: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        """The updates, each so much later."""
        under_way: asyncio.Queue[tuple[int, bytes]] = asyncio.Queue()

        async def receive() -> None:
            async for raw in updates:
                under_way.put_nowait((self._clock.monotonic_ms() + self._one_way_ms, raw))

        receiving = asyncio.create_task(receive())
        try:
            while True:
                arrives_ms, raw = await under_way.get()
                await self._clock.sleep_ms(max(0, arrives_ms - self._clock.monotonic_ms()))
                yield raw
        finally:
            receiving.cancel()

    async def _contribute(self, fair: FairInfo) -> None:
        if fair.step in self._sent or fair.step not in (FAIR_STEP_PROMISING, FAIR_STEP_OPENING):
            return
        self._sent.add(fair.step)
        request = contributing_pb2.ContributeRequest(
            table_id=self._table_id, match_id=fair.match_id, deal_no=fair.deal_no
        )
        if fair.step == FAIR_STEP_PROMISING:
            request.h_hex = client_commitment(_context(fair), self._seat, self._c).hex()
        else:
            request.c_hex = self._c.hex()
        await self._clock.sleep_ms(self._one_way_ms)
        await self._relay.contribute(self._token, request)


def _has_deal(update: wire.WatchResponse) -> bool:
    return update.snapshot.HasField("deal") or any(event.HasField("deal_started") for event in update.delta.events)


def _published(update: wire.WatchResponse) -> Sequence[FairInfo]:
    if update.snapshot.HasField("next_fair"):
        return [update.snapshot.next_fair]
    return [event.fair_published.fair for event in update.delta.events if event.HasField("fair_published")]


def _context(fair: FairInfo) -> DealContext:
    return DealContext(
        series=bytes.fromhex(fair.series_id),
        match_no=fair.match_no,
        match=bytes.fromhex(fair.match_id),
        deal_no=fair.deal_no,
        attempt=fair.attempt,
        seats=SEATS,
        rules=fair.rules_id,
    )
