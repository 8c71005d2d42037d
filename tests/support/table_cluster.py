"""Several processes of the table service on one Postgres, as a cluster runs them: to be killed and stopped.

The shuffle service has a process of its own, and there is a real nats-server. The keys are the tests' own, so that
players need no lobby.
"""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.bots.app import BUS_USER as BOTS_USER
from services.table.app import BUS_USER
from shared.codec.facts import FACTS_STREAM
from shared.kit.clients import OPTIONS
from shared.kit.clock import RealClock
from shared.kit.database import open_database
from shared.kit.identity import Role, TokenIssuer
from shared.kit.keys import SigningKey, ensure_keys
from shared.kit.nats_server import BusUser, NatsServer, running_nats_server
from shared.kit.ports import free_port
from shared.kit.private_files import write_private
from shared.kit.sealing import SealingKeys
from tests.support.kit import PATIENCE_S, eventually
from tests.support.postgres import PostgresServer
from tests.support.up import environment

START_S = 60.0
LISTENER = "listener"
"""A user of the bus that takes in facts as any service does."""
ISSUERS = tuple(role.value for role in (Role.TABLE, Role.SHUFFLE, Role.LOBBY, Role.GATEWAY, Role.BOTS, Role.OPERATOR))


class Pod:
    """One process of a service, at an address that stays the same when it is started again."""

    def __init__(self, name: str, settings: Mapping[str, object], log: Path, *, module: str = "") -> None:
        """``module``: to be run in place of the service's own."""
        self.address = f"127.0.0.1:{free_port()}"
        self._name = name
        self._module = module or f"services.{name}"
        self._settings = {"LISTEN": self.address, **settings}
        self._log = log
        self._process: asyncio.subprocess.Process | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def set(self, **settings: object) -> None:
        """From its next start on."""
        self._settings |= settings

    async def start(self) -> None:
        """Returns once it says that it serves."""
        named = {f"BANAKIL_{self._name.upper()}_{key}": f"{value}" for key, value in self._settings.items()}
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", self._module, env={**environment(), **named}, stdout=log, stderr=log
            )
        await eventually(self._serves, START_S)

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def kill(self) -> None:
        """kill -9."""
        await self.end(signal.SIGKILL)

    async def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ends it so, and returns when it is gone."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):  # it has died by itself
                process.send_signal(number)
            async with asyncio.timeout(PATIENCE_S):
                await process.wait()

    def log(self, event: str) -> list[dict[str, Any]]:
        """What it has logged of one kind, in all its lives."""
        lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    async def _serves(self) -> bool:
        assert self._process is not None
        assert self._process.returncode is None, self._log.read_text()[-3_000:]
        async with grpc.aio.insecure_channel(self.address) as channel:
            health = health_pb2_grpc.HealthStub(channel)  # type: ignore[no-untyped-call]  # the stubs have no types
            try:
                answer = await health.Check(health_pb2.HealthCheckRequest(), timeout=1)
            except grpc.aio.AioRpcError:
                return False
            return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


class TableCluster:
    """What a test has of it."""

    def __init__(self, folder: Path, url: str, nats: NatsServer, pace: float) -> None:
        self.folder = folder
        self.url = url
        self.nats = nats
        self._pace = pace
        keys = {"KEYS": folder / "keys", "LOG_LEVEL": "info"}
        self.shuffle = Pod(
            "shuffle", {**keys, "DATABASE_URL": f"sqlite:///{folder / 'shuffle.db'}"}, folder / "shuffle.log"
        )
        self._settings = {
            **keys,
            "DATABASE_URL": url,
            "NATS_URL": nats.url,
            "NATS_PASSWORD_FILE": folder / "table.password",
            "SHUFFLE_ADDRESS": self.shuffle.address,
            "SEALING_KEYS": folder / "keys" / "table-seal",
            "PACE": pace,
            "DRAIN_MS": 5_000,
        }
        self.pods: list[Pod] = []

    def bots(self, name: str, url: str) -> Pod:
        """A process of the bots service with that database; not started yet."""
        settings = {name: self._settings[name] for name in ("KEYS", "LOG_LEVEL", "NATS_URL", "PACE", "DRAIN_MS")} | {
            "DATABASE_URL": url,
            "NATS_PASSWORD_FILE": self.folder / "bots.password",
            "TABLE_ADDRESS": self.address,
        }
        return Pod("bots", settings, self.folder / f"{name}.log")

    async def add(self) -> Pod:
        """One more process."""
        pod = Pod("table", self._settings, self.folder / f"table-{len(self.pods)}.log")
        self.pods.append(pod)
        await pod.start()
        return pod

    async def start_all(self) -> None:
        """Those that are not running."""
        for pod in self.pods:
            if not pod.is_running:
                await pod.start()

    def issuer(self, name: str) -> TokenIssuer:
        return TokenIssuer(name, SigningKey.load(self.folder / "keys" / "private" / f"{name}.jwk"), RealClock())

    @property
    def address(self) -> str:
        """Of whichever process answers, as a cluster's name for all of them leads to."""
        return "ipv4:" + ",".join(pod.address for pod in self.pods)

    def channel(self) -> grpc.aio.Channel:
        """To it."""
        config = json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})
        return grpc.aio.insecure_channel(self.address, (*OPTIONS, ("grpc.service_config", config)))

    async def rows(self, query: str) -> list[Any]:
        """What the tables' database holds."""
        async with open_database(self.url) as database, database.driver() as connection:
            return list(await connection.fetch(query))

    async def owner_of(self, table_id: str) -> Pod:
        """The process that owns a table by its row, be it alive or not."""
        [row] = await self.rows(f"SELECT address FROM tables JOIN pods ON pod_id = owner WHERE table_id = '{table_id}'")
        return next(pod for pod in self.pods if pod.address == row[0])


Cluster = TypeVar("Cluster", bound=TableCluster)


@asynccontextmanager
async def table_cluster(
    folder: Path, postgres: PostgresServer, *, pods: int = 3, pace: float = 1.0
) -> AsyncIterator[TableCluster]:
    """A cluster with so many processes of the table service."""
    async with opened(folder, postgres, TableCluster, pods=pods, pace=pace) as cluster:
        yield cluster


@asynccontextmanager
async def opened(
    folder: Path, postgres: PostgresServer, kind: type[Cluster], *, pods: int, pace: float
) -> AsyncIterator[Cluster]:
    """As ``table_cluster``, of a kind of its own."""
    keys = folder / "keys"
    ensure_keys(keys, ISSUERS)
    SealingKeys.load(keys / "table-seal", may_create=True)
    users = [BUS_USER, BOTS_USER, BusUser(LISTENER, consumes=((FACTS_STREAM.name, LISTENER),))]
    async with running_nats_server(folder / "nats", users, RealClock()) as nats, AsyncExitStack() as stack:
        for user in (BUS_USER, BOTS_USER):
            write_private(folder / f"{user.name}.password", nats.passwords[user.name].encode())
        cluster = kind(folder, postgres.new_database(), nats, pace)
        stack.push_async_callback(_end, cluster)
        await cluster.shuffle.start()
        await cluster.add()  # the first makes the database what it has to be
        await asyncio.gather(*(cluster.add() for _ in range(pods - 1)))
        yield cluster


async def _end(cluster: TableCluster) -> None:
    for pod in (*cluster.pods, cluster.shuffle):
        if pod.is_running:
            with suppress(ProcessLookupError):
                pod.send(signal.SIGCONT)
            await pod.end()
