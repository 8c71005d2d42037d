"""``banakil bench table``: actions over gRPC beside a bare echo, in the same run and on the same machine.

The table service runs in a process of its own, and so does the shuffle service beside it; the driver plays the tables
from another, with all four seats watching. The echo is a bare ``grpc.aio`` server on the same event loop (uvloop) in a
process of its own, called by the same driver.

The driver has more to do for an action than the servers: it reads four views and thinks of a move. So what is compared
with the echo is how many actions and how many bare calls a core of the server answers in a second, which its processor
time tells; ``per_s`` is what came of both together, on this machine. Over a Relay actions go in batches of as many as
are in flight, as from a busy gateway.
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
from typing import TYPE_CHECKING, Any, Final

import grpc
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from services.allinone.bench_ceremony import CeremonyBench, against_echo
from services.allinone.bench_journal import journal_rates
from services.allinone.bench_parts import action_parts, played_moves
from services.allinone.bench_player import Batches, Calls, Places, Room, TableDriver, Tokens
from services.allinone.bench_processes import Servers, cpu_seconds, ended, table_process
from services.gateway.relay import Relay
from shared.codec.options import write_options
from shared.kit import logging
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
GOAL_RELAY: Final = 1.5
GOAL_CALLS: Final = 0.5
GOAL_P99: Final = 4.0
"""Of the bare echo."""

_ECHO_SERVER: Final = """
import asyncio, grpc, uvloop
async def echo(request, context):
    return request
async def main():
    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(echo, None, None)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", {"Echo": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print("ready 127.0.0.1:%d" % port, flush=True)
    await server.wait_for_termination()
uvloop.run(main())
"""


async def measure(actions: int) -> dict[str, object]:
    """All figures, as JSON values."""
    logging.configure("bench", level="warning")
    async with _process([sys.executable, "-c", _ECHO_SERVER]) as (address, pid):
        took_s: list[float] = []
        echo = await _timed(pid, ECHO_CALLS, lambda: _echo(address, ECHO_CALLS, took_s))
        echo["ms"] = _spread(took_s)
    with tempfile.TemporaryDirectory(prefix="banakil-bench-") as folder:
        async with table_process(Path(folder), PACE) as servers:
            relayed = await _act(servers, Path(folder), actions, relayed=True)
            called = await _act(servers, Path(folder), actions, relayed=False)
        played = await played_moves(Path(folder))
        parts = action_parts(played, Path(folder))
        journal = await journal_rates(played, Path(folder))
    with tempfile.TemporaryDirectory(prefix="banakil-bench-") as folder:
        async with table_process(Path(folder), pace=1.0) as servers:
            ceremony = await _ceremony(servers, Path(folder))
    return {
        "load": {"in_flight": IN_FLIGHT, "tables": TABLES, "watching_seats": 4},
        "echo": echo,
        "act": {"relay": relayed, "calls": called},
        "act_to_echo": {
            "relay": _against(relayed, echo, GOAL_RELAY),
            "calls": _against(called, echo, GOAL_CALLS),
        },
        "ceremony": against_echo(ceremony, echo["server_cpu_us"]),
        "journal": journal,
        "budget_us": parts,
    }


def _against(figures: Mapping[str, Any], echo: Mapping[str, Any], goal: float) -> dict[str, Any]:
    of_a_core = round(echo["server_cpu_us"] / figures["server_cpu_us"], 2)
    p99 = round(figures["ms"]["p99"] / echo["ms"]["p99"], 2)
    return {
        "per_s": round(figures["per_s"] / echo["per_s"], 2),
        "of_a_core": of_a_core,
        "p99": p99,
        "goals": {
            "of_a_core": {"least": goal, "holds": of_a_core >= goal},
            "p99": {"most": GOAL_P99, "holds": p99 <= GOAL_P99},
        },
    }


async def _echo(address: str, calls: int, took_s: list[float]) -> None:
    """Bare calls of an action's size, as many in flight as actions are."""
    request = _request_like().SerializeToString()
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.unary_unary("/bench.Echo/Echo")

        async def worker() -> None:
            for _ in range(calls // IN_FLIGHT):
                began = time.perf_counter()
                await call(request)
                took_s.append(time.perf_counter() - began)

        await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))


def _request_like() -> wire.ActRequest:
    request = wire.ActRequest(table_id=str(uuid.uuid4()), command_id=str(uuid.uuid4()), deal_no=1, turn_no=20)
    request.action.discard.card = "7H"
    return request


async def _act(servers: Servers, data: Path, actions: int, *, relayed: bool) -> dict[str, Any]:
    """Tables played until so many actions were answered, after each has begun.

    ``relayed``: all players over one Relay, as a gateway brings them; else each with calls of its own.
    """
    clock = RealClock()
    address = servers.address
    issuer = _issuer(Role.LOBBY, data, clock)
    async with AsyncExitStack() as stack:
        own = await stack.enter_async_context(Channels(ServiceCredentials(issuer, clock)))
        gateway = ServiceCredentials(_issuer(Role.GATEWAY, data, clock), clock)
        players = await stack.enter_async_context(Channels(gateway if relayed else None))
        channel = players.to(address, Role.TABLE.value)
        relay = Relay(TableServiceStub(channel))
        stack.push_async_callback(relay.close)
        room: Room = Batches(IN_FLIGHT) if relayed else Places(IN_FLIGHT)
        drivers = [
            TableDriver(relay if relayed else Calls(channel), *table, room)
            for table in await _tables(TableServiceStub(own.to(address, Role.TABLE.value)), issuer)
        ]
        running = [asyncio.create_task(driver.run()) for driver in drivers]
        await asyncio.gather(*(driver.begun.wait() for driver in drivers))
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
        seats = [wire.SeatAssignment(account_id=account, display_name=account) for account in tokens]
        await stub.Create(
            wire.CreateRequest(table_id=table_id, options=write_options(options), seats=seats, host_seat=0)
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
