"""Who may open a socket, and who may stay: origin, ticket, size, rate, number."""

import asyncio
import json
import socket as raw
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from services.gateway import http_server
from services.gateway.connection import PlayerConnection
from shared.kit.app import App
from shared.kit.clock import RealClock, VirtualClock
from shared.kit.identity import TokenIssuer
from shared.kit.keys import SigningKey
from tests.support.gateway import World, byes, open_socket, open_world, sockets
from tests.support.kit import eventually

ANOTHER = "https://banakil.example"


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with open_world(tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(RealClock().now_ms())


@pytest.fixture
async def app(world: World, clock: VirtualClock) -> AsyncIterator[App]:
    async with world.gateway(clock=clock, allowed_origins=ANOTHER, trusted_proxies="127.0.0.1") as app:
        yield app


async def refused(world: World, **more: object) -> tuple[int, str]:
    with pytest.raises(InvalidStatus) as refusal:
        async with open_socket(world.web, **more):
            pass
    response = refusal.value.response
    return response.status_code, json.loads(response.body or b"")["error"]["code"]


async def test_a_page_of_another_site_opens_no_socket(world: World, app: App) -> None:
    for origin in ["https://evil.example", "null", "", "http://127.0.0.1:1", "file://", "http://[bad"]:
        assert await refused(world, origin=origin) == (403, "ORIGIN_NOT_ALLOWED")


async def test_the_own_page_programs_and_origins_that_are_allowed_open_sockets(world: World, app: App) -> None:
    for origin in (None, f"http://{world.web}", f"http://{world.web}".upper(), ANOTHER):
        async with open_socket(world.web, origin=origin) as socket:
            assert (await socket.hello(world.token("ada")))["accountId"] == "ada"


async def test_who_says_nothing_is_sent_away(world: World, app: App, clock: VirtualClock) -> None:
    async with open_socket(world.web) as silent, open_socket(world.web) as other:
        await other.hello(world.token("ada"))
        clock.advance(4_999)
        assert byes(app, "HELLO_TIMEOUT") == 0
        clock.advance(1)
        assert await silent.bye() == "HELLO_TIMEOUT"
        await other.send("ping", n=1)
        assert (await other.expect("pong"))["n"] == 1


async def test_nothing_is_answered_before_hello(world: World, app: App) -> None:
    for kind in ["ping", "watch", "act", "hints", "unwatch"]:
        async with open_socket(world.web) as socket:
            await socket.send(kind, n=1, tableId="t", commandId="c")
            assert await socket.bye() == "NO_TOKEN"


async def test_a_ticket_that_does_not_hold_is_refused(world: World, app: App, clock: VirtualClock) -> None:
    def key(name: str) -> SigningKey:
        return SigningKey.load(world.data / "keys" / "private" / f"{name}.jwk")

    stranger = TokenIssuer("lobby", SigningKey.generate(), clock).for_account("ada").text
    service = TokenIssuer("bots", key("bots"), clock).for_service("gateway").text
    expired = TokenIssuer("lobby", key("lobby"), VirtualClock(clock.now_ms() - 3_600_000)).for_account("ada").text
    for ticket, code in (("", "BAD_TOKEN"), ("a.b.c", "BAD_TOKEN"), (stranger, "BAD_TOKEN"), (service, "BAD_TOKEN"),
                         (expired, "TOKEN_EXPIRED")):  # fmt: skip
        async with open_socket(world.web) as socket:
            await socket.send("hello", protocol=1, ticket=ticket)
            assert await socket.bye() == code


async def test_a_protocol_of_another_time_is_refused(world: World, app: App) -> None:
    async with open_socket(world.web) as socket:
        await socket.send("hello", protocol=2, ticket=world.token("ada"))
        assert await socket.bye() == "PROTOCOL_UNKNOWN"


async def test_a_socket_ends_with_its_ticket_unless_a_fresh_one_came(
    world: World, app: App, clock: VirtualClock
) -> None:
    async with open_socket(world.web) as stale, open_socket(world.web) as silent, open_socket(world.web) as fresh:
        for socket in (stale, silent, fresh):
            await socket.hello(world.token("ada"))
        clock.advance(14 * 60_000)
        later = TokenIssuer("lobby", SigningKey.load(world.data / "keys" / "private" / "lobby.jwk"), clock)
        await fresh.hello(later.for_account("ada").text)
        clock.advance(60_001 + 999)
        await stale.send("ping", n=1)
        assert await stale.bye() == "TOKEN_EXPIRED"
        await clock.run_for(5_000)
        assert await silent.bye() == "TOKEN_EXPIRED"
        await fresh.send("ping", n=1)
        assert (await fresh.expect("pong"))["n"] == 1


async def test_a_socket_stays_its_first_account(world: World, app: App) -> None:
    async with open_socket(world.web) as socket:
        await socket.hello(world.token("ada"))
        await socket.send("hello", protocol=1, ticket=world.token("bea"))
        assert await socket.bye() == "BAD_TOKEN"


async def test_a_frame_that_is_too_long_ends_the_socket(world: World, app: App) -> None:
    async with open_socket(world.web) as socket:
        await socket.hello(world.token("ada"))
        await socket.send("ping", n=1, more="x" * 16 * 1024)
        assert await socket.bye() == "BAD_FRAME"


async def test_a_frame_that_is_far_too_long_is_not_even_read(world: World, app: App) -> None:
    async with open_socket(world.web) as socket:
        await socket.hello(world.token("ada"))
        await socket.send("ping", n=1, more="x" * 64 * 1024)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


NO_FRAMES = (
    *("", "x", "[]", "{}", '{"t":"dance"}', '{"t":["ping"]}', '{"t":"ping"}', '{"t":"watch","tableId":"a b"}'),
    *(b"{}", "[" * 9_000),
)


async def test_what_is_no_frame_ends_the_socket(world: World, app: App) -> None:
    for sent in NO_FRAMES:
        async with open_socket(world.web) as socket:
            await socket.hello(world.token("ada"))
            await socket.connection.send(sent)
            assert await socket.bye() == "BAD_FRAME", sent


async def test_a_flood_ends_the_socket_and_no_other(world: World, app: App, clock: VirtualClock) -> None:
    async with open_socket(world.web) as flooding, open_socket(world.web) as other:
        await flooding.hello(world.token("ada"))
        await other.hello(world.token("ada"))
        for n in range(39):
            await flooding.send("ping", n=n)
        clock.advance(100)
        for n in range(3):
            await flooding.send("ping", n=n)
        assert await flooding.bye() == "RATE_LIMITED"
        await other.send("ping", n=7)
        assert (await other.expect("pong"))["n"] == 7


async def test_one_socket_too_many_of_an_account_ends_its_oldest(world: World, app: App) -> None:
    async with AsyncExitStack() as open_sockets:
        tabs = [await open_sockets.enter_async_context(open_socket(world.web)) for _ in range(5)]
        for tab in tabs:
            await tab.hello(world.token("ada"))
        assert await tabs[0].bye() == "TOO_MANY_SOCKETS"
        await tabs[1].send("ping", n=1)
        assert (await tabs[1].expect("pong"))["n"] == 1


async def test_an_address_has_a_number_of_sockets_and_this_machine_has_not(world: World, clock: VirtualClock) -> None:
    async with world.gateway(clock=clock, trusted_proxies="127.0.0.1", sockets_per_address=2) as app:
        far = {"additional_headers": {"x-forwarded-for": "2001:db8:0:1::5"}}
        neighbour = {"additional_headers": {"x-forwarded-for": "2001:db8:0:1:ffff::9"}}
        async with open_socket(world.web, **far), open_socket(world.web), open_socket(world.web):
            async with open_socket(world.web, **neighbour):
                assert await refused(world, **far) == (429, "TOO_MANY_SOCKETS")
            await eventually(lambda: sockets(app) == 3)
            async with open_socket(world.web, **far):
                pass


async def test_a_gateway_that_is_full_says_so(world: World, clock: VirtualClock) -> None:
    async with world.gateway(clock=clock, most_sockets=1), open_socket(world.web):
        assert await refused(world) == (429, "OVERLOADED")


async def test_a_gateway_that_goes_away_sends_everybody_elsewhere(world: World) -> None:
    async with AsyncExitStack() as running:
        await running.enter_async_context(world.gateway())
        async with open_socket(world.web) as socket:
            await socket.hello(world.token("ada"))
            code, _ = await asyncio.gather(socket.bye(), running.aclose())
    assert code == "DRAINING"


@asynccontextmanager
async def bare(world: World) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A WebSocket that has been opened and of which nothing happens by itself."""
    host, _, port = world.web.rpartition(":")
    small = raw.socket(raw.AF_INET, raw.SOCK_STREAM)
    small.setsockopt(raw.SOL_SOCKET, raw.SO_RCVBUF, 4_096)
    small.connect((host, int(port)))
    reader, writer = await asyncio.open_connection(sock=small, limit=1_024)
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: {world.web}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    assert b"101" in await reader.readuntil(b"\r\n\r\n")
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def test_a_connection_that_answers_no_ping_is_cut(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "PING_S", 0.05)
    async with world.gateway() as app, bare(world) as (reader, _):
        await eventually(lambda: sockets(app) == 0)
        assert (await reader.read(2))[0] == 0x89


async def test_pings_of_one_who_reads_nothing_do_not_pile_up_as_pongs(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[PlayerConnection] = []

    class Noted(PlayerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            made.append(self)

    monkeypatch.setattr(http_server, "PlayerConnection", Noted)
    ping = bytes([0x89, 0x80 | 125, 0, 0, 0, 0]) + bytes(125)
    async with world.gateway() as app, bare(world) as (_, writer):
        for _ in range(100):
            writer.write(ping * 200)
            await writer.drain()
        writer.write(bytes([0x81, 0x80 | 1, 0, 0, 0, 0]) + b"x")
        await eventually(lambda: byes(app, "BAD_FRAME") == 1)  # all that came before has been read by then
        [connection] = made
        assert not connection.writable.is_set()
        assert connection.transport.get_write_buffer_size() < 200_000
