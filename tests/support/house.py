"""A real table service with house bots: nats-server, shuffle, table and bots, and persons who come to play."""

import asyncio
import os
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
from banakil.events.v1.facts_pb2 import Fact
from banakil.table.v1 import records_pb2, seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub
from nats.aio.msg import Msg

from services.bots import app as bots
from services.bots.policies.greedy import Greedy
from services.bots.settings import BotsSettings
from services.bots.sight import Sight
from services.shuffle import app as shuffle
from services.shuffle.settings import ShuffleSettings
from services.table import app as table
from services.table.settings import TableSettings
from shared.codec.actions import write_action
from shared.codec.facts import read_fact
from shared.codec.options import write_options
from shared.kit.app import App
from shared.kit.bus import open_bus
from shared.kit.clients import bearer
from shared.kit.clock import RealClock
from shared.kit.identity import SERVICES, TokenIssuer, TokenVerifier
from shared.kit.keys import SigningKey, ensure_keys
from shared.kit.nats_server import BusUser, NatsServer, running_nats_server
from shared.rules.options import Options
from tests.support.kit import PATIENCE_S

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

WATCHER = BusUser("watcher", hears=("banakil.facts.>",))


@dataclass
class House:
    """The services of one test, with their data in one folder. ``pace`` divides all waits."""

    data: Path
    nats: NatsServer
    pace: float = 100.0
    address: str = ""
    facts: list[Fact] = field(default_factory=list)
    told: asyncio.Condition = field(default_factory=asyncio.Condition)
    clock: RealClock = field(default_factory=RealClock)

    def settings(self, name: str) -> dict[str, Any]:
        password = self.data / f"{name}.password"
        password.write_text(self.nats.passwords.get(name, ""))
        return {
            "database_url": f"sqlite:///{self.data}/{name}.db",
            "nats_url": self.nats.url,
            "nats_password_file": password,
            "keys": self.data / "keys",
            "pace": self.pace,
        }

    @asynccontextmanager
    async def tables(self) -> AsyncIterator[App]:
        """Shuffle and table in one app; on the same port when it is started again."""
        app = self._app(self.address or "127.0.0.1:0", "table", "shuffle")
        self.address = app.address
        sealing = self.data / "keys" / "table-seal"
        table_settings = TableSettings(**self.settings("table"), shuffle_address=app.address, sealing_keys=sealing)
        shuffle_settings = ShuffleSettings(**self.settings("shuffle"))
        async with app.serving(
            lambda app: shuffle.bind(app, shuffle_settings), lambda app: table.bind(app, table_settings)
        ):
            yield app

    @asynccontextmanager
    async def bots(self, **more: Any) -> AsyncIterator[App]:
        """The bots service in an app of its own."""
        settings = BotsSettings(**self.settings("bots"), table_address=self.address, **more)
        async with self._app("127.0.0.1:0", "bots").serving(lambda app: bots.bind(app, settings)) as app:
            yield app

    async def bots_process(self, **more: Any) -> asyncio.subprocess.Process:
        """The bots service as a process of its own, to be killed."""
        settings = {**self.settings("bots"), "table_address": self.address, **more}
        environment = {f"BANAKIL_BOTS_{name.upper()}": str(value) for name, value in settings.items()}
        log = (self.data / "bots.log").open("ab")
        with log:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "services.bots",
                env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(sys.path)},
                stdout=log,
                stderr=log,
            )

    async def create(self, options: Options, *accounts: str, level: int = 0) -> str:
        """A new table: these accounts in its first seats, the others vacant, for bots of that level."""
        table_id = str(uuid.uuid4())
        seats = [seating_pb2.SeatAssignment(account_id=account, display_name=account) for account in accounts]
        seats += [seating_pb2.SeatAssignment()] * (options.seats - len(accounts))
        request = seating_pb2.CreateRequest(
            table_id=table_id, options=write_options(options), seats=seats, bot_level=level
        )
        token = self._issuer("lobby").for_service("table").text
        async with self._stub() as stub:
            await stub.Create(request, metadata=bearer(token))
        return table_id

    async def record(self, match_id: str) -> str:
        """The whole record of a match, once every secret in it is revealed."""
        async with self._stub() as stub:
            while True:
                request = records_pb2.GetRecordRequest(match_id=match_id)
                answer = await stub.GetRecord(request, metadata=bearer(self.token("reader")))
                if answer.complete:
                    return str(answer.record_json)
                await self.clock.sleep_ms(150)

    def token(self, account: str) -> str:
        return self._issuer("lobby").for_account(account).text

    async def fact(self, kind: str, table_id: str) -> Fact:
        """The first fact of a kind about a table, once it is told."""
        async with asyncio.timeout(PATIENCE_S), self.told:
            while True:
                for fact in self.facts:
                    if fact.WhichOneof("fact") == kind and fact.table_id == table_id:
                        return fact
                await self.told.wait()

    def person(self, table_id: str, account: str) -> AbstractAsyncContextManager["Person"]:
        """A person at the table."""
        return self._seated(table_id, self.token(account))

    def house_bot(self, table_id: str, account: str) -> AbstractAsyncContextManager["Person"]:
        """Another process of the bots service, as one of its house accounts."""
        return self._seated(table_id, self._issuer("bots").for_service("table", account=account).text)

    @asynccontextmanager
    async def _seated(self, table_id: str, token: str) -> AsyncIterator["Person"]:
        async with self._stub() as stub:
            person = Person(stub, table_id, bearer(token))
            try:
                yield person
            finally:
                person.leave()

    async def hear(self, message: Msg) -> None:
        async with self.told:
            self.facts.append(read_fact(message.data))
            self.told.notify_all()

    @asynccontextmanager
    async def _stub(self) -> AsyncIterator["TableServiceAsyncStub"]:
        async with grpc.aio.insecure_channel(self.address) as channel:
            yield TableServiceStub(channel)

    def _issuer(self, name: str) -> TokenIssuer:
        return TokenIssuer(name, SigningKey.load(self.data / "keys" / "private" / f"{name}.jwk"), self.clock)

    def _app(self, listen: str, *services: str) -> App:
        verifier = TokenVerifier.from_directory(self.clock, self.data / "keys" / "public", services)
        return App(verifier=verifier, clock=self.clock, listen=listen, drain_ms=3_000)


