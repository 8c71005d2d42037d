"""What a whole ceremony of four people costs: how long it takes them, and how much processor time of the servers.

Tables are made with four people each, who watch over one Relay and play their part in the first deal's shuffle. What
making the table and watching it costs is measured by itself, at tables that wait for a fourth player, and taken off.
"""

import asyncio
import itertools
import os
import time
import uuid
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from banakil.table.v1 import contributing_pb2, seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import FAIR_STEP_OPENING, FAIR_STEP_PROMISING, FairInfo

from services.allinone.bench_processes import Servers
from services.gateway.relay import Relay, RelayedWatch
from shared.codec.options import write_options
from shared.fairness.commitment import CONTRIBUTION_BYTES, client_commitment
from shared.fairness.context import DealContext
from shared.kit.clock import Clock
from shared.kit.identity import TokenIssuer
from shared.rules.options import make_options

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

TABLES: Final = 64
"""Whose ceremonies overlap."""
ROUNDS: Final = 3
"""Of which the median counts."""
GOAL_ECHO_CALLS: Final = 5.0
GOAL_MS: Final = 1_200
QUIET_MS: Final = 500
"""For what follows when people leave, which is no part of it."""
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
        await self._cpu_us(SLOW_TABLES, people=SEATS)
        costs = []
        for _ in range(ROUNDS):
            waiting = await self._cpu_us(TABLES, people=SEATS - 1)
            costs.append(await self._cpu_us(TABLES, people=SEATS) - waiting * SEATS / (SEATS - 1))
        took = await asyncio.gather(*(self._one(ROUND_TRIP_MS) for _ in range(SLOW_TABLES)))
        return {
            "tables": TABLES,
            "server_cpu_us": round(median(costs), 1),
            "round_trip_ms": ROUND_TRIP_MS,
            "ms_after_last_ready": {"median": round(median(took), 1), "max": round(max(took), 1)},
        }

    async def _cpu_us(self, tables: int, people: int) -> float:
        """For each table: all are made, and then all their people come."""
        before = self._servers.cpu_seconds()
        made = await asyncio.gather(*(self._make(people) for _ in range(tables)))
        players = await asyncio.gather(*(self._play(*table, 0) for table in made))
        took = self._servers.cpu_seconds() - before
        for player in itertools.chain.from_iterable(players):
            player.leave()
        await self._clock.sleep_ms(QUIET_MS)
        return took / tables * 1e6

    async def _one(self, round_trip_ms: int) -> float:
        """One table to its first deal; milliseconds since it was made."""
        table_id, accounts = await self._make(SEATS)
        began = time.perf_counter()
        players = await self._play(table_id, accounts, round_trip_ms)
        took_ms = (time.perf_counter() - began) * 1e3
        for player in players:
            player.leave()
        return took_ms

    async def _make(self, people: int) -> tuple[str, list[str]]:
        table_id = str(uuid.uuid4())
        accounts = [f"{table_id[:18]}-{seat}" for seat in range(people)]
        seats = [seating_pb2.SeatAssignment(account_id=account, display_name=account) for account in accounts]
        seats += [seating_pb2.SeatAssignment()] * (SEATS - people)
        options = write_options(make_options({"preset": "sahrat"}))
        await self._lobby.Create(seating_pb2.CreateRequest(table_id=table_id, options=options, seats=seats))
        return table_id, accounts

    async def _play(self, table_id: str, accounts: Sequence[str], round_trip_ms: int) -> "list[_Player]":
        """To the first deal, or where a seat stays vacant until all watch; they stay."""
        players = [
            _Player(self._relay, self._clock, self._issuer.for_account(account).text, table_id, round_trip_ms)
            for account in accounts
        ]
        await asyncio.gather(*(player.run(to_deal=len(accounts) == SEATS) for player in players))
        return players


def against_echo(figures: Mapping[str, Any], echo_us: float) -> dict[str, Any]:
    """The figures with what they are in bare calls, and the goals beside them."""
    calls, took_ms = round(figures["server_cpu_us"] / echo_us, 1), figures["ms_after_last_ready"]["max"]
    return {
        **figures,
        "echo_calls": calls,
        "goals": {
            "echo_calls": {"most": GOAL_ECHO_CALLS, "holds": calls <= GOAL_ECHO_CALLS},
            "ms_after_last_ready": {"most": GOAL_MS, "holds": took_ms <= GOAL_MS},
        },
    }


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
        self._watch: RelayedWatch | None = None

    async def run(self, *, to_deal: bool) -> None:
        self._watch = self._relay.watch(self._token, self._table_id, 0)
        async for raw in self._far_away(self._watch):
            update = wire.WatchResponse.FromString(raw)
            if not to_deal or _has_deal(update):
                return
            if update.HasField("snapshot"):
                self._seat = update.snapshot.viewer_seat
            for fair in _published(update):
                await self._contribute(fair)

    def leave(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

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
