"""AdminService over real sockets: operators alone, each use written down, and no hand shown."""

import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from banakil.table.v1 import admin_pb2 as wire
from banakil.table.v1 import table_pb2
from banakil.table.v1.admin_pb2_grpc import AdminServiceStub
from banakil.table.v1.views_pb2 import STAGE_CLOSED

from shared.kit.clients import Channels, bearer
from shared.kit.identity import TokenIssuer
from shared.kit.keys import SigningKey
from shared.rules.actions import Discard
from shared.rules.cards import bag_cards
from shared.rules.record import read_record
from shared.rules.replay import replay
from tests.integration.table.test_relay import PEOPLE, SAHRAT
from tests.support.table_service import TableServer, refused, whole_record

NOWHERE = "00000000-0000-4000-8000-000000000000"


class Operator:
    """One who runs the system."""

    def __init__(self, server: TableServer, channel: grpc.aio.Channel, name: str) -> None:
        key = SigningKey.load(server.data / "keys/private/operator.jwk")
        self._issuer = TokenIssuer("operator", key, server.clock)
        self._name = name
        self._stub: Any = AdminServiceStub(channel)

    @property
    def token(self) -> str:
        return self._issuer.for_service("table", account=self._name).text

    async def ask(self, method: str, request: Any) -> Any:
        return await getattr(self._stub, method)(request, metadata=bearer(self.token))

    async def refused(self, method: str, request: Any, token: str = "") -> str:
        call = getattr(self._stub, method)(request, metadata=bearer(token or self.token))
        return (await refused(call)).code


@pytest.fixture
async def operator(server: TableServer) -> AsyncIterator[Operator]:
    async with Channels(None) as channels:
        yield Operator(server, channels.to(server.app.address, "table"), "samira")