class Person:
    """A person who plays as a greedy bot does, one update after another."""

    def __init__(self, stub: "TableServiceAsyncStub", table_id: str, metadata: Any) -> None:
        self.sight = Sight()
        self.acted: list[tuple[int, int]] = []
        self.heard: list[str] = []
        """The phrases that were said."""
        self._stub = stub
        self._table_id = table_id
        self._metadata = metadata
        self._call: Any = None
        self._updates: Any = None

    async def see(self) -> Sight:
        """Take in one more update; a stream that breaks is watched anew."""
        while True:
            if self._updates is None:
                request = wire.WatchRequest(table_id=self._table_id, last_revision=self.sight.revision)
                self._call = self._stub.Watch(request, metadata=self._metadata, wait_for_ready=True)
                self._updates = aiter(self._call)
            try:
                update = await anext(self._updates)
                self.sight.take_in(update)
                self.heard += [update.said.phrase_id] if update.HasField("said") else []
            except grpc.aio.AioRpcError as fault:
                if fault.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                self._updates = None
            else:
                return self.sight

    async def play(self, until: Callable[[Sight], bool]) -> None:
        """Play on until what is seen is as wanted, or the table is closed."""
        async with asyncio.timeout(PATIENCE_S):
            while not until(await self.see()) and not self.sight.closed:
                deal = self.sight.deal
                if deal is not None and deal.end is None and deal.turn == deal.viewer and deal.stock_size:
                    await self._act()

    async def _act(self) -> None:
        deal = self.sight.deal
        assert deal is not None
        request = wire.ActRequest(
            table_id=self._table_id,
            command_id=str(uuid.uuid4()),
            deal_no=self.sight.deal_no,
            turn_no=deal.turn_no,
            action=write_action(Greedy().choose(deal)),
        )
        self.acted.append((self.sight.deal_no, deal.turn_no))
        with suppress(grpc.aio.AioRpcError):  # the clock may have been quicker
            await self._stub.Act(request, metadata=self._metadata, wait_for_ready=True)

    def leave(self) -> None:
        if self._call is not None:
            self._call.cancel()


@asynccontextmanager
async def open_house(data: Path, pace: float = 100.0) -> AsyncIterator[House]:
    """Keys, a nats-server, and an ear for facts; the services are started by the test."""
    ensure_keys(data / "keys", [*sorted(service.value for service in SERVICES), "operator"])
    users = [table.BUS_USER, bots.BUS_USER, WATCHER]
    async with running_nats_server(data / "nats", users, RealClock()) as nats:
        house = House(data, nats, pace)
        password = nats.passwords[WATCHER.name]
        async with open_bus(nats.url, name=WATCHER.name, password=password) as bus:
            await bus.listen("banakil.facts.>", house.hear)
            yield house
