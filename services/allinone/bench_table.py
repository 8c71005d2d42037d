"""``banakil bench table``: actions over gRPC beside a bare echo, in the same run and on the same machine.

The table service runs in a process of its own, and so does the shuffle service beside it; the driver plays the tables
from another, with all four seats watching, and calls the echo too.

The driver has more to do for an action than the servers: it reads four views and thinks of a move. So what is compared
with the echo is how many actions and how many bare calls a core of the server answers in a second, which its processor
time tells; ``per_s`` is what came of both together, on this machine. Actions go as many at a time as echoes are in
flight: a driver that thinks before each would have the servers wake up for one alone.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import grpc
from banakil.table.v1 import seating_pb2
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from services.allinone.bench_ceremony import CeremonyBench, against_echo
from services.allinone.bench_echo import SERVER as ECHO_SERVER
from services.allinone.bench_echo import FedEcho, echoed
from services.allinone.bench_journal import journal_rates
from services.allinone.bench_parts import action_parts, played_moves
from services.allinone.bench_player import Batches, Calls, TableDriver, Tokens, WatchedApart
from services.allinone.bench_processes import Servers, cpu_seconds, ended, table_process
from services.gateway.relay import Relay
from shared.codec.options import write_options
from shared.kit import logging
from shared.kit.app import settle_memory
from shared.kit.clients import Channels
from shared.kit.clock import RealClock
from shared.kit.identity import Role, ServiceCredentials, TokenIssuer
from shared.kit.keys import SigningKey
from shared.rules.options import make_options

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

IN_FLIGHT: Final = 50
TABLES: Final = 120
"""More than are in flight: a table waits for its own updates between two actions."""
ECHO_CALLS: Final = 8_000
PACE: Final = 20.0
"""Keeps result screens short; a turn still has 15 s."""
GOAL_P99: Final = 4.0
"""Of the bare echo's."""


class Way(NamedTuple):
    """How players watch and act: over one Relay, as a gateway brings them, or each with calls of its own."""

    watches_relayed: bool
    acts_relayed: bool
    goal: float
    """Actions of a core, of the bare echo's calls."""


WAYS: Final = {
    "relay": Way(watches_relayed=True, acts_relayed=True, goal=1.5),
    "calls_watched_over_relay": Way(watches_relayed=True, acts_relayed=False, goal=0.5),
    "calls": Way(watches_relayed=False, acts_relayed=False, goal=0.5),
}
"""In the second, actions are calls as a bot makes them at a table whose people watch through the gateway. In the last,
all four watch with a stream each."""


async def measure(actions: int) -> dict[str, object]:
    """All figures, as JSON values."""
    logging.configure("bench", level="warning")
    async with _process([sys.executable, "-c", ECHO_SERVER]) as (address, pid):
        echo, fed_echo = await _echoes(address, pid)
    with tempfile.TemporaryDirectory(prefix="banakil-bench-") as folder:
        async with table_process(Path(folder), PACE) as servers:
            acts = {name: await _act(servers, Path(folder), actions, way) for name, way in WAYS.items()}
        played = await played_moves(Path(folder))
        parts = action_parts(played, Path(folder))
        journal = await journal_rates(played, Path(folder))
    with tempfile.TemporaryDirectory(prefix="banakil-bench-") as folder:
        async with table_process(Path(folder), pace=1.0) as servers:
            ceremony = await _ceremony(servers, Path(folder))
    return {
        "load": {"in_flight": IN_FLIGHT, "tables": TABLES, "watching_seats": 4},
        "echo": echo,
        "echo_feeding_four_streams": fed_echo,
        "act": acts,
        "act_to_echo": {name: _against(figures, echo, WAYS[name].goal) for name, figures in acts.items()},
        "ceremony": against_echo(ceremony, echo["server_cpu_us"]),
        "journal": journal,
        "budget_us": parts,
    }


def _compared(figures: Mapping[str, Any], echo: Mapping[str, Any]) -> dict[str, float]:
    return {
        "rate_to_echo": round(figures["per_s"] / echo["per_s"], 2),
        "of_a_core_to_echo": round(echo["server_cpu_us"] / figures["server_cpu_us"], 2),
        "p99_to_echo": round(figures["ms"]["p99"] / echo["ms"]["p99"], 2),
    }


def _against(figures: Mapping[str, Any], echo: Mapping[str, Any], goal: float) -> dict[str, Any]:
    compared = _compared(figures, echo)
    goals = {
        "of_a_core_to_echo": {"least": goal, "holds": compared["of_a_core_to_echo"] >= goal},
        "p99_to_echo": {"most": GOAL_P99, "holds": compared["p99_to_echo"] <= GOAL_P99},
    }
    return {**compared, "goals": goals}


