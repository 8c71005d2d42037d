"""Every RPC kind through a real server: who is let in, what comes back when things go wrong, what is logged."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from shared.kit.app import App
from shared.kit.clients import bearer
from shared.kit.clock import RealClock, VirtualClock
from shared.kit.guard import MAX_MESSAGE_BYTES
from shared.kit.identity import PLAYER_TOKEN_MS, Role
from shared.kit.rpc_context import forwarder, principal
from shared.kit.server import MAX_WIRE_BYTES
from shared.kit.status import ApiError, FullError, NotNowError, StaleError, api_error
from tests.integration.kit.conftest import Lines
from tests.support.kit import Identities, bytes_service, consumes, converses, produces, unary

MARK = "S7-D9-JOKER"
NAME = "banakil.test.v1.TestService"


class RuleError(Exception):
    """What a rules library would raise."""


def parse(raw: bytes) -> str:
    return raw.decode()


async def who(_request: str, _context: Any) -> bytes:
    caller, via = principal(), forwarder()
    return f"{caller.role}/{caller.account}/{via.role if via else ''}".encode()


async def fail(request: str, _context: Any) -> bytes:
    faults: dict[str, Exception] = {
        "stale": StaleError("STALE_TURN", "an older turn", metadata={"turn_no": "4"}),
        "full": FullError("OVERLOADED", retry_after_ms=750),
        "rule": RuleError(MARK),
        "bug": ValueError(f"cannot draw {MARK}"),
    }
    raise faults[request]


async def abort(_request: str, context: Any) -> bytes:
    await context.abort(grpc.StatusCode.OUT_OF_RANGE, "by hand")
    return b""


async def count(request: bytes, _context: Any) -> AsyncIterator[bytes]:
    for number in range(int(request)):
        yield str(number).encode()
    if request == b"3":
        raise ValueError(MARK)


async def write(request: bytes, context: Any) -> None:
    for number in range(int(request)):
        await context.write(str(number).encode())


async def shout(requests: AsyncIterator[str], _context: Any) -> AsyncIterator[bytes]:
    async for text in requests:
        yield text.upper().encode()


async def add(requests: AsyncIterator[bytes], _context: Any) -> bytes:
    return str(sum([int(number) async for number in requests])).encode()


METHODS = {
    "Who": unary(who, parse),
    "Anyone": unary(who, parse),
    "OnlyTable": unary(who, parse),
    "Fail": unary(fail, parse),
    "Abort": unary(abort, parse),
    "Count": produces(count),
    "Write": produces(write),
    "Shout": converses(shout, parse),
    "Add": consumes(add),
}
PLAYERS = (Role.PLAYER, Role.BOT)
ROLES = dict.fromkeys(METHODS, PLAYERS) | {"Anyone": (Role.ANYONE,), "OnlyTable": (Role.TABLE,)}


async def bind(app: App) -> None:
    app.add_service(bytes_service(NAME, METHODS), object(), ROLES)
    app.translate(RuleError, lambda _: NotNowError("NOT_YOUR_TURN"))


@pytest.fixture
async def channel(identities: Identities, lines: Lines) -> AsyncIterator[grpc.aio.Channel]:
    app = App(verifier=identities.verifier("test"), clock=RealClock())
    async with app.serving(bind), grpc.aio.insecure_channel(app.address) as channel:
        yield channel


async def ask(channel: grpc.aio.Channel, method: str, request: bytes = b"", token: str = "", **metadata: str) -> bytes:
    call: Any = channel.unary_unary(f"/{NAME}/{method}")
    sent = bearer(token) if token else ()
    named = (("x-banakil-via" if key == "via" else key, value) for key, value in metadata.items())
    answered: bytes = await call(request, metadata=(*sent, *named), timeout=5)
    return answered


async def refused(
    channel: grpc.aio.Channel, method: str, request: bytes = b"", token: str = "", **metadata: str
) -> ApiError:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await ask(channel, method, request, token, **metadata)
    assert MARK not in str(failed.value)
    return api_error(failed.value)


async def test_a_servicer_knows_its_caller(channel: grpc.aio.Channel, identities: Identities) -> None:
    assert await ask(channel, "Who", token=identities.player("ada")) == b"player/ada/"
    assert await ask(channel, "Who", token=identities.player("robo", bot=True)) == b"bot/robo/"
    assert await ask(channel, "OnlyTable", token=identities.credentials("table").token("test")) == b"table//"


async def test_no_token_a_bad_one_and_another_role_are_refused(
    channel: grpc.aio.Channel, identities: Identities
) -> None:
    assert (await refused(channel, "Who")).code == "NO_TOKEN"
    assert (await refused(channel, "Who", token="x.y.z")).code == "BAD_TOKEN"
    assert (await refused(channel, "Who", authorization="Basic YWRhOmFkYQ==")).code == "BAD_TOKEN"
    wrong_role = await refused(channel, "OnlyTable", token=identities.player())
    assert (wrong_role.status, wrong_role.code) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_NOT_ADMITTED")
    elsewhere = identities.credentials("table").token("shuffle")
    assert (await refused(channel, "OnlyTable", token=elsewhere)).code == "BAD_TOKEN"


async def test_an_expired_token_is_refused_as_such(lines: Lines) -> None:
    clock = VirtualClock()
    identities = Identities(clock)
    app = App(verifier=identities.verifier(), clock=RealClock())
    async with app.serving(bind), grpc.aio.insecure_channel(app.address) as channel:
        token = identities.player()
        await ask(channel, "Who", token=token)
        clock.advance(PLAYER_TOKEN_MS)
        expired = await refused(channel, "Who", token=token)
    assert (expired.status, expired.code) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")


async def test_a_method_for_anyone_takes_a_token_that_does_not_hold_for_none(
    channel: grpc.aio.Channel, identities: Identities
) -> None:
    assert await ask(channel, "Anyone") == b"anyone//"
    assert await ask(channel, "Anyone", token="x.y.z") == b"anyone//"
    assert await ask(channel, "Anyone", token=identities.player("ada")) == b"player/ada/"


async def test_a_service_may_forward_a_player_and_nobody_else_may(
    channel: grpc.aio.Channel, identities: Identities
) -> None:
    player, table = identities.player("ada"), identities.credentials("table").token("test")
    assert await ask(channel, "Who", token=player, via=table) == b"player/ada/table"
    assert (await refused(channel, "Who", token=player, via=player)).code == "BAD_TOKEN"
    assert (await refused(channel, "Who", token=player, via="x.y.z")).code == "BAD_TOKEN"
    assert (await refused(channel, "Who", via=table)).code == "NO_TOKEN"


async def test_a_typed_error_arrives_with_its_code_metadata_and_delay(
    channel: grpc.aio.Channel, identities: Identities
) -> None:
    token = identities.player()
    stale = await refused(channel, "Fail", b"stale", token)
    assert (stale.status, stale.code) == (grpc.StatusCode.ABORTED, "STALE_TURN")
    assert (stale.message, stale.metadata) == ("an older turn", {"turn_no": "4"})
    full = await refused(channel, "Fail", b"full", token)
    assert (full.status, full.retry_after_ms) == (grpc.StatusCode.RESOURCE_EXHAUSTED, 750)


async def test_an_error_of_the_rules_becomes_what_the_service_says_it_is(
    channel: grpc.aio.Channel, identities: Identities
) -> None:
    error = await refused(channel, "Fail", b"rule", identities.player())
    assert (error.status, error.code) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN")


async def test_an_uncaught_exception_tells_the_caller_nothing_and_the_log_where(
    channel: grpc.aio.Channel, identities: Identities, lines: Lines
) -> None:
    error = await refused(channel, "Fail", b"bug", identities.player())
    assert (error.status, error.code, error.message) == (grpc.StatusCode.INTERNAL, "INTERNAL", "INTERNAL")
    (line,) = lines.events("rpc.finished")
    assert (line["level"], line["code"], line["exception"][0]["type"]) == ("error", "INTERNAL", "builtins.ValueError")
    assert MARK not in lines.getvalue()


async def test_an_abort_by_hand_stays_what_it_is(
    channel: grpc.aio.Channel, identities: Identities, lines: Lines
) -> None:
    error = await refused(channel, "Abort", b"", identities.player())
    assert (error.status, error.message) == (grpc.StatusCode.OUT_OF_RANGE, "by hand")
    assert [line["code"] for line in lines.events("rpc.finished")] == ["OUT_OF_RANGE"]


async def test_garbage_is_refused_with_a_code_and_only_after_the_token(
    channel: grpc.aio.Channel, identities: Identities
) -> None:
    garbage = await refused(channel, "Who", b"\xff\xfe", identities.player())
    assert (garbage.status, garbage.code) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST")
    assert (await refused(channel, "Who", b"\xff\xfe")).code == "NO_TOKEN"


@pytest.mark.parametrize("size", [MAX_MESSAGE_BYTES + 1, 1_000_000, 1024 * 1024])
async def test_an_oversized_message_is_refused_with_a_code(
    channel: grpc.aio.Channel, identities: Identities, size: int
) -> None:
    error = await refused(channel, "Who", b"x" * size, identities.player())
    assert (error.status, error.code) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE")


async def test_a_message_beyond_all_measure_never_reaches_us(
    channel: grpc.aio.Channel, identities: Identities, lines: Lines
) -> None:
    error = await refused(channel, "Who", b"x" * (MAX_WIRE_BYTES + 1), identities.player())
    assert error.status is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert await ask(channel, "Who", token=identities.player()) == b"player/ada/"


async def test_a_method_that_is_not_there_is_unimplemented(channel: grpc.aio.Channel, identities: Identities) -> None:
    assert (await refused(channel, "Missing", b"", identities.player())).status is grpc.StatusCode.UNIMPLEMENTED


async def test_each_rpc_gives_one_line_that_says_who_what_and_how(
    channel: grpc.aio.Channel, identities: Identities, lines: Lines
) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    token = identities.player("ada")
    await ask(channel, "Who", token=token, traceparent=f"00-{trace}-b7ad6b7169203331-01")
    await ask(channel, "Who", token=token, traceparent=f"00-{MARK}")
    first, second = lines.events("rpc.finished")
    told = {name: first[name] for name in ("method", "code", "role", "account", "trace_id")}
    assert told == {"method": f"{NAME}/Who", "code": "OK", "role": "player", "account": "ada", "trace_id": trace}
    assert first["ms"] >= 0
    assert first["request_id"] != second["request_id"]
    assert token not in lines.getvalue()
    assert MARK not in lines.getvalue()


@pytest.mark.parametrize("method", ["Count", "Write"])
async def test_a_stream_comes_whole_however_its_servicer_writes_it(
    channel: grpc.aio.Channel, identities: Identities, method: str
) -> None:
    call: Any = channel.unary_stream(f"/{NAME}/{method}")
    assert [item async for item in call(b"5", metadata=bearer(identities.player()))] == [b"0", b"1", b"2", b"3", b"4"]
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call(b"5").read()
    assert api_error(failed.value).code == "NO_TOKEN"


async def test_a_stream_that_fails_midway_tells_nothing_either(
    channel: grpc.aio.Channel, identities: Identities, lines: Lines
) -> None:
    call: Any = channel.unary_stream(f"/{NAME}/Count")
    stream = call(b"3", metadata=bearer(identities.player()))
    assert [await stream.read() for _ in range(3)] == [b"0", b"1", b"2"]
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await stream.read()
    assert api_error(failed.value).code == "INTERNAL"
    assert MARK not in str(failed.value) + lines.getvalue()


async def test_a_conversation_is_guarded_message_by_message(channel: grpc.aio.Channel, identities: Identities) -> None:
    call: Any = channel.stream_stream(f"/{NAME}/Shout")
    talk = call(metadata=bearer(identities.player()))
    await talk.write(b"one")
    assert await talk.read() == b"ONE"
    await talk.write(b"\xff\xfe")
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await talk.read()
    assert api_error(failed.value).code == "BAD_REQUEST"


async def test_a_stream_of_requests_gives_one_answer(channel: grpc.aio.Channel, identities: Identities) -> None:
    call: Any = channel.stream_unary(f"/{NAME}/Add")
    assert await call(iter([b"1", b"2", b"39"]), metadata=bearer(identities.player())) == b"42"
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call(iter([b"1"]))
    assert api_error(failed.value).code == "NO_TOKEN"
