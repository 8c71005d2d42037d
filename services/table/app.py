"""Wires the table service: database, outbox, what keeps tables, whom they ask, tables, servicers."""

from pathlib import Path
from typing import Final

from banakil.shuffle.v1.relay_pb2_grpc import RelayServiceStub
from banakil.table.v1.admin_pb2_grpc import add_AdminServiceServicer_to_server
from banakil.table.v1.peers_pb2_grpc import add_PeerServiceServicer_to_server
from banakil.table.v1.standing_pb2_grpc import add_StandingServiceServicer_to_server
from banakil.table.v1.table_pb2_grpc import add_TableServiceServicer_to_server
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from services.table.admin import AdminServicer
from services.table.archiving import Archiving, Keep
from services.table.asking import Asking
from services.table.forwarding import Forwarding
from services.table.journal import JournalError
from services.table.keeping import Keeping, open_keeping
from services.table.peers import PeerServicer
from services.table.player_calls import PlayerCalls
from services.table.refusals import from_journal, from_rules
from services.table.relay import Relay
from services.table.servicer import TableServicer
from services.table.settings import TableSettings
from services.table.shuffle_asking import ShuffleAsker
from services.table.shuffle_line import ShuffleLine
from services.table.stake_asking import StakeAsker
from services.table.standing import StandingServicer
from services.table.tables import Tables
from shared.codec.facts import FACTS_STREAM
from shared.codec.methods import admitted_roles, repeatable_methods
from shared.codec.translations import translate_malformed
from shared.kit.app import App
from shared.kit.audit import Audit
from shared.kit.bus import open_bus
from shared.kit.clients import Channels
from shared.kit.clock import Pace
from shared.kit.database import Database, open_database
from shared.kit.database_faults import translate_database_faults
from shared.kit.identity import Role, ServiceCredentials, TokenIssuer
from shared.kit.keys import SigningKey
from shared.kit.migrations import migrate
from shared.kit.nats_server import BusUser
from shared.kit.outbox import Outbox
from shared.kit.settings import read_secret
from shared.rules.refusal import RefusedError

MIGRATIONS: Final = Path(__file__).parent / "migrations"
BUS_USER: Final = BusUser(Role.TABLE.value, owns=(FACTS_STREAM,))


DAY_MS: Final = 86_400_000


async def bind(app: App, settings: TableSettings) -> None:
    """Serves TableService in this app."""
    password = read_secret(settings.database_password_file)
    database = await app.enter(open_database(settings.database_url, password=password))
    await migrate(database, MIGRATIONS)
    bus = await app.enter(
        open_bus(
            settings.nats_url,
            name=Role.TABLE.value,
            password=read_secret(settings.nats_password_file),
            replicas=settings.nats_replicas,
        )
    )
    await bus.declare(FACTS_STREAM)
    outbox = Outbox(database, bus, app.clock, app.metrics)
    app.background("table outbox", outbox.run)
    key = SigningKey.load(settings.keys / "private" / f"{Role.TABLE.value}.jwk")
    credentials = ServiceCredentials(TokenIssuer(Role.TABLE.value, key, app.clock), app.clock)
    channels = await app.enter(Channels(credentials, repeatable=repeatable_methods()))
    address = settings.advertise or app.address
    kept = await app.enter(
        open_keeping(database, app.clock, settings.sealing_keys, channels, outbox.wake, address=address)
    )
    shuffle = RelayServiceStub(channels.to(settings.shuffle_address, Role.SHUFFLE.value))
    wallet = WalletServiceStub(channels.to(settings.wallet_address, Role.WALLET.value))
    line = await app.enter(ShuffleLine(shuffle, app.clock))
    asking = Asking(ShuffleAsker(line), StakeAsker(wallet), app.clock)
    tables = Tables(kept.journal, kept.clock, Pace(settings.pace), asking.ask, outbox.has_room, kept.ownership)
    app.on_drain(tables.stop)
    app.translate(RefusedError, from_rules)
    app.translate(JournalError, from_journal)
    translate_malformed(app)
    translate_database_faults(app)
    _serve(app, tables, kept, channels, database)
    app.background("table beat", tables.beat)
    keep = Keep(settings.archive_after_s * 1_000, settings.records_days * DAY_MS)
    app.background("table archiving", Archiving(kept.journal, database.turn, kept.clock, keep).run)
    app.readiness("table database", database.answers)
    await tables.resume_all()


def _serve(app: App, tables: Tables, kept: Keeping, channels: Channels, database: Database) -> None:
    def new_relay(calls: PlayerCalls) -> Relay:
        return Relay(calls, app.verifier, app.typed_error)

    forwarding = Forwarding(channels, kept.ownership)
    servicer = TableServicer(tables, kept.journal, kept.clock, forwarding, new_relay)
    audit = Audit(database, kept.clock, app.typed_error)
    admin = AdminServicer(tables, database, kept.clock, forwarding, audit)
    app.add_service(add_AdminServiceServicer_to_server, admin, admitted_roles())
    app.add_service(add_TableServiceServicer_to_server, servicer, admitted_roles())
    standing = StandingServicer(tables, kept.journal, forwarding)
    app.add_service(add_StandingServiceServicer_to_server, standing, admitted_roles())
    app.add_service(add_PeerServiceServicer_to_server, PeerServicer(kept.ownership), admitted_roles())
