"""A gateway over real services, and browsers without a screen: what a page does with its socket, and no more."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from banakil.table.v1.table_pb2 import WatchResponse
from google.protobuf.json_format import MessageToDict, ParseDict
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from services.bots import app as bots
from services.bots.policies.greedy import Greedy
from services.bots.sight import Sight
from services.gateway import app as gateway
from services.gateway.settings import GatewaySettings
from services.lobby import app as lobby
from services.lobby.settings import LobbySettings
from services.shuffle import app as shuffle
from services.shuffle.settings import ShuffleSettings
from services.table import app as table
from services.table.settings import TableSettings
from services.wallet import app as wallet
from services.wallet.settings import WalletSettings
from shared.codec.actions import write_action
from shared.kit.app import App
from shared.kit.clock import Clock, RealClock
from shared.kit.identity import SERVICES, TokenVerifier
from shared.kit.keys import ensure_keys
from shared.kit.nats_server import running_nats_server
from shared.rules.actions import SeatAction
from shared.rules.views import View, seat_state
from tests.support.house import House
from tests.support.kit import PATIENCE_S
from tests.support.table_peer import TablePeer

PACE = 100.0
"""Turns of the longest kind then last 3 s, and results 0.1 s."""


class World(House):
    """The services, each to be started by the test; the gateway's address once there is one."""

    web = ""

    @asynccontextmanager
    async def lobby(self, **more: Any) -> AsyncIterator[App]:
        """The lobby, on a port of its own."""
        more = {"password_log2_n": 10, **more}
        settings = LobbySettings(**self.settings("lobby"), table_address=self.address, **more)
        async with self._app("127.0.0.1:0", "lobby").serving(lambda app: lobby.bind(app, settings)) as app:
            yield app

    @asynccontextmanager
    async def wallet(self, **more: Any) -> AsyncIterator[App]:
        """The wallet service, on a port of its own."""
        settings = WalletSettings(**self.settings("wallet"), **more)
        async with self._app("127.0.0.1:0", "wallet").serving(lambda app: wallet.bind(app, settings)) as app:
            yield app

    @asynccontextmanager
    async def gateway(
        self, lobby_address: str = "127.0.0.1:1", *, clock: Clock | None = None, **more: Any
    ) -> AsyncIterator[App]:
        """The gateway in an app of its own, its HTTP port taken anew each time."""
        given = {"http_listen": "127.0.0.1:0", "page": self.data / "no page", "wallet_address": "127.0.0.1:1", **more}
        settings = GatewaySettings(
            **self.settings("gateway"),
            lobby_address=lobby_address,
            table_address=self.address or "127.0.0.1:1",
            shuffle_address=self.address or "127.0.0.1:1",
            **given,
        )

        def announce(address: str) -> None:
            self.web = address

        clock = clock or self.clock
        verifier = TokenVerifier.from_directory(clock, self.data / "keys" / "public", ["gateway"])
        app = App(verifier=verifier, clock=clock, drain_ms=5_000)
        before = self.web
        async with app.serving(lambda app: gateway.bind(app, settings, announce)):
            yield app
        self.web = before

    @asynccontextmanager
    async def table_peer(self, peer: TablePeer) -> AsyncIterator[App]:
        """A table service that plays nothing; on the same port when there is another one."""
        async with self._app(self.address or "127.0.0.1:0", "table").serving(peer.bind) as app:
            self.address = app.address
            yield app

    @asynccontextmanager
    async def one_process(self) -> AsyncIterator[App]:
        """All of it in one app on one port, as on a single machine."""
        app = self._app("127.0.0.1:0", "table", "shuffle", "lobby", "gateway")
        self.address = app.address
        shuffle_settings = ShuffleSettings(**self.settings("shuffle"))
        table_settings = TableSettings(
            **self.settings("table"), shuffle_address=app.address, sealing_keys=self.data / "keys" / "table-seal"
        )
        lobby_settings = LobbySettings(**self.settings("lobby"), table_address=app.address)
        gateway_settings = GatewaySettings(
            **self.settings("gateway"),
            http_listen="127.0.0.1:0",
            page=self.data / "no page",
            lobby_address=app.address,
            table_address=app.address,
            shuffle_address=app.address,
        )

        def announce(address: str) -> None:
            self.web = address

        async with app.serving(
            lambda app: shuffle.bind(app, shuffle_settings),
            lambda app: table.bind(app, table_settings),
            lambda app: lobby.bind(app, lobby_settings),
            lambda app: gateway.bind(app, gateway_settings, announce),
        ):
            yield app

    def service_token(self, service: str, audience: str) -> str:
        """A service's own token, for another service."""
        return self._issuer(service).for_service(audience).text

    def tab(self, table_id: str, account: str) -> "Tab":
        """A browser tab of an account's, not yet connected."""
        return Tab(self.web, table_id, self.token(account))


@asynccontextmanager
async def open_world(data: Path, pace: float = PACE) -> AsyncIterator[World]:
    """Keys and a nats-server."""
    ensure_keys(data / "keys", [*sorted(service.value for service in SERVICES), "operator"])
    users = [table.BUS_USER, lobby.BUS_USER, bots.BUS_USER, wallet.BUS_USER]
    async with running_nats_server(data / "nats", users, RealClock()) as nats:
        yield World(data, nats, pace)


@asynccontextmanager
async def open_socket(web: str, **more: Any) -> AsyncIterator["Socket"]:
    """A bare socket."""
    async with connect(f"ws://{web}/ws", compression=None, ping_interval=None, max_size=None, **more) as connection:
        yield Socket(connection)


