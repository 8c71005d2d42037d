"""Wires the wallet service."""

from pathlib import Path
from typing import Final

from banakil.shuffle.v1.days_pb2_grpc import DayServiceStub
from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceStub
from banakil.table.v1.standing_pb2_grpc import StandingServiceStub
from banakil.wallet.v1 import ledger_pb2_grpc, scores_pb2_grpc, settlements_pb2_grpc, wallet_pb2, wallet_pb2_grpc

from services.wallet.checking import Checker
from services.wallet.days import Days
from services.wallet.dumping import Dumping
from services.wallet.facts import CONSUMER, FactHandler
from services.wallet.grants import Grants, GrantSizes
from services.wallet.holds import Holds
from services.wallet.ledger import open_ledger
from services.wallet.ledger_servicer import LedgerServicer
from services.wallet.proving import Prover
from services.wallet.reconciling import Reconciling, asking
from services.wallet.score_servicer import Scores, ScoreServicer
from services.wallet.settings import WalletSettings
from services.wallet.settlement_servicer import SettlementServicer
from services.wallet.settling import Settling
from services.wallet.statements import Statements
from services.wallet.wallet_servicer import WalletServicer
from shared.codec.facts import FACTS_STREAM
from shared.codec.methods import admitted_roles, repeatable_methods
from shared.codec.translations import translate_malformed
from shared.kit.app import App
from shared.kit.audit import Audit
from shared.kit.bus import open_bus
from shared.kit.clients import Channels
from shared.kit.database import Database, open_database
from shared.kit.database_faults import translate_database_faults
from shared.kit.identity import Role, ServiceCredentials, TokenIssuer
from shared.kit.inbox import InboxConsumer
from shared.kit.keys import SigningKey
from shared.kit.limits import RateLimiter
from shared.kit.migrations import migrate
from shared.kit.nats_server import BusUser
from shared.kit.settings import read_secret

NAME: Final = "wallet"
BUS_USER: Final = BusUser(NAME, consumes=((FACTS_STREAM.name, CONSUMER),))
"""What the service may do on the bus."""
_WALLET_SERVICE: Final = wallet_pb2.DESCRIPTOR.services_by_name["WalletService"].full_name
DAY_MS: Final = 86_400_000
MIGRATIONS: Final = Path(__file__).parent / "migrations"


async def bind(app: App, settings: WalletSettings) -> None:
    """Adds the service to `app`. Raises `SettingsError` for a secret that cannot be read."""
    password = read_secret(settings.database_password_file)
    database = await app.enter(open_database(settings.database_url, password=password))
    await migrate(database, MIGRATIONS)
    bus = await app.enter(
        open_bus(
            settings.nats_url,
            name=NAME,
            password=read_secret(settings.nats_password_file),
            replicas=settings.nats_replicas,
        )
    )
    scores = Scores.of(database, app.clock)
    ledger = await app.enter(open_ledger(database, app.clock))
    grants = Grants(ledger, app.clock, Days(settings.day_offset_minutes), _grant_sizes(settings))
    holds = Holds(ledger, settings.matches_needed)
    key = SigningKey.load(settings.keys / "private" / f"{NAME}.jwk")
    credentials = ServiceCredentials(TokenIssuer(NAME, key, app.clock), app.clock)
    channels = await app.enter(Channels(credentials, repeatable=repeatable_methods()))
    settling = _settle(app, settings, database, holds, channels)
    handler = FactHandler(scores.results, scores.statistics, scores.ratings, grants, settling)
    inbox = InboxConsumer(
        database, bus, app.clock, app.metrics, stream=FACTS_STREAM, name=CONSUMER, handler=handler.take_in
    )
    app.background(f"{NAME}.inbox", inbox.run)
    app.background(f"{NAME}.inbox_pruning", inbox.prune)
    app.readiness(f"{NAME}.database", database.answers)
    translate_malformed(app)
    translate_database_faults(app)
    calls = RateLimiter(app.clock, per_second=settings.calls_per_second, burst=settings.calls_burst)
    roles = admitted_roles()
    servicer = ScoreServicer(scores, calls, app.clock)
    app.add_service(scores_pb2_grpc.add_ScoreServiceServicer_to_server, servicer, roles)
    settlements = SettlementServicer(database, calls, app.clock)
    app.add_service(settlements_pb2_grpc.add_SettlementServiceServicer_to_server, settlements, roles)
    statements = Statements(database)
    wallet = WalletServicer(holds, grants, statements, calls)
    app.add_service(wallet_pb2_grpc.add_WalletServiceServicer_to_server, wallet, roles)
    checker = Checker(database, app.clock, app.metrics, settings.check_every_ms)
    app.background(f"{NAME}.checker", checker.run)
    app.readiness(f"{NAME}.ledger", checker.is_writable, of=_WALLET_SERVICE)
    audited = LedgerServicer(statements, checker, Audit(database, app.clock, app.typed_error))
    app.add_service(ledger_pb2_grpc.add_LedgerServiceServicer_to_server, audited, roles)


def _settle(app: App, settings: WalletSettings, database: Database, holds: Holds, channels: Channels) -> Settling:
    """What settles matches, in the background."""
    shuffle = channels.to(settings.shuffle_address, Role.SHUFFLE.value)
    tables = channels.to(settings.table_address, Role.TABLE.value)
    signs = Dumping(database, app.clock, app.metrics, window_ms=settings.signs_days * DAY_MS)
    settling = Settling(
        database,
        holds,
        Prover(ShuffleServiceStub(shuffle), DayServiceStub(shuffle)).prove,
        app.clock,
        app.metrics,
        proof_patience_ms=settings.proof_patience_s * 1_000,
        after_paying=signs.look_at,
    )
    ask = asking(StandingServiceStub(tables))
    ask_after_ms = settings.ask_after_s * 1_000
    reconciling = Reconciling(database, settling, ask, app.clock, ask_after_ms=ask_after_ms)
    app.background(f"{NAME}.settling", settling.run)
    app.background(f"{NAME}.reconciling", reconciling.run)
    return settling


def _grant_sizes(settings: WalletSettings) -> GrantSizes:
    return GrantSizes(
        welcome=settings.welcome_coins,
        daily=settings.daily_coins,
        daily_step=settings.daily_step_coins,
        daily_most=settings.daily_most_coins,
        free_win=settings.free_win_coins,
        free_wins_a_day=settings.free_wins_a_day,
    )
