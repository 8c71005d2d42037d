"""Wishes over the real service: granted once, refused with their code, over a Relay too."""

import asyncio
import uuid
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest
from banakil.table.v1 import hints_pb2, wishes_pb2
from banakil.table.v1 import table_pb2 as wire

from services.table.player_calls import COMINGS_AT_ONCE, WISHES_AT_ONCE
from shared.kit.clients import bearer
from shared.kit.status import api_error
from shared.rules.options import make_options
from tests.support.table_service import TableServer, end_of, refused
from tests.support.tables import table_id_of

DUEL = make_options({"preset": "sahrat", "mode": "duel"})


def wish(table_id: str, **what: Any) -> wishes_pb2.AskRequest:
    what = what or {"leave": wishes_pb2.Leave()}
    return wishes_pb2.AskRequest(**{"table_id": table_id, "command_id": str(uuid.uuid4()), **what})


@pytest.fixture
async def table(server: TableServer) -> str:
    return await server.dealt(DUEL)


async def test_who_leaves_is_shown_out_and_refused_from_then_on(server: TableServer, table: str) -> None:
    async with server.watching(table, "ada") as ada, server.watching(table, "bayan") as bayan:
        await asyncio.gather(ada.more(), bayan.more())
        request = wish(table)
        answers = [await server.stub.Ask(request, **server.by("ada")) for _ in range(2)]
        assert answers[0] == answers[1]
        await bayan.until(answers[0].revision)
        assert bayan.client.view.seats[0].left
        assert await end_of(ada) == "SEAT_LEFT"
    async with server.watching(table, "ada") as again:
        assert await end_of(again) == "SEAT_LEFT"
    for call in (
        server.stub.Ask(wish(table), **server.by("ada")),
        server.stub.GetHints(hints_pb2.GetHintsRequest(table_id=table), **server.by("ada")),
    ):
        assert (await refused(call)).code == "SEAT_LEFT"


async def test_every_wrong_wish_has_its_code(server: TableServer, table: str) -> None:
    used = wish(table, pause=wishes_pb2.Pause())
    cases: list[tuple[str, str, wishes_pb2.AskRequest]] = [
        ("BAD_REQUEST", "ada", wish(table, command_id="once")),
        ("BAD_REQUEST", "ada", wishes_pb2.AskRequest(table_id=table, command_id=str(uuid.uuid4()))),
        ("NO_SUCH_TABLE", "ada", wish(table_id_of(5))),
        ("NOT_SEATED", "eve", wish(table)),
        ("PAUSE_NOT_POSSIBLE", "ada", used),
        ("PAUSE_NOT_POSSIBLE", "ada", wish(table, end_pause=wishes_pb2.EndPause())),
    ]
    for code, account, request in cases:
        assert (await refused(server.stub.Ask(request, **server.by(account)))).code == code
    by_house = bearer(server.token("bots", "one"))
    assert (await refused(server.stub.Ask(wish(table), metadata=by_house))).code == "ROLE_NOT_ADMITTED"
    left = wish(table)
    await server.stub.Ask(left, **server.by("bayan"))
    left.pause.SetInParent()
    assert (await refused(server.stub.Ask(left, **server.by("bayan")))).code == "DUPLICATE_COMMAND_BODY"


async def test_wishes_have_a_limit_of_their_own(server: TableServer, table: str) -> None:
    request = wish(table, pause=wishes_pb2.Pause())
    for _ in range(WISHES_AT_ONCE):
        assert (await refused(server.stub.Ask(request, **server.by("ada")))).code == "PAUSE_NOT_POSSIBLE"
    assert (await refused(server.stub.Ask(request, **server.by("ada")))).code == "RATE_LIMITED"
    server.clock.advance(1_000)
    assert (await refused(server.stub.Ask(request, **server.by("ada")))).code == "PAUSE_NOT_POSSIBLE"


async def test_a_wish_is_granted_over_a_relay_by_the_players_own_token(server: TableServer, table: str) -> None:
    by_gateway = bearer(server.token("gateway"))
    asked = [
        wire.RelayItem(key=1, token=server.token("bots", "one"), ask=wish(table)),
        wire.RelayItem(key=2, token=server.token(account="ada"), ask=wish(table)),
    ]

    async def requests() -> Any:
        yield wire.RelayRequest(items=asked)

    answers = {}
    async for batch in server.stub.Relay(requests(), metadata=by_gateway):
        answers.update({answer.key: answer for answer in batch.answers})
    assert answers[1].refused.code == "ROLE_NOT_ADMITTED"
    assert answers[2].asked.revision > 0


async def test_who_comes_and_goes_without_end_is_told_to_wait_and_fills_no_journal(
    server: TableServer, table: str
) -> None:
    """The server's clock stands: what is allowed is what may come at once."""
    codes = []
    for _ in range(COMINGS_AT_ONCE + 5):
        async with server.watching(table, "ada") as ada:
            try:
                await ada.more()
            except grpc.aio.AioRpcError as error:
                codes.append(api_error(error).code)
    assert codes == ["RATE_LIMITED"] * 5
    async with AsyncExitStack() as stack:
        for _ in range(COMINGS_AT_ONCE + 5):  # each takes the place of the one before, so that nobody comes or goes
            bayan = await stack.enter_async_context(server.watching(table, "bayan"))
            await bayan.more()
            assert bayan.client.view.revision <= 2 * COMINGS_AT_ONCE + 12
    server.clock.advance(1_000)
    async with server.watching(table, "ada") as ada:
        await ada.more()
