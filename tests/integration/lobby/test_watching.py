"""Watching a room over gRPC, and who may not."""

import asyncio
import uuid

import grpc
import pytest
from banakil.lobby.v1 import lobby_pb2
from banakil.lobby.v1.lobby_pb2_grpc import LobbyServiceStub

from services.lobby.watching import MOST_WATCHES
from shared.kit.clients import answer, bearer
from shared.kit.identity import TokenIssuer
from shared.kit.keys import SigningKey
from shared.kit.status import api_error
from tests.support.lobby import Guest, LobbyWorld, RunningLobby, refusal


async def ends_with(guest: Guest, room_id: str) -> str:
    """The code with which a watch ends."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        async for _ in guest.watch(room_id):
            pass
    return api_error(refused.value).code


async def test_each_change_of_a_room_is_shown_to_those_in_it(lobby: RunningLobby) -> None:
    host, friend = await lobby.guests(2)
    room = await host.create()
    watched = aiter(host.watch(room.room_id))
    shown = [(await anext(watched)).room]
    shown.append(await friend.join(room.code))
    assert (await anext(watched)).room == shown[-1]
    await friend.leave(room.room_id)
    assert (await anext(watched)).room == shown[0]


async def test_only_those_in_a_room_may_watch_it(lobby: RunningLobby) -> None:
    host, friend, stranger = await lobby.guests(3)
    room = await host.create()
    assert await ends_with(stranger, room.room_id) == "NOT_IN_ROOM"
    assert await ends_with(stranger, str(uuid.uuid4())) == "NO_SUCH_ROOM"
    assert await ends_with(stranger, room.code) == "BAD_REQUEST"
    await friend.join(room.code)
    leaving = asyncio.create_task(ends_with(friend, room.room_id))
    watched = aiter(friend.watch(room.room_id))
    await anext(watched)
    await friend.leave(room.room_id)
    assert await leaving == "NOT_IN_ROOM"


async def test_an_account_has_so_many_watches_open_and_no_more(lobby: RunningLobby) -> None:
    host = await lobby.guest()
    room = await host.create()
    open_ones = [aiter(host.watch(room.room_id)) for _ in range(MOST_WATCHES)]
    for watched in open_ones:
        await anext(watched)
    assert await ends_with(host, room.room_id) == "RATE_LIMITED"


async def test_watches_end_when_the_lobby_stops(world: LobbyWorld) -> None:
    async with world.lobby() as lobby:
        host = await lobby.guest()
        room = await host.create()
        watched = aiter(host.watch(room.room_id))
        await anext(watched)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await anext(watched)
    assert api_error(refused.value).code == "DRAINING"


async def test_an_account_that_is_not_kept_here_is_told_so(lobby: RunningLobby, world: LobbyWorld) -> None:
    issuer = TokenIssuer("lobby", SigningKey.load(world.folder / "keys" / "private" / "lobby.jwk"), world.clock)
    stub = LobbyServiceStub(lobby.channel)
    request = lobby_pb2.QuickPlayRequest(command_id=str(uuid.uuid4()), preset=1)  # type: ignore[arg-type]  # by number
    token = issuer.for_account("gone").text
    assert await refusal(answer(stub.QuickPlay(request, metadata=bearer(token)))) == "NO_SUCH_ACCOUNT"
    assert await refusal(answer(stub.QuickPlay(request))) == "NO_TOKEN"
    service = issuer.for_service("lobby").text
    assert await refusal(answer(stub.QuickPlay(request, metadata=bearer(service)))) == "ROLE_NOT_ADMITTED"