class Socket:
    """Frames in and out."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.texts: list[str] = []
        """Every frame received."""

    async def send(self, kind: str, **fields: Any) -> None:
        await self.connection.send(json.dumps({"t": kind, **fields}))

    async def receive(self) -> dict[str, Any]:
        """The next frame. Raises ``ConnectionClosed``."""
        async with asyncio.timeout(PATIENCE_S):
            text = await self.connection.recv()
        assert isinstance(text, str)
        self.texts.append(text)
        frame: dict[str, Any] = json.loads(text)
        return frame

    async def expect(self, kind: str) -> dict[str, Any]:
        """The next frame of a kind; others are passed over."""
        while (frame := await self.receive())["t"] != kind:
            pass
        return frame

    async def hello(self, ticket: str) -> dict[str, Any]:
        await self.send("hello", protocol=1, ticket=ticket)
        return await self.expect("welcome")

    async def bye(self) -> str:
        """The reason for which the server ends it; only after it has."""
        code = str((await self.expect("bye"))["code"])
        with pytest.raises(ConnectionClosed) as closed:
            await self.receive()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4000, code)
        return code


class Tab:
    """A page at a table: follows it, and resumes where it was when its socket was cut."""

    def __init__(self, web: str, table_id: str, ticket: str) -> None:
        self.sight = Sight()
        self.texts: list[str] = []
        """Every frame received, over all its sockets."""
        self.ended = ""
        self.seen: Callable[[Tab, WatchResponse], None] = lambda _tab, _update: None
        """Called after each update taken in."""
        self._web = web
        self.table_id = table_id
        self.ticket = ticket
        self._connection: ClientConnection | None = None
        self._answers: dict[str, dict[str, Any]] = {}

    async def open(self) -> None:
        """Connect and watch from the last revision on."""
        self._connection = await connect(f"ws://{self._web}/ws", compression=None, ping_interval=None, max_size=None)
        await self.send("hello", protocol=1, ticket=self.ticket)
        await self.send("watch", tableId=self.table_id, lastRevision=self.sight.revision)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    def cut(self) -> None:
        """As a network does: without a word."""
        if self._connection is not None:
            self._connection.transport.abort()
            self._connection = None

    async def send(self, kind: str, **fields: Any) -> None:
        assert self._connection is not None
        await self._connection.send(json.dumps({"t": kind, **fields}))

    async def step(self) -> dict[str, Any]:
        """Take in one more frame, over a new socket if need be."""
        if self._connection is None:
            await self.open()
        assert self._connection is not None
        try:
            async with asyncio.timeout(PATIENCE_S):
                text = await self._connection.recv()
        except TimeoutError:
            raise AssertionError(f"at {self.sight.revision}, nothing came after {self.texts[-3:]}") from None
        assert isinstance(text, str)
        self.texts.append(text)
        frame: dict[str, Any] = json.loads(text)
        match frame["t"]:
            case "update":
                assert frame["tableId"] == self.table_id
                update = read_update(frame)
                self.sight.take_in(update)
                self.seen(self, update)
            case "done" | "refused" if "commandId" in frame:
                self._answers[frame["commandId"]] = frame
            case "ended":
                self.ended = frame["code"]
        return frame

    async def until(self, holds: Callable[[Sight], bool]) -> Sight:
        """Take in frames until what is seen is as wanted."""
        while not holds(self.sight):
            await self.step()
        return self.sight

    @property
    def turn(self) -> View | None:
        """The deal, where it is this seat's to act."""
        deal = self.sight.deal
        if deal is None or deal.end is not None or deal.turn != deal.viewer or seat_state(deal).reshuffle_due:
            return None
        return deal

    def act_fields(self, action: SeatAction, command_id: str = "") -> dict[str, Any]:
        """The frame that asks for an action now."""
        deal = self.sight.deal
        assert deal is not None
        return {
            "commandId": command_id or str(uuid.uuid4()),
            "tableId": self.table_id,
            "dealNo": self.sight.deal_no,
            "turnNo": deal.turn_no,
            "action": MessageToDict(write_action(action)),
        }

    async def ask(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Ask for an action until it is answered; what was asked over a socket that was cut is asked again."""
        while True:
            if self._connection is None:
                await self.open()
            connection = self._connection
            await self.send("act", **fields)
            while connection is self._connection:
                await self.step()
                if (answer := self._answers.pop(fields["commandId"], None)) is not None:
                    return answer

    async def act(self, action: SeatAction) -> dict[str, Any]:
        return await self.ask(self.act_fields(action))

    async def play(self, until: Callable[[Sight], bool]) -> None:
        """Play as the greedy bot does until what is seen is as wanted."""
        while not until(self.sight) and not self.sight.closed:
            deal = self.turn
            if deal is None:
                await self.step()
                continue
            revision = self.sight.revision
            answer = await self.act(Greedy().choose(deal))
            # Refused: the clock was quicker, and what it did may have been seen already.
            reached = answer["revision"] if answer["t"] == "done" else revision + 1
            await self.until(lambda sight: sight.revision >= reached)  # noqa: B023  # used up within this turn


def read_update(frame: dict[str, Any]) -> WatchResponse:
    """The message that an `update` frame holds; strictly, so that nothing else may be in it."""
    fields = {name: value for name, value in frame.items() if name not in {"t", "tableId"}}
    return ParseDict(fields, WatchResponse())


def byes(app: App, code: str) -> float:
    """How many sockets this gateway has ended with a code."""
    return app.metrics.registry.get_sample_value("banakil_socket_byes_total", {"code": code}) or 0.0


def sockets(app: App) -> float:
    """How many sockets are open."""
    return app.metrics.registry.get_sample_value("banakil_sockets") or 0.0
