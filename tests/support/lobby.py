"""A lobby that runs for a test: the service as its app binds it, a real bus, a peer that makes tables, guests."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import grpc
from banakil.common.v1.rule_options_pb2 import MODE_PARTNERS, PRESET_SAHRAT, RuleOptions
from banakil.events.v1.facts_pb2 import Fact
from banakil.lobby.v1 import accounts_pb2, history_pb2, lobby_pb2
from banakil.lobby.v1.accounts_pb2_grpc import AccountServiceStub
from banakil.lobby.v1.lobby_pb2_grpc import LobbyServiceStub

from services.lobby.app import BUS_USER, bind
from services.lobby.settings import LobbySettings
from services.wallet import app as wallet
from services.wallet.settings import WalletSettings
from shared.codec.facts import FACTS_STREAM, fact_subject
from shared.kit.app import App
from shared.kit.bus import Bus, open_bus
from shared.kit.clients import Channels, answer, bearer
from shared.kit.clock import Clock, RealClock, VirtualClock
from shared.kit.identity import SERVICES, TokenVerifier
from shared.kit.keys import ensure_keys
from shared.kit.nats_server import BusUser, NatsServer, running_nats_server
from shared.kit.status import ApiError
from tests.support.table_peer import TablePeer

T = TypeVar("T")

TABLE_USER = BusUser("table", owns=(FACTS_STREAM,))
Publish = Callable[[Fact], Awaitable[None]]

STEP_S = 0.02
MOST_STEPS = 600
STEP_MS = 5
"""All steps together exceed any wait that may have been set late."""
PLENTY = {"calls_burst": 100_000, "calls_per_second": 1_000, "password_log2_n": 10}


class Guest:
    """An account and what it asks of one lobby."""

    def __init__(self, made: accounts_pb2.CreateGuestResponse, channel: grpc.aio.Channel) -> None:
        self.account_id = made.account.account_id
        self.name = made.account.display_name
        self.secret = made.refresh_secret
        self.jwt = made.token.jwt
        self._made = made
        self._metadata = bearer(self.jwt)
        self._stub = LobbyServiceStub(channel)

    def at(self, channel: grpc.aio.Channel) -> "Guest":
        """The same account, asking another process."""
        return Guest(self._made, channel)

    async def quick(
        self,
        *,
        preset: Any = PRESET_SAHRAT,
        mode: Any = MODE_PARTNERS,
        bots: bool = False,
        command_id: str = "",
        stake: int = 0,
        level: int = 0,
    ) -> lobby_pb2.Room:
        request = lobby_pb2.QuickPlayRequest(
            command_id=command_id or str(uuid.uuid4()),
            preset=preset,
            mode=mode,
            with_house_bots=bots,
            stake_coins=stake,
            bot_level=level,
        )
        return (await answer(self._stub.QuickPlay(request, metadata=self._metadata))).room

    async def create(self, options: RuleOptions | None = None, *, command_id: str = "") -> lobby_pb2.Room:
        options = options or RuleOptions(preset=PRESET_SAHRAT)
        request = lobby_pb2.CreateRoomRequest(command_id=command_id or str(uuid.uuid4()), options=options)
        return (await answer(self._stub.CreateRoom(request, metadata=self._metadata))).room

    async def join(self, code: str, seat: int | None = None, *, stake: int = 0) -> lobby_pb2.Room:
        request = lobby_pb2.JoinRoomRequest(code=code, seat=seat, stake_coins=stake)
        return (await answer(self._stub.JoinRoom(request, metadata=self._metadata))).room

    async def look_up(self, code: str) -> lobby_pb2.LookUpRoomResponse:
        return await answer(self._stub.LookUpRoom(lobby_pb2.LookUpRoomRequest(code=code), metadata=self._metadata))

    async def again(self, table_id: str) -> lobby_pb2.Room:
        request = lobby_pb2.PlayAgainRequest(table_id=table_id)
        return (await answer(self._stub.PlayAgain(request, metadata=self._metadata))).room

    async def start(self, room_id: str, level: int = 0) -> lobby_pb2.Room:
        request = lobby_pb2.StartRoomRequest(room_id=room_id, bot_level=level)
        return (await answer(self._stub.StartRoom(request, metadata=self._metadata))).room

    async def leave(self, room_id: str) -> None:
        await answer(self._stub.LeaveRoom(lobby_pb2.LeaveRoomRequest(room_id=room_id), metadata=self._metadata))

    def watch(self, room_id: str) -> grpc.aio.UnaryStreamCall[Any, lobby_pb2.WatchRoomResponse]:
        return self._stub.WatchRoom(lobby_pb2.WatchRoomRequest(room_id=room_id), metadata=self._metadata)

    async def tables(self) -> lobby_pb2.ListMyTablesResponse:
        return await answer(self._stub.ListMyTables(lobby_pb2.ListMyTablesRequest(), metadata=self._metadata))

    async def history(self, size: int = 0, token: str = "") -> history_pb2.GetHistoryResponse:
        request = history_pb2.GetHistoryRequest(page_size=size, page_token=token)
        return await answer(self._stub.GetHistory(request, metadata=self._metadata))


class LobbyWorld:
    """What lasts while lobbies come and go: keys, database, NATS, the peer, time."""

    def __init__(self, folder: Path, database_url: str, nats: NatsServer, peer: TablePeer, table_address: str) -> None:
        self.folder = folder
        self.database_url = database_url
        self.nats = nats
        self.peer = peer
        self.table_address = table_address
        self.wallet_address = "127.0.0.1:1"
        self.clock = VirtualClock(RealClock().now_ms())

    def settings(self, **changed: Any) -> LobbySettings:
        return LobbySettings(
            database_url=self.database_url,
            nats_url=self.nats.url,
            nats_password_file=self.folder / "lobby.password",
            keys=self.folder / "keys",
            table_address=self.table_address,
            **{**PLENTY, "wallet_address": self.wallet_address, **changed},
        )

    @asynccontextmanager
    async def lobby(self, clock: Clock | None = None, **changed: Any) -> AsyncIterator["RunningLobby"]:
        """A lobby process on this world's database, until the block's end."""
        clock = clock or self.clock
        app = App(verifier=verifier(self.folder, clock, "lobby"), clock=clock, drain_ms=1_000)

        async def bound(app: App) -> None:
            await bind(app, self.settings(**changed))

        async with Channels(None, deadline_ms=10_000) as channels, app.serving(bound):
            yield RunningLobby(app, channels.to(app.address, "lobby"))

    @asynccontextmanager
    async def wallet(self, **changed: Any) -> AsyncIterator[App]:
        """The wallet, on a database of its own and on the same port when there is another one."""
        fresh = self.wallet_address.endswith(":1")
        app = App(
            verifier=verifier(self.folder, self.clock, "wallet"),
            listen="127.0.0.1:0" if fresh else self.wallet_address,
            clock=self.clock,
            drain_ms=1_000,
        )
        settings = WalletSettings(
            database_url=f"sqlite:///{self.folder / 'wallet.db'}",
            nats_url=self.nats.url,
            nats_password_file=self.folder / "wallet.password",
            keys=self.folder / "keys",
            **changed,
        )
        async with app.serving(lambda app: wallet.bind(app, settings)):
            self.wallet_address = app.address
            yield app

    async def after(self, wait_ms: int, outcome: Coroutine[Any, Any, T]) -> T:
        """The outcome once so much time has passed, and then some more until it has come about.

        Background work that reads the clock just before it is moved sets its timer for later; nobody moves it then.
        """
        task = asyncio.create_task(outcome)
        self.clock.advance(wait_ms)
        for _ in range(MOST_STEPS):
            if (await asyncio.wait({task}, timeout=STEP_S))[0]:
                return await task
            self.clock.advance(STEP_MS)
        raise AssertionError("it never came about")

    @asynccontextmanager
    async def facts(self) -> AsyncIterator[Publish]:
        """Publishes facts as the table service does."""
        async with table_bus(self.nats) as bus:

            async def publish(fact: Fact) -> None:
                await bus.publish(fact_subject(fact), fact.SerializeToString(), fact.fact_id)

            yield publish


class RunningLobby:
    """A lobby at work."""

    def __init__(self, app: App, channel: grpc.aio.Channel) -> None:
        self.app = app
        self.channel = channel
        self.accounts = AccountServiceStub(channel)

    async def guest(self, name: str = "نور", *, bot: bool = False) -> Guest:
        request = accounts_pb2.CreateGuestRequest(display_name=name, bot=bot)
        return Guest(await answer(self.accounts.CreateGuest(request)), self.channel)

    async def refreshed(self, guest: Guest) -> Guest:
        """The same account with a fresh token, asking this lobby."""
        request = accounts_pb2.RefreshTokenRequest(account_id=guest.account_id, refresh_secret=guest.secret)
        fresh = await answer(self.accounts.RefreshToken(request))
        made = accounts_pb2.CreateGuestResponse(account=fresh.account, refresh_secret=guest.secret, token=fresh.token)
        return Guest(made, self.channel)

    async def named(self, username: str) -> Guest:
        """An account with a name, and a token that says so."""
        guest = await self.guest(username)
        request = accounts_pb2.NameAccountRequest(username=username, password="a long enough one")
        named = await answer(self.accounts.NameAccount(request, metadata=bearer(guest.jwt)))
        made = accounts_pb2.CreateGuestResponse(account=named.account, refresh_secret=guest.secret, token=named.token)
        return Guest(made, self.channel)

    async def guests(self, number: int) -> list[Guest]:
        return [await self.guest(f"guest {place}") for place in range(number)]


@asynccontextmanager
async def lobby_world(folder: Path, database_url: str) -> AsyncIterator[LobbyWorld]:
    """All that a lobby needs around it, in this folder."""
    ensure_keys(folder / "keys", SERVICES)
    peer, clock = TablePeer(), RealClock()
    async with AsyncExitStack() as stack:
        users = [BUS_USER, TABLE_USER, wallet.BUS_USER]
        nats = await stack.enter_async_context(running_nats_server(folder / "nats", users, clock))
        for user in ("lobby", "wallet"):
            (folder / f"{user}.password").write_text(nats.passwords[user])
        await stack.enter_async_context(table_bus(nats))  # makes the stream of facts
        app = App(verifier=verifier(folder, clock, "table"), clock=clock, drain_ms=200)
        await stack.enter_async_context(app.serving(peer.bind))
        yield LobbyWorld(folder, database_url, nats, peer, app.address)


def verifier(folder: Path, clock: Clock, service: str) -> TokenVerifier:
    return TokenVerifier.from_directory(clock, folder / "keys" / "public", [service])


@asynccontextmanager
async def table_bus(nats: NatsServer) -> AsyncIterator[Bus]:
    """The table service's connection to the bus, with the stream of facts made."""
    async with open_bus(nats.url, name="table", password=nats.passwords["table"]) as bus:
        await bus.declare(FACTS_STREAM)
        yield bus


async def refusal(call: Awaitable[Any]) -> str:
    """The code that a call is refused with."""
    try:
        await call
    except ApiError as refused:
        return refused.code
    raise AssertionError("it was not refused")


async def last_state(guest: Guest, room: lobby_pb2.Room) -> lobby_pb2.Room:
    """The room once nothing more happens in it."""
    last = room
    async for update in guest.watch(room.room_id):
        last = update.room
    return last


async def eventually(check: Callable[[], Awaitable[bool]], what: str, tries: int = 2_000) -> None:
    """Asks again until it holds. Each asking waits for a socket, so that what is awaited can come about."""
    for _ in range(tries):
        if await check():
            return
    raise AssertionError(f"never came about: {what}")
