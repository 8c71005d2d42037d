"""Wires the gateway."""

from collections.abc import Callable

import structlog

from services.gateway.api import Api, ApiLimits
from services.gateway.http_server import HttpServer
from services.gateway.metrics import GatewayMetrics
from services.gateway.origins import read_origins
from services.gateway.pages import Pages
from services.gateway.player_socket import Around, frame_rates
from services.gateway.settings import GatewaySettings
from services.gateway.site import make_site
from services.gateway.sockets import Sockets
from services.gateway.updates import Updates
from services.gateway.upstream import Upstream
from shared.codec.methods import repeatable_methods
from shared.kit.app import App
from shared.kit.clients import Channels
from shared.kit.identity import Role, ServiceCredentials, TokenIssuer, TokenVerifier
from shared.kit.keys import SigningKey
from shared.kit.limits import RateLimiter

_log = structlog.get_logger("gateway.app")


async def bind(app: App, settings: GatewaySettings, announce: Callable[[str], None] = lambda _: None) -> None:
    """Serves page, API and sockets beside this app; ``announce`` is given their ``host:port``.

    Raises OSError where the port cannot be had, `KeyFileError` without the gateway's private key.
    """
    clock = app.clock
    key = SigningKey.load(settings.keys / "private" / f"{Role.GATEWAY.value}.jwk")
    credentials = ServiceCredentials(TokenIssuer(Role.GATEWAY.value, key, clock), clock)
    channels = await app.enter(Channels(credentials, repeatable=repeatable_methods()))
    upstream = await app.enter(
        Upstream(
            channels,
            lobby_address=settings.lobby_address,
            table_address=settings.table_address,
            shuffle_address=settings.shuffle_address,
            wallet_address=settings.wallet_address,
        )
    )
    verifier = TokenVerifier.from_directory(clock, settings.keys / "public")
    metrics = GatewayMetrics(app.metrics)
    sockets = Sockets(
        clock,
        metrics,
        most=settings.most_sockets,
        most_per_account=settings.sockets_per_account,
        most_per_address=settings.sockets_per_address,
    )
    limits = ApiLimits(
        guests=RateLimiter(clock, per_second=settings.guests_per_minute / 60, burst=settings.guests_burst),
        passwords=RateLimiter(clock, per_second=settings.passwords_per_minute / 60, burst=settings.passwords_burst),
        records=RateLimiter(clock, per_second=settings.records_per_minute / 60, burst=settings.records_burst),
        calls=RateLimiter(clock, per_second=settings.calls_per_second, burst=settings.calls_burst),
        limit_loopback=settings.limit_loopback,
    )
    api = Api(upstream, verifier, limits, metrics)
    around = Around(upstream, Updates(), verifier, clock, sockets, frame_rates(clock), metrics)
    site = make_site(api, Pages(settings.page), around, read_origins(settings.allowed_origins))
    server = await app.enter(HttpServer(site, settings.http_listen, trusted_proxies=settings.trusted_proxies))
    app.background("gateway http", server.run)
    app.background("gateway sockets", sockets.look_after)
    app.readiness("gateway http", server.serves)
    app.on_drain(server.stop)
    app.on_drain(sockets.drain)
    announce(server.address)
    _log.info("gateway.bound", address=server.address)
