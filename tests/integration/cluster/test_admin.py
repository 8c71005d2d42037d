"""Spectators, phrases, operators' calls: any process answers for any table, and a process' death undoes nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest
from banakil.table.v1 import admin_pb2 as wire
from banakil.table.v1 import saying_pb2, spectating_pb2
from banakil.table.v1.admin_pb2_grpc import AdminServiceStub
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from shared.kit.clients import answer, bearer
from shared.kit.status import ApiError
from shared.rules.options import make_options
from tests.support.kit import PATIENCE_S, eventually
from tests.support.roaming import make_table, mover, plain, seated
from tests.support.table_cluster import TableCluster

pytestmark = pytest.mark.needs_postgres
SLOW = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 300})


@pytest.fixture
async def channels(cluster: TableCluster) -> AsyncIterator[dict[str, grpc.aio.Channel]]:
    """A way to each process alone, by its address."""
    async with AsyncExitStack() as stack:
        yield {
            pod.address: await stack.enter_async_context(grpc.aio.insecure_channel(pod.address)) for pod in cluster.pods
        }


class Operator:
    def __init__(self, cluster: TableCluster) -> None:
        self._issuer = cluster.issuer("operator")

    async def ask(self, channel: grpc.aio.Channel, method: str, request: Any) -> Any:
        metadata = bearer(self._issuer.for_service("table", account="samira").text)
        return await answer(getattr(AdminServiceStub(channel), method)(request, metadata=metadata, timeout=PATIENCE_S))


async def test_who_looks_on_and_what_is_said_comes_through_any_process(
    cluster: TableCluster, channel: grpc.aio.Channel, channels: dict[str, grpc.aio.Channel]
) -> None:
    lobby = cluster.issuer("lobby")
    async with seated(channel, lobby, SLOW, "seen-ada", "seen-bea") as players:
        table_id, calls = players[0].table_id, []
        for number, each in enumerate(channels.values()):
            request = spectating_pb2.SpectateRequest(table_id=table_id)
            call: Any = TableServiceStub(each).Spectate(
                request, metadata=bearer(lobby.for_account(f"eye-{number}").text)
            )
            calls.append(call)
            first = await call.read()
            assert (first.snapshot.HasField("viewer_seat"), list(first.snapshot.deal.hand)) == (False, [])
            assert first.spectators == number + 1
        said, metadata = (
            saying_pb2.SayRequest(table_id=table_id, phrase_id="rose"),
            bearer(lobby.for_account("seen-ada").text),
        )
        for each in channels.values():
            await TableServiceStub(each).Say(said, metadata=metadata)
        async with asyncio.timeout(PATIENCE_S):
            for call in calls:
                heard = 0
                while heard < len(channels):
                    heard += (await call.read()).HasField("said")
                call.cancel()


async def test_a_table_that_an_operator_stopped_stays_so_when_its_process_is_killed(
    cluster: TableCluster, channel: grpc.aio.Channel, channels: dict[str, grpc.aio.Channel]
) -> None:
    operator = Operator(cluster)
    async with seated(channel, cluster.issuer("lobby"), SLOW, "still-ada", "still-bea") as players:
        table_id, (player, state) = players[0].table_id, mover(players)
        owner = await cluster.owner_of(table_id)
        for each in channels.values():
            await operator.ask(each, "Freeze", wire.FreezeRequest(table_id=table_id, reason="a trial"))
        shown = [
            await operator.ask(each, "Inspect", wire.InspectRequest(table_id=table_id)) for each in channels.values()
        ]
        assert {(one.owner_address, one.view.frozen) for one in shown} == {(owner.address, True)}
        frozen_since_ms = shown[0].frozen_since_ms
        await owner.kill()
        other = next(pod for pod in cluster.pods if pod.is_running)

        async def moved() -> bool:
            try:
                seen = await operator.ask(channels[other.address], "Inspect", wire.InspectRequest(table_id=table_id))
            except ApiError:
                return False
            assert (seen.view.frozen, seen.frozen_since_ms) == (True, frozen_since_ms)
            return bool(seen.owner_address != owner.address) and seen.epoch > shown[0].epoch

        await eventually(moved)
        metadata = bearer(cluster.issuer("lobby").for_account(player.account).text)
        act = TableServiceStub(channels[other.address]).Act(player.request(plain(state)), metadata=metadata)
        with pytest.raises(ApiError, match="TABLE_FROZEN"):
            await answer(act)
        request = wire.UnfreezeRequest(table_id=table_id, reason="a trial")
        await operator.ask(channels[other.address], "Unfreeze", request)
        await player.act(plain(state))
        noted = await cluster.rows(f"SELECT what, operator, outcome FROM audit WHERE target = '{table_id}'")
        assert ("unfreeze", "samira", "done") in [tuple(row) for row in noted]


async def test_a_process_that_is_drained_hands_its_tables_over_and_goes_on_answering(
    cluster: TableCluster, channel: grpc.aio.Channel, channels: dict[str, grpc.aio.Channel]
) -> None:
    operator = Operator(cluster)
    async with seated(channel, cluster.issuer("lobby"), SLOW, "drained-ada", "drained-bea") as players:
        table_id = players[0].table_id
        owner = await cluster.owner_of(table_id)
        other = next(pod for pod in cluster.pods if pod is not owner)
        request = wire.DrainRequest(pod=owner.address, reason="a new release")
        assert (await operator.ask(channels[other.address], "Drain", request)).live_tables >= 1

        async def moved() -> bool:
            return (await cluster.owner_of(table_id)).address != owner.address

        await eventually(moved)
        player, state = mover(players)
        await player.act(plain(state))
        seen = await operator.ask(channels[owner.address], "Inspect", wire.InspectRequest(table_id=table_id))
        assert seen.owner_address not in ("", owner.address)
        made = [
            await make_table(channels[owner.address], cluster.issuer("lobby"), SLOW, f"late-{n}-a", f"late-{n}-b")
            for n in range(2 * len(cluster.pods))
        ]
        assert owner.address not in {(await cluster.owner_of(table_id)).address for table_id in made}
        request = wire.DrainRequest(pod="127.0.0.1:1", reason="a new release")
        with pytest.raises(ApiError, match="NO_SUCH_POD"):
            await operator.ask(channels[other.address], "Drain", request)
        await owner.end()  # started again for the next test: until then it takes no table
