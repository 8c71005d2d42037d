"""Wires the lobby."""

from pathlib import Path
from typing import Final

from banakil.lobby.v1.accounts_pb2_grpc import add_AccountServiceServicer_to_server
from banakil.lobby.v1.lobby_pb2_grpc import add_LobbyServiceServicer_to_server

from services.lobby.account_servicer import AccountServicer
from services.lobby.accounts import Accounts
from services.lobby.facts import CONSUMER, FactHandler
from services.lobby.housekeeping import Housekeeping, Keep
from services.lobby.limiting import CallLimits, CallRates
from services.lobby.lobby import Lobby, LobbyLimits
from services.lobby.lobby_servicer import LobbyServicer
from services.lobby.news import SUBJECTS, RoomNews
from services.lobby.passwords import Passwords
from services.lobby.settings import LobbySettings
from services.lobby.stakes import Stakes
from services.lobby.starting import Starter
from services.lobby.tables import Tables
from services.lobby.watching import RoomWatches
from shared.codec.facts import FACTS_STREAM
from shared.codec.methods import admitted_roles, repeatable_methods
from shared.codec.translations import translate_malformed
from shared.kit.app import App
from shared.kit.bus import Bus, open_bus
from shared.kit.clients import Channels
from shared.kit.clock import Pace
from shared.kit.database import Database, open_database
from shared.kit.database_faults import translate_database_faults
from shared.kit.identity import ServiceCredentials, TokenIssuer
from shared.kit.inbox import InboxConsumer
from shared.kit.keys import SigningKey
from shared.kit.migrations import migrate
from shared.kit.nats_server import BusUser
from shared.kit.settings import read_secret

NAME: Final = "lobby"
BUS_USER: Final = BusUser(NAME, consumes=((FACTS_STREAM.name, CONSUMER),), tells=(SUBJECTS,), hears=(SUBJECTS,))
"""What the lobby may do on the bus."""
MIGRATIONS: Final = Path(__file__).parent / "migrations"
DAY_MS: Final = 86_400_000


async def bind(app: App, settings: LobbySettings) -> None:
    """Adds the lobby to `app`: its database, its bus, its two gRPC services, its background work.

    Raises `KeyFileError` without the lobby's private key, and `SettingsError` for a secret that cannot be read.
    """
    database = await app.enter(
        open_database(settings.database_url, password=read_secret(settings.database_password_file))
    )
    await migrate(database, MIGRATIONS)
    bus = await app.enter(
        open_bus(
            settings.nats_url,
            name=NAME,
            password=read_secret(settings.nats_password_file),
            replicas=settings.nats_replicas,
        )
    )
    issuer = TokenIssuer(NAME, SigningKey.load(settings.keys / "private" / f"{NAME}.jwk"), app.clock)
    channels = await app.enter(Channels(ServiceCredentials(issuer, app.clock), repeatable=repeatable_methods()))
    tables = Tables(channels, settings.table_address)
    news = RoomNews(bus)
    await news.listen()
    limits = CallLimits(app.clock, _rates(settings))
    stakes = Stakes(channels, settings.wallet_address)
    await _bind_rooms(app, settings, database, limits, tables, stakes, news)
    await _bind_accounts(app, settings, database, limits, issuer)
    _bind_facts(app, database, bus, news)
    app.readiness(f"{NAME}.database", database.answers)
    translate_malformed(app)
    translate_database_faults(app)


async def _bind_rooms(
    app: App,
    settings: LobbySettings,
    database: Database,
    limits: CallLimits,
    tables: Tables,
    stakes: Stakes,
    news: RoomNews,
) -> None:
    clock = app.clock
    starter = await app.enter(Starter(database, clock, tables, news))
    waits = LobbyLimits(
        quick_wait_ms=Pace(settings.pace).ms(settings.quick_wait_s * 1000),
        again_wait_ms=Pace(settings.pace).ms(settings.again_wait_s * 1000),
        coin_wait_ms=settings.coin_wait_s * 1000,
        room_life_ms=settings.room_life_s * 1000,
        most_rooms=settings.most_rooms,
    )
    lobby = Lobby(database, clock, tables, stakes, starter, news, waits)
    watches = RoomWatches(database, clock, news)
    servicer = LobbyServicer(lobby, watches, database, clock, limits)
    app.add_service(add_LobbyServiceServicer_to_server, servicer, admitted_roles())
    app.background(f"{NAME}.starter", starter.run)
    keep = Keep(rooms_ms=settings.keep_rooms_s * 1000, history_ms=settings.history_days * DAY_MS)
    app.background(f"{NAME}.housekeeping", Housekeeping(database, clock, tables, keep).run)


async def _bind_accounts(
    app: App, settings: LobbySettings, database: Database, limits: CallLimits, issuer: TokenIssuer
) -> None:
    published = settings.keys / "public" / f"{NAME}.jwks"
    passwords = await app.enter(Passwords(settings.password_log2_n))
    servicer = AccountServicer(Accounts(database, app.clock, passwords), issuer, limits, published.read_text)
    app.add_service(add_AccountServiceServicer_to_server, servicer, admitted_roles())


def _bind_facts(app: App, database: Database, bus: Bus, news: RoomNews) -> None:
    handler = FactHandler(app.clock, news)
    inbox = InboxConsumer(
        database, bus, app.clock, app.metrics, stream=FACTS_STREAM, name=CONSUMER, handler=handler.take_in
    )
    app.background(f"{NAME}.inbox", inbox.run)
    app.background(f"{NAME}.inbox_pruning", inbox.prune)


def _rates(settings: LobbySettings) -> CallRates:
    return CallRates(
        guests_per_second=settings.guests_per_minute / 60,
        guests_burst=settings.guests_burst,
        refreshes_per_second=settings.refreshes_per_minute / 60,
        refreshes_burst=settings.refreshes_burst,
        passwords_per_second=settings.passwords_per_hour / 3_600,
        passwords_burst=settings.passwords_burst,
        calls_per_second=settings.calls_per_second,
        calls_burst=settings.calls_burst,
        limit_loopback=settings.limit_loopback,
    )
