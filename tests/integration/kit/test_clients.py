"""Calls between services over real sockets: tokens, traces, deadlines, retries, errors."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from shared.kit.app import App
from shared.kit.clients import MOST_CHANNELS, Channels, answer, bearer, forwarded, received
from shared.kit.clock import RealClock
from shared.kit.identity import Role
from shared.kit.rpc_context import current_rpc, forwarder, principal
from shared.kit.status import AwayError, StaleError
from tests.integration.kit.conftest import Lines
from tests.support.kit import Identities, bytes_service, produces, unary

INNER, OUTER = "banakil.inner.v1.InnerService", "banakil.outer.v1.OuterService"
ANY_CALLER = [Role.PLAYER, Role.TABLE]


def call_of(channel: grpc.aio.Channel, method: str) -> Any:
    return channel.unary_unary(f"/{method}")


class Inner:
    """Tells its caller who that is; fails as often as it is told to."""

    def __init__(self) -> None:
        self.failures_left = 0
        self.calls = 0

    async def who(self, _request: bytes, context: Any) -> bytes:
        via, rpc = forwarder(), current_rpc.get()
        assert rpc is not None
        return f"{principal().role}/{principal().account}/{via.role if via else ''}/{rpc.trace_id}".encode()

    async def flaky(self, request: bytes, _context: Any) -> bytes:
        self.calls += 1
        if self.failures_left > 0:
            self.failures_left -= 1
            raise AwayError("DEPENDENCY_AWAY")
        return request

    async def hang(self, _request: bytes, _context: Any) -> bytes:
        await asyncio.Event().wait()
        return b""

    async def stale(self, _request: bytes, _context: Any) -> bytes:
        raise StaleError("STALE_TURN", metadata={"turn_no": "3"})

    async def watch(self, _request: bytes, _context: Any) -> AsyncIterator[bytes]:
        yield f"{principal().role}/{principal().account}".encode()

    async def bind(self, app: App) -> None:
        methods = {
            "Who": unary(self.who), "Flaky": unary(self.flaky), "Once": unary(self.flaky), "Hang": unary(self.hang),
            "Stale": unary(self.stale), "Watch": produces(self.watch),
        }  # fmt: skip
        app.add_service(bytes_service(INNER, methods), self, dict.fromkeys(methods, ANY_CALLER))


@pytest.fixture
def inner() -> Inner:
    return Inner()


@pytest.fixture
async def address(identities: Identities, inner: Inner, lines: Lines) -> AsyncIterator[str]:
    app = App(verifier=identities.verifier("shuffle"), clock=RealClock())
    async with app.serving(inner.bind):
        yield app.address


@pytest.fixture
async def channels(identities: Identities) -> AsyncIterator[Channels]:
    repeatable = [f"/{INNER}/Flaky"]
    async with Channels(identities.credentials("table"), repeatable=repeatable, deadline_ms=400) as channels:
        yield channels


async def test_a_service_calls_in_its_own_name(channels: Channels, address: str) -> None:
    channel = channels.to(address, "shuffle")
    assert (await call_of(channel, f"{INNER}/Who")(b"")).startswith(b"table///")
    watch: Any = channel.unary_stream(f"/{INNER}/Watch")
    assert [item async for item in watch(b"")] == [b"table/"]


async def test_a_forwarded_call_bears_the_player_s_token_the_forwarder_s_name_and_the_trace(
    channels: Channels, address: str, identities: Identities
) -> None:
    async def outer(_request: bytes, _context: Any) -> bytes:
        who: Any = call_of(channels.to(address, "shuffle"), f"{INNER}/Who")
        in_own_name: bytes = await who(b"")
        return in_own_name + b" " + bytes(await who(b"", metadata=forwarded()))

    async def bind(app: App) -> None:
        app.add_service(bytes_service(OUTER, {"Outer": unary(outer)}), object(), {"Outer": [Role.PLAYER]})

    trace = "0af7651916cd43dd8448eb211c80319c"
    app = App(verifier=identities.verifier(), clock=RealClock())
    async with app.serving(bind), grpc.aio.insecure_channel(app.address) as channel:
        call: Any = call_of(channel, f"{OUTER}/Outer")
        token = bearer(identities.player("ada"))
        told = await call(b"", metadata=(*token, ("traceparent", f"00-{trace}-b7ad6b7169203331-01")))
    assert told.decode().split() == [f"table///{trace}", f"player/ada/table/{trace}"]


async def test_there_is_nothing_to_forward_outside_an_rpc() -> None:
    with pytest.raises(LookupError):
        forwarded()


async def test_a_repeatable_call_is_tried_again_and_no_other_is(channels: Channels, address: str, inner: Inner) -> None:
    channel = channels.to(address, "shuffle")
    inner.failures_left = 2
    assert await answer(call_of(channel, f"{INNER}/Flaky")(b"x")) == b"x"
    assert inner.calls == 3
    inner.failures_left = 1
    with pytest.raises(AwayError):
        await answer(call_of(channel, f"{INNER}/Once")(b"x"))
    assert inner.calls == 4


async def test_a_call_that_names_no_deadline_has_one(channels: Channels, address: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call_of(channels.to(address, "shuffle"), f"{INNER}/Hang")(b"")
    assert failed.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_the_other_side_s_refusal_arrives_as_the_error_it_was(channels: Channels, address: str) -> None:
    with pytest.raises(StaleError) as refused:
        await answer(call_of(channels.to(address, "shuffle"), f"{INNER}/Stale")(b""))
    assert (refused.value.code, refused.value.metadata) == ("STALE_TURN", {"turn_no": "3"})


async def test_a_service_that_is_away_makes_its_caller_s_answer_unavailable(
    channels: Channels, identities: Identities, lines: Lines
) -> None:
    async def outer(_request: bytes, _context: Any) -> bytes:
        return bytes(await call_of(channels.to("127.0.0.1:9", "shuffle"), f"{INNER}/Once")(b""))

    async def bind(app: App) -> None:
        app.add_service(bytes_service(OUTER, {"Outer": unary(outer)}), object(), {"Outer": [Role.PLAYER]})

    app = App(verifier=identities.verifier(), clock=RealClock())
    async with app.serving(bind), Channels(None) as player:
        call = call_of(player.to(app.address, "outer"), f"{OUTER}/Outer")
        with pytest.raises(AwayError) as refused:
            await answer(call(b"", metadata=bearer(identities.player())))
    assert refused.value.code == "DEPENDENCY_AWAY"


async def test_channels_are_shared_and_no_more_than_so_many_are_open(channels: Channels) -> None:
    first = channels.to("127.0.0.1:9", "table")
    assert channels.to("127.0.0.1:9", "table") is first
    for port in range(1000, 1000 + MOST_CHANNELS):
        channels.to(f"127.0.0.1:{port}", "table")
    assert channels.to("127.0.0.1:9", "table") is not first


async def test_a_renewed_channel_is_another_one_and_reaches_a_server_that_is_back(identities: Identities) -> None:
    first = App(verifier=identities.verifier("inner"), clock=RealClock())
    address = first.address
    async with Channels(identities.credentials("table")) as channels:
        async with first.serving(Inner().bind):
            assert await call_of(channels.to(address, "inner"), f"{INNER}/Flaky")(b"1") == b"1"
        with pytest.raises(grpc.aio.AioRpcError):
            await call_of(channels.to(address, "inner"), f"{INNER}/Flaky")(b"2")
        again = App(verifier=identities.verifier("inner"), clock=RealClock(), listen=address)
        async with again.serving(Inner().bind):
            stale = channels.to(address, "inner")
            channels.renew(address, "inner")
            renewed = channels.to(address, "inner")
            assert renewed is not stale
            assert await call_of(renewed, f"{INNER}/Flaky")(b"3") == b"3"


async def test_what_a_server_cancels_as_it_stops_is_away_and_who_called_goes_on(identities: Identities) -> None:
    begun = asyncio.Semaphore(0)

    async def hang(_request: bytes, _context: Any) -> bytes:
        begun.release()
        await asyncio.Event().wait()
        return b""

    async def hanging(request: bytes, context: Any) -> AsyncIterator[bytes]:
        yield await hang(request, context)

    server = grpc.aio.server()
    methods = {"Hang": unary(hang), "Watch": produces(hanging)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(INNER, methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with Channels(identities.credentials("table")) as channels:
        channel = channels.to(f"127.0.0.1:{port}", "inner")
        watch: Any = channel.unary_stream(f"/{INNER}/Watch")

        async def read() -> list[bytes]:
            return [item async for item in received(watch(b""))]

        asking = asyncio.gather(answer(call_of(channel, f"{INNER}/Hang")(b"")), read(), return_exceptions=True)
        for _ in range(2):
            await begun.acquire()
        await server.stop(0)
        faults = await asking
    assert [isinstance(fault, AwayError) and fault.status for fault in faults] == 2 * [grpc.StatusCode.UNAVAILABLE]


async def test_who_ends_a_call_itself_is_ended(channels: Channels, address: str) -> None:
    asking = asyncio.create_task(answer(call_of(channels.to(address, "shuffle"), f"{INNER}/Hang")(b"")))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait([asking])
    assert asking.cancelled()