async def _echoes(address: str, pid: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The bare echo, and the one that feeds four streams."""
    took_s: list[float] = []
    echo = await _timed(pid, ECHO_CALLS, lambda: echoed(address, ECHO_CALLS, IN_FLIGHT, took_s))
    echo["ms"] = _spread(took_s)
    fed_s: list[float] = []
    async with grpc.aio.insecure_channel(address) as channel:
        feeding = FedEcho(channel, IN_FLIGHT)
        await feeding.open()
        fed = await _timed(pid, ECHO_CALLS // 2, lambda: feeding.call(ECHO_CALLS // 2, fed_s))
        feeding.close()
    fed["ms"] = _spread(fed_s)
    return echo, {**fed, **_compared(fed, echo)}


async def _act(servers: Servers, data: Path, actions: int, way: Way) -> dict[str, Any]:
    """Tables played until so many actions were answered, after each has begun."""
    clock = RealClock()
    address = servers.address
    issuer = _issuer(Role.LOBBY, data, clock)
    async with AsyncExitStack() as stack:
        own = await stack.enter_async_context(Channels(ServiceCredentials(issuer, clock)))
        gateway = ServiceCredentials(_issuer(Role.GATEWAY, data, clock), clock)
        gateways = await stack.enter_async_context(Channels(gateway))
        players = await stack.enter_async_context(Channels(None))
        relay = Relay(TableServiceStub(gateways.to(address, Role.TABLE.value)))
        stack.push_async_callback(relay.close)
        calls = Calls(players.to(address, Role.TABLE.value))
        line = WatchedApart(
            watches=relay if way.watches_relayed else calls,
            acts=relay if way.acts_relayed else calls,
        )
        room = Batches(IN_FLIGHT)
        drivers = [
            TableDriver(line, *table, room)
            for table in await _tables(TableServiceStub(own.to(address, Role.TABLE.value)), issuer)
        ]
        running = [asyncio.create_task(driver.run()) for driver in drivers]
        await asyncio.gather(*(driver.begun.wait() for driver in drivers))
        # The driver's collector would stop it for longer than most answers take, and that be counted as theirs.
        settle_memory()
        for driver in drivers:
            driver.verbs.clear()
            driver.refused.clear()
            driver.took_s.clear()

        async def until_done() -> None:
            while sum(driver.verbs.total() for driver in drivers) < actions:
                await clock.sleep_ms(20)

        figures = await _timed(servers.table_pid, actions, until_done)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    verbs = sum((driver.verbs for driver in drivers), start=Counter())
    refused = sum((driver.refused for driver in drivers), start=Counter())
    took_s = [took for driver in drivers for took in driver.took_s]
    return {**figures, "ms": _spread(took_s), "verbs": dict(verbs), "refused": dict(refused)}


async def _ceremony(servers: Servers, data: Path) -> dict[str, Any]:
    """What a ceremony of four people costs."""
    clock = RealClock()
    issuer = _issuer(Role.LOBBY, data, clock)
    gateway = ServiceCredentials(_issuer(Role.GATEWAY, data, clock), clock)
    async with (
        Channels(ServiceCredentials(issuer, clock)) as own,
        Channels(gateway) as players,
    ):
        relay = Relay(TableServiceStub(players.to(servers.address, Role.TABLE.value)))
        try:
            lobby = TableServiceStub(own.to(servers.address, Role.TABLE.value))
            return await CeremonyBench(servers, lobby, relay, issuer, clock).measure()
        finally:
            await relay.close()


async def _tables(stub: "TableServiceAsyncStub", issuer: TokenIssuer) -> list[tuple[str, Tokens]]:
    """Fresh tables of both presets, with their players."""
    made: list[tuple[str, Tokens]] = []
    for number in range(TABLES):
        options = make_options({"preset": ("sahrat", "banakil202")[number % 2], "turn_seconds": 300})
        table_id = str(uuid.uuid4())
        tokens: Tokens = {f"{table_id[:18]}-{seat}": issuer.for_account for seat in range(options.seats)}
        seats = [seating_pb2.SeatAssignment(account_id=account, display_name=account) for account in tokens]
        await stub.Create(
            seating_pb2.CreateRequest(table_id=table_id, options=write_options(options), seats=seats, host_seat=0)
        )
        made.append((table_id, tokens))
    return made


def _issuer(role: Role, data: Path, clock: RealClock) -> TokenIssuer:
    return TokenIssuer(role.value, SigningKey.load(data / "keys" / "private" / f"{role.value}.jwk"), clock)


def _spread(took_s: list[float]) -> dict[str, float]:
    """Milliseconds from asking to the answer, as the driver has them."""
    ordered = sorted(took_s)
    return {name: round(ordered[int(len(ordered) * share)] * 1e3, 2) for name, share in (("p50", 0.5), ("p99", 0.99))}


async def _timed(pid: int, calls: int, work: Callable[[], Awaitable[None]]) -> dict[str, Any]:
    """Calls a second, and the server's processor time for each."""
    cpu_before, began = cpu_seconds(pid), time.perf_counter()
    await work()
    took, cpu = time.perf_counter() - began, cpu_seconds(pid) - cpu_before
    return {"calls": calls, "per_s": round(calls / took, 1), "server_cpu_us": round(cpu / calls * 1e6, 1)}


@asynccontextmanager
async def _process(command: list[str]) -> AsyncIterator[tuple[str, int]]:
    """A server process that prints ``ready ADDRESS``; its address and process id."""
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            line = (await process.stdout.readline()).decode().split()
        if line[:1] != ["ready"]:
            raise RuntimeError(f"the server did not start: {command[:4]}")
        yield line[1], process.pid
    finally:
        await ended(process)
