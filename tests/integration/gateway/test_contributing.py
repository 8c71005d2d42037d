"""Parts of a shuffle over the gateway: passed on as they came, and never behind anything slow."""

import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from banakil.table.v1 import contributing_pb2
from banakil.table.v1 import table_pb2 as wire

from shared.kit.clock import RealClock
from shared.kit.identity import TokenVerifier
from tests.support.gateway import Socket, World, open_socket, open_world
from tests.support.kit import eventually
from tests.support.table_peer import TablePeer

WHICH = {"matchId": "ab" * 16, "dealNo": 2, "attempt": 1}
Refusal = wire.RelayAnswer.Refusal


class RelayPeer(TablePeer):
    """A table service at the other end of a Relay: it notes what comes, and answers when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[wire.RelayItem] = []
        self.answers_with: wire.RelayAnswer | None = wire.RelayAnswer(contributed=contributing_pb2.ContributeResponse())
        """To contributions; None: no answer. Actions are never answered."""

    async def Relay(self, requests: Any, _context: Any) -> AsyncIterator[wire.RelayResponse]:  # noqa: N802  # the RPC's
        async for batch in requests:
            for item in batch.items:
                self.items.append(item)
                if self.answers_with is not None and item.WhichOneof("item") == "contribute":
                    answer = wire.RelayAnswer(key=item.key)
                    answer.MergeFrom(self.answers_with)
                    yield wire.RelayResponse(answers=[answer])

    def contributed(self) -> list[contributing_pb2.ContributeRequest]:
        return [item.contribute for item in self.items if item.WhichOneof("item") == "contribute"]


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with open_world(tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture
async def peer(world: World) -> AsyncIterator[RelayPeer]:
    peer = RelayPeer()
    async with world.table_peer(peer), world.gateway():
        yield peer


@pytest.fixture
async def socket(world: World, peer: RelayPeer) -> AsyncIterator[Socket]:
    async with open_socket(world.web) as socket:
        await socket.hello(world.token("ada"))
        yield socket


async def contribute(socket: Socket, **what: Any) -> str:
    command_id = str(uuid.uuid4())
    await socket.send("contribute", **{"commandId": command_id, "tableId": "t", **WHICH, **what})
    return command_id


@pytest.mark.parametrize(("name", "value"), [("hHex", "ab" * 64), ("cHex", "cd" * 32), ("cut", 41)])
async def test_a_contribution_is_passed_on_with_the_players_own_token(
    world: World, peer: RelayPeer, socket: Socket, name: str, value: object
) -> None:
    command_id = await contribute(socket, **{name: value})
    assert await socket.receive() == {"t": "done", "commandId": command_id}
    [item] = peer.items
    asked = item.contribute
    assert (asked.table_id, asked.match_id, asked.deal_no, asked.attempt) == ("t", "ab" * 16, 2, 1)
    assert {"hHex": asked.h_hex, "cHex": asked.c_hex, "cut": asked.cut}[name] == value
    verifier = TokenVerifier.from_directory(RealClock(), world.data / "keys" / "public")
    assert verifier.verify(item.token).account == "ada"


async def test_a_refusal_is_the_tables_own(peer: RelayPeer, socket: Socket) -> None:
    peer.answers_with = wire.RelayAnswer(refused=Refusal(code="STALE_CEREMONY", status=10, message="another attempt"))
    command_id = await contribute(socket, hHex="ab" * 64)
    refused = {"t": "refused", "commandId": command_id, "code": "STALE_CEREMONY", "message": "another attempt"}
    assert await socket.receive() == refused


@pytest.mark.parametrize("what", [{"hHex": "ab", "cut": 1}, {"cut": -1}, {"c": "ab"}, {"dealNo": "x"}, {"hHex": 7}])
async def test_what_cannot_be_read_is_refused_and_not_passed_on(
    peer: RelayPeer, socket: Socket, what: dict[str, object]
) -> None:
    command_id = await contribute(socket, **what)
    refused = await socket.receive()
    assert (refused["t"], refused["commandId"], refused["code"]) == ("refused", command_id, "BAD_REQUEST")
    assert peer.items == []


async def test_a_contribution_does_not_wait_behind_actions(peer: RelayPeer, socket: Socket) -> None:
    for _ in range(3):
        await socket.send("act", commandId=str(uuid.uuid4()), tableId="t", dealNo=1, turnNo=1, action={"draw": {}})
    await eventually(lambda: len(peer.items) == 1)
    command_id = await contribute(socket, hHex="ab" * 64)
    assert await socket.receive() == {"t": "done", "commandId": command_id}


async def test_of_one_too_many_that_wait_it_is_said_at_once(peer: RelayPeer, socket: Socket) -> None:
    peer.answers_with = None
    await contribute(socket, hHex="ab" * 64)
    await eventually(lambda: len(peer.items) == 1)
    waiting = [await contribute(socket, hHex="ab" * 64) for _ in range(5)]
    refused = await socket.receive()
    assert (refused["commandId"], refused["code"]) == (waiting[4], "OVERLOADED")
    assert len(peer.items) == 1


async def test_without_an_answer_the_client_hears_nothing_and_may_send_it_again(tmp_path: Path) -> None:
    """The table service dies while a contribution is under way: it may have been taken in, or not."""
    async with open_world(tmp_path) as world, AsyncExitStack() as first:
        peer = RelayPeer()
        await first.enter_async_context(world.table_peer(peer))
        async with world.gateway(), open_socket(world.web) as socket:
            await socket.hello(world.token("ada"))
            await contribute(socket, hHex="ab" * 64)
            # Before the first answer gRPC itself would open the stream anew, and send again what went down it.
            await socket.expect("done")
            peer.answers_with = None
            await contribute(socket, cHex="cd" * 32)
            await eventually(lambda: len(peer.items) == 2)
            await first.aclose()
            await socket.send("ping", n=1)
            assert (await socket.receive())["t"] == "pong"
            another = RelayPeer()
            async with world.table_peer(another):
                command_id = await contribute(socket, cHex="cd" * 32)
                assert await socket.receive() == {"t": "done", "commandId": command_id}
    assert another.contributed() == peer.contributed()[1:]


async def test_a_socket_that_closes_takes_its_contributions_along(world: World, peer: RelayPeer) -> None:
    peer.answers_with = None
    async with open_socket(world.web) as socket:
        await socket.hello(world.token("ada"))
        for _ in range(3):
            await contribute(socket, hHex="ab" * 64)
        await eventually(lambda: len(peer.items) == 1)
    async with open_socket(world.web) as socket:
        await socket.hello(world.token("bea"))
        peer.answers_with = wire.RelayAnswer(contributed=contributing_pb2.ContributeResponse())
        await contribute(socket, cut=7)
        await socket.expect("done")
    assert len(peer.items) == 2
