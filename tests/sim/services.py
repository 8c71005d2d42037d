"""The services in processes of the world, wired as their `app.py` wires them."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, Final, NamedTuple

from banakil.shuffle.v1 import relay_pb2
from banakil.shuffle.v1.relay_pb2_grpc import RelayServiceStub
from banakil.table.v1 import admin_pb2, contributing_pb2, peers_pb2, records_pb2, seating_pb2, wishes_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import DecodeError
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from services.shuffle.ceremonies import Ceremonies
from services.shuffle.custody import Custody
from services.shuffle.relay import RelayServicer
from services.shuffle.signing_keys import SigningKeys
from services.shuffle.store import Store
from services.table.admin import AdminServicer
from services.table.asking import Asking
from services.table.forwarding import Forwarding
from services.table.journal import JournalError
from services.table.ownership import Ownership
from services.table.peers import PeerServicer, waking
from services.table.player_calls import PlayerCalls
from services.table.pod_ownership import PodOwnership
from services.table.refusals import from_journal, from_rules
from services.table.relay import Relay
from services.table.servicer import TableServicer
from services.table.shuffle_asking import ShuffleAsker
from services.table.shuffle_line import ShuffleLine
from services.table.sqlite_journal import open_journal
from services.table.stake_asking import StakeAsker
from services.table.tables import Tables
from services.wallet.days import Days
from services.wallet.facts import CONSUMER, FactHandler
from services.wallet.grants import Grants, GrantSizes
from services.wallet.ledger import Ledger
from services.wallet.rating_store import Ratings
from services.wallet.statistics import Statistics
from services.wallet.store import Results
from shared.codec.errors import MalformedError
from shared.codec.facts import FACTS_STREAM
from shared.codec.translations import _translated as from_codec
from shared.kit.audit import Audit
from shared.kit.clock import Clock, Pace
from shared.kit.database_clock import DatabaseClock
from shared.kit.database_faults import _translated as from_database
from shared.kit.identity import Role
from shared.kit.inbox import AfterCommit, Fact, InboxConsumer
from shared.kit.metrics import Metrics
from shared.kit.outbox import Outbox
from shared.kit.pod_lease import LeaseLostError, PodLease
from shared.kit.sealing import SealingKeys
from shared.kit.status import INTERNAL, ApiError, InternalError
from shared.kit.tasks import keep_running, spawn
from shared.kit.transactions import open_transactions
from shared.rules.refusal import RefusedError
from tests.sim.bus import Nats
from tests.sim.channels import WorldChannels
from tests.sim.checks import Checks
from tests.sim.disk import database_of
from tests.sim.loop import Process
from tests.sim.mirror import TABLE_SEAL
from tests.sim.network import Network
from tests.sim.pods import Sessions, SharedRows, WorldDatabase, WorldPodRows
from tests.sim.world import World
from tests.support.fair_deals import drawn
from tests.support.purses import idle_settling

MOST_SKEW_MS: Final = 60_000
"""How far a machine's clock may be off where several share a database, which tells the time."""
SHUFFLE_SEAL: Final = SealingKeys([drawn("shuffle", "seal", 32)])
SIGNING: Final = SigningKeys([Ed25519PrivateKey.from_private_bytes(drawn("shuffle", "sign", 32))])
METRICS: Final = Metrics()
GRANTS: Final = GrantSizes(welcome=1_000, daily=100, daily_step=20, daily_most=300, free_win=20, free_wins_a_day=5)
_TABLE_REQUESTS: Final[Mapping[str, Any]] = {
    "Create": seating_pb2.CreateRequest,
    "Act": wire.ActRequest,
    "Ask": wishes_pb2.AskRequest,
    "Contribute": contributing_pb2.ContributeRequest,
    "Watch": wire.WatchRequest,
    "GetView": wire.GetViewRequest,
    "GetRecord": records_pb2.GetRecordRequest,
    "TakeSeat": seating_pb2.TakeSeatRequest,
}
_ADMIN_REQUESTS: Final[Mapping[str, Any]] = {
    "Freeze": admin_pb2.FreezeRequest,
    "Unfreeze": admin_pb2.UnfreezeRequest,
    "Abort": admin_pb2.AbortRequest,
}


class Surroundings(NamedTuple):
    """What every process has around it."""

    world: World
    network: Network
    nats: Nats


