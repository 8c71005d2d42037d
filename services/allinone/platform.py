"""The whole platform on one machine: keys, nats-server, and all services bound to one app and one port."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from services.bots import app as bots
from services.bots.settings import BotsSettings
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
from shared.kit.app import App
from shared.kit.clock import RealClock
from shared.kit.identity import SERVICES, Role, TokenVerifier
from shared.kit.keys import ensure_keys
from shared.kit.nats_server import NatsServer, running_nats_server
from shared.kit.private_files import write_private
from shared.kit.process_lock import hold

ISSUERS: Final = (*sorted(service.value for service in SERVICES), Role.OPERATOR.value)
BUS_USERS: Final = (table.BUS_USER, lobby.BUS_USER, wallet.BUS_USER, bots.BUS_USER)
STOP_MS: Final = 5_000

Bind = Callable[[App], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Platform:
    """What to run. ``port`` is that of gRPC, ``http_port`` the page's; 0 takes any. ``pace`` divides all waits of the
    game."""

    data: Path
    port: int = 0
    http_port: int = 0
    pace: float = 1.0
    reflection: bool = False

    @asynccontextmanager
    async def running(self, announce_page: Callable[[str], None] = lambda _: None) -> AsyncIterator[App]:
        """The running platform, to be called at ``app.address``; ``announce_page`` is given the page's address.

        Raises ``HeldError`` where another process runs one on the same data.
        """
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Before all else: not only the databases, the bus too has its files and passwords here.
        lock = hold(self.data / "lock")
        try:
            async with self._running(announce_page) as app:
                yield app
        finally:
            os.close(lock)

    @asynccontextmanager
    async def _running(self, announce_page: Callable[[str], None]) -> AsyncIterator[App]:
        keys = self.data / "keys"
        ensure_keys(keys, ISSUERS)
        clock = RealClock()
        async with running_nats_server(self.data / "nats", BUS_USERS, clock) as nats:
            app = App(
                verifier=TokenVerifier.from_directory(clock, keys / "public", ISSUERS),
                clock=clock,
                listen=f"127.0.0.1:{self.port}",
                reflection=self.reflection,
                drain_ms=STOP_MS,
            )

            async def watch_nats() -> None:
                await nats.keep_running(clock)

            app.background("nats-server", watch_nats)
            async with app.serving(*self._binds(app.address, nats, announce_page)) as serving:
                yield serving

    def _binds(self, address: str, nats: NatsServer, announce_page: Callable[[str], None]) -> tuple[Bind, ...]:
        """Each service bound with its settings: those that others ask come first."""

        def common(name: str) -> dict[str, Any]:
            return {
                "database_url": f"sqlite:///{self.data.absolute() / name}.db",
                "nats_url": nats.url,
                "nats_password_file": self._password_file(name, nats),
                "keys": self.data / "keys",
                "pace": self.pace,
            }

        shuffle_settings = ShuffleSettings.load(**common("shuffle"))
        table_settings = TableSettings.load(
            **common("table"),
            shuffle_address=address,
            wallet_address=address,
            sealing_keys=self.data / "keys" / "table-seal",
        )
        wallet_settings = WalletSettings.load(**common("wallet"), table_address=address, shuffle_address=address)
        lobby_settings = LobbySettings.load(**common("lobby"), table_address=address, wallet_address=address)
        bots_settings = BotsSettings.load(**common("bots"), table_address=address)
        gateway_settings = GatewaySettings.load(
            keys=self.data / "keys",
            http_listen=f"127.0.0.1:{self.http_port}",
            lobby_address=address,
            table_address=address,
            shuffle_address=address,
            wallet_address=address,
        )
        return (
            lambda app: shuffle.bind(app, shuffle_settings),
            lambda app: table.bind(app, table_settings),
            lambda app: wallet.bind(app, wallet_settings),
            lambda app: lobby.bind(app, lobby_settings),
            lambda app: bots.bind(app, bots_settings),
            lambda app: gateway.bind(app, gateway_settings, announce_page),
        )

    def _password_file(self, user: str, nats: NatsServer) -> Path:
        """A file with the password that the user has on the bus while this nats-server runs."""
        path = self.data / "run" / f"{user}.password"
        path.unlink(missing_ok=True)
        write_private(path, nats.passwords.get(user, "").encode())
        return path
