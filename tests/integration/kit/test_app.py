"""The life of an app over a real socket: what order things start and stop in, and how fast a stop is."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from shared.kit.app import App
from shared.kit.clients import bearer
from shared.kit.clock import RealClock
from shared.kit.identity import Role
from shared.kit.ports import free_port
from shared.kit.registrar import UndeclaredRolesError
from shared.kit.server import LIVENESS
from shared.kit.status import api_error
from tests.integration.kit.conftest import Lines
from tests.support.kit import Identities, bytes_service, produces, unary

NAME = "banakil.test.v1.TestService"
ROLES = {"Echo": [Role.PLAYER], "Watch": [Role.PLAYER]}
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


async def echo(request: bytes, _context: Any) -> bytes:
    return request


async def watch(_request: bytes, _context: Any) -> AsyncIterator[bytes]:
    yield b"snapshot"
    await asyncio.Event().wait()


async def pour(_request: bytes, _context: Any) -> AsyncIterator[bytes]:
    while True:
        yield bytes(60_000)


async def pour_by_hand(_request: bytes, context: Any) -> None:
    while True:
        await context.write(bytes(60_000))


SERVICE = bytes_service(NAME, {"Echo": unary(echo), "Watch": produces(watch)})


async def bind(app: App) -> None:
    app.add_service(SERVICE, object(), ROLES)


@pytest.fixture
def app(identities: Identities, lines: Lines) -> App:
    return App(verifier=identities.verifier("test"), clock=RealClock())


def health_stub(channel: grpc.aio.Channel) -> Any:
    return health_pb2_grpc.HealthStub(channel)  # type: ignore[no-untyped-call]  # the library has no types


async def health(channel: grpc.aio.Channel, service: str = "") -> int:
    answer = await health_stub(channel).Check(health_pb2.HealthCheckRequest(service=service))
    return int(answer.status)


async def test_everything_starts_in_order_and_stops_in_the_order_reversed(identities: Identities, lines: Lines) -> None:
    said: list[str] = []

    @asynccontextmanager
    async def resource(name: str) -> AsyncIterator[str]:
        said.append(f"{name} opens")
        yield name
        said.append(f"{name} closes")

    async def work() -> None:
        said.append("work begins")
        try:
            await asyncio.Event().wait()
        finally:
            said.append("work ends")

    started = App(verifier=identities.verifier("test"), clock=RealClock())

    async def hand_over() -> None:
        async with grpc.aio.insecure_channel(started.address) as channel:
            call: Any = channel.unary_unary(f"/{NAME}/Echo")
            assert await call(b"still served", metadata=bearer(identities.player()), timeout=1) == b"still served"
            assert await health(channel) == NOT_SERVING
        said.append("hands over")

    async def first(app: App) -> None:
        assert await app.enter(resource("database")) == "database"
        app.add_service(SERVICE, object(), ROLES)
        app.background("work", work)
        app.on_drain(hand_over)

    async def second(app: App) -> None:
        await app.enter(resource("bus"))

    async with started.serving(first, second):
        await asyncio.sleep(0)
        said.append("serves")
    assert said == [
        "database opens", "bus opens", "work begins", "serves", "hands over", "work ends", "bus closes",
        "database closes",
    ]  # fmt: skip


async def test_what_was_opened_is_closed_when_a_later_bind_fails(app: App) -> None:
    closed = []

    @asynccontextmanager
    async def resource() -> AsyncIterator[None]:
        yield
        closed.append("database")

    async def first(app: App) -> None:
        await app.enter(resource())

    async def second(_app: App) -> None:
        raise OSError("no such host")

    with pytest.raises(OSError, match="no such host"):
        async with app.serving(first, second):
            pytest.fail("it must not serve")
    assert closed == ["database"]


async def test_a_method_whose_roles_nobody_declared_stops_the_start(app: App) -> None:
    async def careless(app: App) -> None:
        app.add_service(SERVICE, object(), {"Echo": [Role.PLAYER]})

    with pytest.raises(UndeclaredRolesError, match="Watch"):
        async with app.serving(careless):
            pytest.fail("it must not serve")


async def test_a_stop_ends_open_streams_at_once_and_says_why(app: App, identities: Identities) -> None:
    serving = app.serving(bind)
    await serving.__aenter__()
    async with grpc.aio.insecure_channel(app.address) as channel:
        call: Any = channel.unary_stream(f"/{NAME}/Watch")
        streams = [call(b"", metadata=bearer(identities.player())) for _ in range(20)]
        assert [await stream.read() for stream in streams] == [b"snapshot"] * 20
        began_s = time.monotonic()
        stopping = asyncio.ensure_future(serving.__aexit__(None, None, None))
        for stream in streams:
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await stream.read()
            error = api_error(ended.value)
            assert (error.status, error.code, error.retry_after_ms) == (grpc.StatusCode.UNAVAILABLE, "DRAINING", 0)
        await stopping
        assert time.monotonic() - began_s < 1


@pytest.mark.parametrize("behaviour", [pour, pour_by_hand])
@pytest.mark.parametrize("reads", [True, False])
async def test_a_stop_waits_neither_for_a_stream_in_full_flow_nor_for_a_client_that_does_not_read(
    identities: Identities, lines: Lines, behaviour: Any, reads: bool
) -> None:
    async def bind(app: App) -> None:
        app.add_service(bytes_service(NAME, {"Pour": produces(behaviour)}), object(), {"Pour": [Role.PLAYER]})

    async def read(stream: Any) -> None:
        while await stream.read() is not grpc.aio.EOF:
            pass

    app = App(verifier=identities.verifier(), clock=RealClock())
    async with grpc.aio.insecure_channel(app.address) as channel:
        async with app.serving(bind):
            call: Any = channel.unary_stream(f"/{NAME}/Pour")
            streams = [call(b"", metadata=bearer(identities.player())) for _ in range(10)]
            for stream in streams:
                await stream.read()
            readers = [asyncio.create_task(read(stream)) for stream in streams] if reads else []
            began_s = time.monotonic()
        assert time.monotonic() - began_s < 1
        for ended in await asyncio.gather(*readers, return_exceptions=True):
            assert isinstance(ended, grpc.aio.AioRpcError)
            assert api_error(ended).code == "DRAINING"


async def test_a_stop_waits_for_a_unary_call_under_way(identities: Identities, lines: Lines) -> None:
    entered, go_on = asyncio.Event(), asyncio.Event()

    async def slow(request: bytes, _context: Any) -> bytes:
        entered.set()
        await go_on.wait()
        return request

    async def bind(app: App) -> None:
        app.add_service(bytes_service(NAME, {"Slow": unary(slow)}), object(), {"Slow": [Role.PLAYER]})

    app = App(verifier=identities.verifier(), clock=RealClock())
    async with grpc.aio.insecure_channel(app.address) as channel:
        async with app.serving(bind):
            call: Any = channel.unary_unary(f"/{NAME}/Slow")
            answer = asyncio.ensure_future(call(b"kept", metadata=bearer(identities.player())))
            await entered.wait()
            asyncio.get_running_loop().call_later(0.05, go_on.set)
        assert await answer == b"kept"


async def test_a_hook_that_hangs_does_not_hold_the_stop(identities: Identities, lines: Lines) -> None:
    async def bind(app: App) -> None:
        app.on_drain(asyncio.Event().wait)  # type: ignore[arg-type]  # what it returns does not matter: it never does

    app = App(verifier=identities.verifier(), clock=RealClock(), drain_ms=150)
    began_s = time.monotonic()
    async with app.serving(bind):
        pass
    assert time.monotonic() - began_s < 2
    assert [line["step"] for line in lines.events("stop.overran")] == ["drain"]


async def test_readiness_follows_its_checks_and_liveness_does_not(app: App) -> None:
    database_answers = True

    async def check() -> bool:
        if not database_answers:
            raise ConnectionError
        return True

    async def bound(app: App) -> None:
        await bind(app)
        app.readiness("database", check)

    async with app.serving(bound), grpc.aio.insecure_channel(app.address) as channel:
        names = ("", NAME, LIVENESS)
        assert [await health(channel, name) for name in names] == [SERVING, SERVING, SERVING]
        database_answers = False
        assert not await app.check_ready()
        assert [await health(channel, name) for name in names] == [NOT_SERVING, NOT_SERVING, SERVING]
        database_answers = True
        assert await app.check_ready()
        assert await health(channel) == SERVING
        listed = await health_stub(channel).List(health_pb2.HealthListRequest())
        assert set(listed.statuses) == {"", NAME}


async def test_reflection_is_there_only_when_it_is_switched_on(app: App, identities: Identities) -> None:
    async def services(address: str) -> list[str]:
        async with grpc.aio.insecure_channel(address) as channel:
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[no-untyped-call]  # no types
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            answers = [answer async for answer in stub.ServerReflectionInfo(iter([request]))]
            return [service.name for service in answers[0].list_services_response.service]

    async with app.serving(bind):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await services(app.address)
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    open_app = App(verifier=identities.verifier(), clock=RealClock(), reflection=True)
    async with open_app.serving(bind):
        assert NAME in await services(open_app.address)


async def test_two_servers_cannot_share_a_port(app: App, identities: Identities) -> None:
    async with app.serving(bind):
        with pytest.raises(OSError, match="cannot listen"):
            App(verifier=identities.verifier(), clock=RealClock(), listen=app.address)


async def test_what_happened_is_counted_for_prometheus(app: App, identities: Identities) -> None:
    async with app.serving(bind), grpc.aio.insecure_channel(app.address) as channel:
        call: Any = channel.unary_unary(f"/{NAME}/Echo")
        for metadata in (bearer(identities.player()), ()):
            await asyncio.wait([asyncio.ensure_future(call(b"", metadata=metadata))])
        registry = app.metrics.registry
        counted = {
            code: registry.get_sample_value("banakil_rpcs_total", {"method": f"{NAME}/Echo", "code": code})
            for code in ("OK", "UNAUTHENTICATED")
        }
        assert counted == {"OK": 1, "UNAUTHENTICATED": 1}


async def test_prometheus_can_fetch_the_counts(identities: Identities, lines: Lines) -> None:
    port = free_port()
    app = App(verifier=identities.verifier(), clock=RealClock(), metrics_port=port)
    async with app.serving(bind):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /metrics HTTP/1.0\r\n\r\n")
        assert b"banakil_open_streams 0.0" in await reader.read()
        writer.close()
