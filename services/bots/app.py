"""Wires the bots service."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from banakil.table.v1.table_pb2_grpc import TableServiceStub

from services.bots.crew import Crew
from services.bots.house import HouseSeat
from services.bots.lease import lease_in
from services.bots.levels import level_of
from services.bots.metrics import BotMetrics
from services.bots.mind import Mind
from services.bots.player import Player
from services.bots.policies.registry import POLICIES
from services.bots.settings import BotsSettings
from services.bots.store import SeatStore
from services.bots.vacancies import Vacancies
from shared.codec.facts import FACTS_STREAM
from shared.codec.methods import repeatable_methods
from shared.kit.app import App
from shared.kit.bus import open_bus
from shared.kit.clients import Channels, Metadata, bearer
from shared.kit.clock import Pace
from shared.kit.database import open_database
from shared.kit.identity import Role, ServiceCredentials, TokenIssuer
from shared.kit.inbox import InboxConsumer
from shared.kit.keys import SigningKey
from shared.kit.migrations import migrate
from shared.kit.nats_server import BusUser
from shared.kit.settings import SettingsError, read_secret

MIGRATIONS: Final = Path(__file__).parent / "migrations"
CONSUMER: Final = "bots"
BUS_USER: Final = BusUser(Role.BOTS.value, consumes=((FACTS_STREAM.name, CONSUMER),))


async def bind(app: App, settings: BotsSettings) -> None:
    """Has house bots play while this app serves. Raises ``SettingsError`` for a policy that there is not."""
    if settings.policy and settings.policy not in POLICIES:
        raise SettingsError(f"no policy {settings.policy!r:.40}: there are {', '.join(POLICIES)}")
    password = read_secret(settings.database_password_file)
    database = await app.enter(open_database(settings.database_url, password=password))
    await migrate(database, MIGRATIONS)
    bus = await app.enter(
        open_bus(
            settings.nats_url,
            name=Role.BOTS.value,
            password=read_secret(settings.nats_password_file),
            replicas=settings.nats_replicas,
        )
    )
    key = SigningKey.load(settings.keys / "private" / f"{Role.BOTS.value}.jwk")
    credentials = ServiceCredentials(TokenIssuer(Role.BOTS.value, key, app.clock), app.clock)
    # No credentials of the service's own: each call is made in the name of one seat's account.
    channels = await app.enter(Channels(None, repeatable=repeatable_methods()))
    table = TableServiceStub(channels.to(settings.table_address, Role.TABLE.value))
    metrics = BotMetrics(app.metrics)
    mind = Mind(app.clock, Pace(settings.pace), metrics, settings.budget_ms)

    def new_player(seat: HouseSeat, may_play: Callable[[], bool]) -> Player:
        level = level_of(seat.level)
        policy = POLICIES.get(seat.policy) or POLICIES[level.policy]
        spare = None if seat.policy else POLICIES.get(level.spare)

        def token() -> Metadata:
            return bearer(credentials.token(Role.TABLE.value, seat.account))

        return Player(seat, policy, mind, table, token, app.clock, may_play, spare=spare)

    async def leave() -> None:
        await crew.stop()
        mind.close()

    store = SeatStore(database, app.clock)
    lease = lease_in(database, app.clock, app.address)
    crew = Crew(store, lease, new_player, app.clock, metrics, settings.most_seats)
    await crew.begin()
    vacancies = Vacancies(store, crew, settings.policy)
    inbox = InboxConsumer(
        database, bus, app.clock, app.metrics, stream=FACTS_STREAM, name=CONSUMER, handler=vacancies.take_in
    )
    app.background("bots seats", crew.run)
    app.background("bots inbox", inbox.run)
    app.background("bots inbox pruning", inbox.prune)
    app.on_drain(leave)
    app.readiness("bots database", database.answers)