def audited(server: TableServer, target: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(server.data / "table.db") as database:
        query = "SELECT operator, what, reason, outcome FROM audit WHERE target = ? ORDER BY id"
        return database.execute(query, (target,)).fetchall()


async def throw(server: TableServer, table_id: str, account: str) -> None:
    """The first discard of a deal, by who starts it."""
    async with server.watching(table_id, account) as sight:
        await sight.more()
        state = sight.state()
    await server.act(table_id, account, Discard(state.turn, bag_cards(state.hands[state.turn])[0]), (1, 1))


async def test_an_operator_lists_looks_into_stops_and_ends_a_table_and_all_of_it_is_written_down(
    server: TableServer, operator: Operator
) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    seen = await operator.ask("Inspect", wire.InspectRequest(table_id=table_id))
    listed = await operator.ask("ListTables", wire.ListTablesRequest(page_size=500))
    entry = next(entry for entry in listed.tables if entry.table_id == table_id)
    assert (entry.revision, entry.epoch, entry.pod_id) == (seen.view.revision, seen.epoch, "")
    assert not listed.pods
    left_ms = seen.remaining_ms
    frozen = await operator.ask("Freeze", wire.FreezeRequest(table_id=table_id, reason="a quarrel"))
    assert (await operator.ask("Freeze", wire.FreezeRequest(table_id=table_id, reason="again"))).revision == (
        frozen.revision
    )
    starter = PEOPLE[seen.view.deal.turn_seat]
    server.clock.advance(left_ms + 3_600_000)
    with pytest.raises(grpc.aio.AioRpcError, match="stands still"):
        await throw(server, table_id, starter)
    seen = await operator.ask("Inspect", wire.InspectRequest(table_id=table_id))
    assert (seen.view.frozen, seen.HasField("remaining_ms")) == (True, False)
    assert seen.server_now_ms - seen.frozen_since_ms >= left_ms + 3_600_000
    await operator.ask("Unfreeze", wire.UnfreezeRequest(table_id=table_id, reason="they made up"))
    seen = await operator.ask("Inspect", wire.InspectRequest(table_id=table_id))
    assert (seen.view.frozen, seen.remaining_ms) == (False, left_ms)
    await throw(server, table_id, starter)
    await operator.ask("Abort", wire.AbortRequest(table_id=table_id, reason="a fault of ours"))
    seen = await operator.ask("Inspect", wire.InspectRequest(table_id=table_id))
    assert (seen.view.stage, seen.view.aborted) == (STAGE_CLOSED, True)
    assert await operator.refused("Freeze", wire.FreezeRequest(table_id=table_id, reason="x")) == "TABLE_CLOSED"
    assert audited(server, table_id) == [
        ("samira", "inspect", "", "done"),
        ("samira", "freeze", "a quarrel", "done"),
        ("samira", "freeze", "again", "done"),
        ("samira", "inspect", "", "done"),
        ("samira", "unfreeze", "they made up", "done"),
        ("samira", "inspect", "", "done"),
        ("samira", "abort", "a fault of ours", "done"),
        ("samira", "inspect", "", "done"),
        ("samira", "freeze", "x", "TABLE_CLOSED"),
    ]
    record = read_record(await whole_record(server, seen.view.match.match_id))
    [deal] = replay(record).deals
    assert deal.end is None
    assert deal.turn_no >= 2


async def test_what_an_operator_sees_of_a_table_is_what_anybody_sees(server: TableServer, operator: Operator) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    seen = await operator.ask("Inspect", wire.InspectRequest(table_id=table_id))
    public = await server.stub.GetView(table_pb2.GetViewRequest(table_id=table_id), **server.by("anybody"))
    assert seen.view == public.view
    assert not seen.view.deal.hand


async def test_a_wrong_call_is_refused_and_written_down_where_it_could_be_read(
    server: TableServer, operator: Operator
) -> None:
    cases = [
        ("Inspect", wire.InspectRequest(table_id=NOWHERE), "NO_SUCH_TABLE"),
        ("Inspect", wire.InspectRequest(table_id="x"), "BAD_REQUEST"),
        ("Freeze", wire.FreezeRequest(table_id=NOWHERE), "BAD_REQUEST"),
        ("Unfreeze", wire.UnfreezeRequest(table_id=NOWHERE, reason="x" * 201), "BAD_REQUEST"),
        ("Abort", wire.AbortRequest(table_id=NOWHERE, reason="two\nlines"), "BAD_REQUEST"),
        ("Abort", wire.AbortRequest(table_id=NOWHERE, reason="gone"), "NO_SUCH_TABLE"),
        ("ListTables", wire.ListTablesRequest(page_size=501), "BAD_REQUEST"),
        ("ListTables", wire.ListTablesRequest(after_table_id="'; --"), "BAD_REQUEST"),
        ("Drain", wire.DrainRequest(reason="x"), "BAD_REQUEST"),
        ("Drain", wire.DrainRequest(pod="127.0.0.1:1", reason="a new release"), "NO_OTHER_POD"),
    ]
    for method, request, code in cases:
        assert await operator.refused(method, request) == code
    assert [entry[1:] for entry in audited(server, NOWHERE)] == [
        ("inspect", "", "NO_SUCH_TABLE"),
        ("abort", "gone", "NO_SUCH_TABLE"),
    ]
    assert audited(server, "127.0.0.1:1") == [("samira", "drain", "a new release", "NO_OTHER_POD")]


async def test_nobody_but_an_operator_is_admitted(server: TableServer, operator: Operator) -> None:
    requests = {
        "ListTables": wire.ListTablesRequest(),
        "Inspect": wire.InspectRequest(table_id=NOWHERE),
        "Freeze": wire.FreezeRequest(table_id=NOWHERE, reason="x"),
        "Unfreeze": wire.UnfreezeRequest(table_id=NOWHERE, reason="x"),
        "Abort": wire.AbortRequest(table_id=NOWHERE, reason="x"),
        "Drain": wire.DrainRequest(pod="x", reason="x"),
    }
    callers = [server.token(account="ada"), server.token(account="robo", bot=True)]
    callers += [server.token(issuer) for issuer in ("lobby", "gateway", "bots", "table", "wallet", "shuffle")]
    before = len(audited(server, NOWHERE))
    for method, request in requests.items():
        for token in callers:
            assert await operator.refused(method, request, token) == "ROLE_NOT_ADMITTED"
    assert len(audited(server, NOWHERE)) == before
