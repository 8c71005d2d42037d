"""The table service as it runs in a cluster: in a process of its own, the shuffle service in another, and NATS."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.table.app import BUS_USER
from shared.kit.clock import RealClock
from shared.kit.identity import Role
from shared.kit.keys import ensure_keys
from shared.kit.nats_server import running_nats_server
from shared.kit.ports import free_port
from shared.kit.private_files import write_private

START_TIMEOUT_S: Final = 30
POLL_MS: Final = 50


class Servers(NamedTuple):
    """Where the table service is, and the processes of both."""

    address: str
    table_pid: int
    shuffle_pid: int

    def cpu_seconds(self) -> float:
        """The processor time that both have taken."""
        return cpu_seconds(self.table_pid) + cpu_seconds(self.shuffle_pid)


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def table_process(data: Path, pace: float) -> AsyncIterator[Servers]:
    """Both services, as they serve."""
    clock = RealClock()
    keys = data / "keys"
    ensure_keys(keys, [role.value for role in (Role.TABLE, Role.SHUFFLE, Role.LOBBY, Role.GATEWAY)])
    async with running_nats_server(data / "nats", [BUS_USER], clock) as nats:
        password = data / "table.password"
        write_private(password, nats.passwords[BUS_USER.name].encode())
        shuffle = {"KEYS": keys, "DATABASE_URL": f"sqlite:///{data / 'shuffle.db'}"}
        async with _service("shuffle", shuffle) as (shuffle_address, shuffle_pid):
            table = {
                "KEYS": keys,
                "DATABASE_URL": f"sqlite:///{data / 'table.db'}",
                "NATS_URL": nats.url,
                "NATS_PASSWORD_FILE": password,
                "SHUFFLE_ADDRESS": shuffle_address,
                "SEALING_KEYS": keys / "table-seal",
                "PACE": pace,
            }
            async with _service("table", table) as (address, table_pid):
                yield Servers(address, table_pid, shuffle_pid)


@asynccontextmanager
async def _service(name: str, settings: Mapping[str, object]) -> AsyncIterator[tuple[str, int]]:
    address = f"127.0.0.1:{free_port()}"
    given = {"LISTEN": address, "LOG_LEVEL": "warning", **settings}
    named = {f"BANAKIL_{name.upper()}_{key}": f"{value}" for key, value in given.items()}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", f"services.{name}", env={**os.environ, **named}, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            await _ready(address, process)
        yield address, process.pid
    finally:
        await ended(process)


async def _ready(address: str, process: asyncio.subprocess.Process) -> None:
    """Returns once the service says that it serves. Raises ``RuntimeError`` where it ends instead."""
    clock = RealClock()
    async with grpc.aio.insecure_channel(address) as channel:
        health = health_pb2_grpc.HealthStub(channel)  # type: ignore[no-untyped-call]  # the stubs have no types
        while process.returncode is None:
            try:
                answer = await health.Check(health_pb2.HealthCheckRequest(), timeout=1, wait_for_ready=True)
            except grpc.aio.AioRpcError:
                pass
            else:
                if answer.status == health_pb2.HealthCheckResponse.SERVING:
                    return
            await clock.sleep_ms(POLL_MS)
    raise RuntimeError("the service ended before it served")


async def ended(process: asyncio.subprocess.Process) -> None:
    """End a process, and wait for that."""
    if process.returncode is None:
        process.terminate()
    await process.wait()