class Servicer:
    """Has a servicer answer what the network brings, as the guard does."""

    def __init__(self, process: Process, servicer: Any, requests: Mapping[str, Any]) -> None:
        """``requests``: the message of each method that there is."""
        self.process = process
        self.servicer = servicer
        self._requests = requests

    async def answer(self, method: str, request: bytes) -> bytes:
        """See `Server`."""
        try:
            answer = await getattr(self.servicer, method)(self._read(method, request), None)
        except Exception as fault:
            raise self.typed_error(fault) from fault
        return bytes(answer.SerializeToString(deterministic=True))

    async def stream(self, method: str, requests: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        """See `Server`."""

        async def read() -> AsyncIterator[Any]:
            async for request in requests:
                yield self._read(method, request)

        read_all = read()
        try:
            asked = read_all if method == "Relay" else await anext(read_all)
            async with aclosing(getattr(self.servicer, method)(asked, None)) as updates:
                async for update in updates:
                    yield update if isinstance(update, bytes) else update.SerializeToString(deterministic=True)
        except Exception as fault:
            raise self.typed_error(fault) from fault

    def typed_error(self, fault: Exception) -> ApiError:
        """The typed error that a fault becomes."""
        if isinstance(fault, ApiError):
            return fault
        for kind, translate in _TRANSLATIONS.items():
            if isinstance(fault, kind):
                return translate(fault)
        self.process.world.fail(f"{self.process.name} answers INTERNAL: {fault!r}")
        return InternalError(INTERNAL)

    def _read(self, method: str, request: bytes) -> Any:
        try:
            return self._requests[method].FromString(request)
        except DecodeError:
            raise MalformedError("not a message") from None


_TRANSLATIONS: Final[Mapping[type[Exception], Callable[[Any], ApiError]]] = {
    RefusedError: from_rules,
    JournalError: from_journal,
    MalformedError: from_codec,
    DBAPIError: from_database,
    sqlite3.Error: from_database,
    ConnectionError: from_database,
    TimeoutError: from_database,
}


class CheckedCalls(PlayerCalls):
    """Has each answer to a move checked as it is given."""

    def __init__(self, tables: Tables, clock: Clock, checks: Checks, server: Servicer) -> None:
        super().__init__(tables, clock)
        self._checks = checks
        self._server = server

    async def act(self, account: str, request: wire.ActRequest) -> wire.ActResponse:
        """See `PlayerCalls`."""
        try:
            answer = await super().act(account, request)
        except Exception as fault:
            if not self._server.process.dead:
                self._checks.acted(account, request, self._server.typed_error(fault))
            raise
        if not self._server.process.dead:
            self._checks.acted(account, request, answer.revision)
        return answer


class TableProcess(Process):
    """A process of the table service: the only one, or one of several."""

    def __init__(
        self, around: Surroundings, checks: Checks, name: str, *, lives: int | None, sessions: Sessions | None
    ) -> None:
        super().__init__(around.world, name, lives=lives)
        self.sessions = sessions
        self._around = around
        self._checks = checks
        self._stops = asyncio.Event()
        self.on_death[self] = self.stands_still
        if sessions is not None:
            self.clock.skew_ms = around.world.rng(f"clock of {name}").randrange(-MOST_SKEW_MS, MOST_SKEW_MS)
        self.start(self._run())

    def stop(self) -> None:
        """Tell it to end, as a signal does."""
        self._stops.set()

    def stands_still(self) -> None:
        """Nobody keeps the clocks of its tables from now on."""
        for table in self.tables.all() if self.tables is not None else ():
            self._checks.stands_still(self.name, table.state.table_id)

    async def _run(self) -> None:
        try:
            await self._serve()
        except (JournalError, LeaseLostError):
            self.world.note("cannot start", self.name)  # and whoever runs it starts it again
        self.world.kill(self)

    async def _serve(self) -> None:
        network, path = self._around.network, self.world.folder / "table.db"
        database, bus = database_of(path), self._around.nats.client(self)
        channels: Any = WorldChannels(network, self, Role.TABLE)
        clock, ownership = self._ownership(path, channels)
        outbox = Outbox(database, bus, clock, METRICS)  # type: ignore[arg-type]  # the world's bus
        async with (
            open_journal(path, TABLE_SEAL, outbox.wake) as journal,
            ShuffleLine(RelayServiceStub(channels.to("shuffle", "shuffle")), clock) as line,
        ):
            wallet = WalletServiceStub(channels.to("wallet", "wallet"))
            asker = Asking(ShuffleAsker(line), StakeAsker(wallet), clock)
            tables = self.tables = Tables(journal, clock, Pace(), asker.ask, outbox.has_room, ownership)
            forwarding = Forwarding(channels, tables.ownership)
            server = Servicer(self, TableServicer(tables, journal, clock, forwarding, _no_relay), _TABLE_REQUESTS)
            server.servicer._play = CheckedCalls(tables, clock, self._checks, server)
            admins = AdminServicer(tables, database, clock, forwarding, Audit(database, clock, server.typed_error))
            admin = dict.fromkeys(_ADMIN_REQUESTS, Servicer(self, admins, _ADMIN_REQUESTS))
            peers = Servicer(self, PeerServicer(tables.ownership), {"Wake": peers_pb2.WakeRequest})
            anybody = Together(server, admin)
            await tables.resume_all()
            background = [
                spawn(keep_running("outbox", outbox.run, clock), "outbox"),
                spawn(keep_running("beat", tables.beat, clock), "beat"),
            ]
            network.serve("table", anybody)
            network.serve(self.name, Together(server, {**admin, "Wake": peers}))
            await self._stops.wait()
            network.leave("table", anybody)
            await tables.stop()
            for task in background:
                task.cancel()

    def _ownership(self, path: Path, channels: Any) -> tuple[Clock, Ownership | None]:
        if self.sessions is None:
            return self.clock, None
        rows, clock = SharedRows(self, self.sessions, path), DatabaseClock(self.clock)
        lease = PodLease(WorldDatabase(rows), clock, self.name)  # type: ignore[arg-type]  # the world's sessions
        return clock, PodOwnership(WorldPodRows(rows), lease, clock, waking(channels))  # type: ignore[arg-type]  # and rows


class Together:
    """The services of a table's process under one address."""

    def __init__(self, tables: Servicer, others: Mapping[str, Servicer]) -> None:
        """``others``: who answers a method that the tables' does not."""
        self.process = tables.process
        self.stream = tables.stream
        self._tables = tables
        self._others = others

    async def answer(self, method: str, request: bytes) -> bytes:
        """See `Server`."""
        return await self._others.get(method, self._tables).answer(method, request)


class ShuffleProcess(Process):
    """A process of the shuffle service."""

    def __init__(self, around: Surroundings, name: str, *, lives: int | None) -> None:
        super().__init__(around.world, name, lives=lives)
        self._around = around
        self._rng = around.world.rng(f"secrets of {name}")
        self.start(self._run())

    async def _run(self) -> None:
        async with open_transactions(database_of(self.world.folder / "shuffle.db")) as transactions:
            store, custody = Store(transactions), Custody(SHUFFLE_SEAL, SIGNING, self._rng.randbytes)
            server = Servicer(self, None, {"Relay": relay_pb2.RelayRequest})
            server.servicer = RelayServicer(Ceremonies(store, custody, self.clock), server.typed_error)
            self._around.network.serve("shuffle", server)
            await asyncio.Event().wait()


class WalletProcess(Process):
    """A process of the wallet service. In each fact's transaction it also notes that its work was done."""

    def __init__(self, around: Surroundings, name: str, *, lives: int | None) -> None:
        super().__init__(around.world, name, lives=lives)
        self._around = around
        self.start(self._run())

    async def _run(self) -> None:
        database, bus = database_of(self.world.folder / "wallet.db"), self._around.nats.client(self)
        ledger = Ledger(database, self.clock)
        grants, settling = Grants(ledger, self.clock, Days(180), GRANTS), idle_settling(database, ledger, self.clock)
        handler = FactHandler(Results(database), Statistics(database), Ratings(database), grants, settling)

        async def take_in(connection: AsyncConnection, fact: Fact) -> AfterCommit | None:
            await connection.execute(text("INSERT INTO effects VALUES (:id)"), {"id": fact.message_id})
            return await handler.take_in(connection, fact)

        inbox = InboxConsumer(
            database, bus, self.clock, METRICS, stream=FACTS_STREAM, name=CONSUMER, handler=take_in  # type: ignore[arg-type]  # the world's bus
        )  # fmt: skip
        await keep_running("inbox", inbox.run, self.clock)


def _no_relay(_: object) -> Relay:
    raise LookupError("nobody opens a relay here")
