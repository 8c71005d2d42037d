"""Any process answers for any table, by at most one hop; new tables go where the fewest are."""

import asyncio
import re
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest
from banakil.table.v1 import hints_pb2, seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from shared.codec.options import write_options
from shared.kit.clients import bearer
from shared.kit.rpc_context import VIA_KEY
from shared.kit.status import ApiError, api_error
from shared.rules.options import make_options
from tests.support.kit import eventually
from tests.support.roaming import make_table, mover, plain, seated
from tests.support.table_cluster import TableCluster

pytestmark = pytest.mark.needs_postgres
DUEL = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 60})


@pytest.fixture
async def stubs(cluster: TableCluster) -> AsyncIterator[dict[str, Any]]:
    """A way to each process alone, by its address."""
    async with AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(grpc.aio.insecure_channel(pod.address)) for pod in cluster.pods]
        yield {pod.address: TableServiceStub(channel) for pod, channel in zip(cluster.pods, channels, strict=True)}


async def refused(call: Any) -> ApiError:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return api_error(failed.value)


async def test_every_process_answers_every_call_for_a_table_that_one_of_them_runs(
    cluster: TableCluster, channel: grpc.aio.Channel, stubs: dict[str, Any]
) -> None:
    lobby = cluster.issuer("lobby")
    async with seated(channel, lobby, DUEL, "any-ada", "any-bea") as players:
        table_id, (player, state) = players[0].table_id, mover(players)
        owner = (await cluster.owner_of(table_id)).address
        by = {"metadata": bearer(lobby.for_account(player.account).text), "timeout": 10}
        await player.leave()
        request = player.request(plain(state))
        acted = [await stub.Act(request, **by) for stub in stubs.values()]
        assert {answer.owner_address for answer in acted} == {owner}
        assert len({answer.revision for answer in acted}) == 1
        for stub in stubs.values():
            shown = await stub.GetView(wire.GetViewRequest(table_id=table_id), **by)
            assert shown.view.deal.turn_no == 2
            hints = await stub.GetHints(hints_pb2.GetHintsRequest(table_id=table_id), **by)
            assert hints.revision == shown.view.revision
            watching = stub.Watch(wire.WatchRequest(table_id=table_id), **by)
            first = await anext(aiter(watching))
            assert first.snapshot.viewer_seat == player.number
            watching.cancel()
            stale = player.request(plain(state))
            assert (await refused(stub.Act(stale, **by))).code == "STALE_TURN"
            stranger = bearer(lobby.for_account("any-eve").text)
            assert (await refused(stub.Act(request, metadata=stranger))).code == "NOT_SEATED"


async def test_who_was_passed_on_is_not_passed_on_again(
    cluster: TableCluster, channel: grpc.aio.Channel, stubs: dict[str, Any]
) -> None:
    lobby, table = cluster.issuer("lobby"), cluster.issuer("table")
    async with seated(channel, lobby, DUEL, "hop-ada", "hop-bea") as players:
        player, state = mover(players)
        owner = (await cluster.owner_of(player.table_id)).address
        metadata = (
            *bearer(lobby.for_account(player.account).text),
            (VIA_KEY, table.for_service("table").text),
        )
        request = player.request(plain(state))
        for address, stub in stubs.items():
            if address != owner:
                error = await refused(stub.Act(request, metadata=metadata))
                assert (error.code, error.retry_after_ms is not None) == ("DRAINING", True)
                assert owner.rpartition(":")[2] not in error.message + str(error.metadata)
        assert (await stubs[owner].Act(request, metadata=metadata)).owner_address == owner


async def live_tables(cluster: TableCluster) -> Counter[str]:
    rows = await cluster.rows(
        "SELECT address, count(table_id) FROM pods LEFT JOIN tables ON owner = pod_id AND live"
        " WHERE expires_ms > extract(epoch FROM clock_timestamp()) * 1000 GROUP BY address"
    )
    return Counter({row[0]: row[1] for row in rows})


async def have_counted(cluster: TableCluster) -> bool:
    """Whether every process has said how many tables it runs."""
    rows = await cluster.rows(
        "SELECT live_tables, (SELECT count(*) FROM tables WHERE owner = pod_id AND live) FROM pods"
        " WHERE expires_ms > extract(epoch FROM clock_timestamp()) * 1000"
    )
    return all(said == true for said, true in rows)


async def test_new_tables_are_made_where_the_fewest_are_live_whoever_is_asked(
    cluster: TableCluster, stubs: dict[str, Any]
) -> None:
    lobby = cluster.issuer("lobby")
    async with grpc.aio.insecure_channel(cluster.pods[0].address) as one:

        async def are_placed_evenly() -> bool:
            await eventually(lambda: have_counted(cluster))
            before = await live_tables(cluster)
            made = [await make_table(one, lobby, DUEL, f"placed-{number}-a", "") for number in range(9)]
            placed = Counter([(await cluster.owner_of(table_id)).address for table_id in made])
            level = {address: before[address] + placed[address] for address in {*before, *placed}}
            return all(level[address] <= min(level.values()) + 2 for address in placed)

        await eventually(are_placed_evenly)  # a process that a busy machine held up has its tables taken over


async def test_a_table_asked_for_twice_is_made_once_whichever_processes_are_asked(
    cluster: TableCluster, stubs: dict[str, Any]
) -> None:
    request = seating_pb2.CreateRequest(
        table_id=str(uuid.uuid4()),
        options=write_options(DUEL),
        seats=[seating_pb2.SeatAssignment(account_id=f"twice-{n}", display_name="Twice") for n in range(2)],
    )
    by = {"metadata": bearer(cluster.issuer("lobby").for_service("table").text), "timeout": 10}
    made = await asyncio.gather(*(stub.Create(request, **by) for stub in stubs.values() for _ in range(4)))
    assert len({answer.revision for answer in made}) == 1
    [row] = await cluster.rows(f"SELECT count(*) FROM entries WHERE table_id = '{request.table_id}' AND revision = 1")
    assert row[0] == 1
    request.host_seat = 1
    for stub in stubs.values():
        assert (await refused(stub.Create(request, **by))).code == "DUPLICATE_COMMAND_BODY"


async def test_a_house_bot_takes_its_seat_by_any_process(cluster: TableCluster, stubs: dict[str, Any]) -> None:
    async with grpc.aio.insecure_channel(cluster.pods[0].address) as one:
        table_id = await make_table(one, cluster.issuer("lobby"), DUEL, "bots-ada", "")
    [row] = await cluster.rows(f"SELECT events FROM entries WHERE table_id = '{table_id}' AND revision = 1")
    vacancy = vacancy_of(row[0])
    token = bearer(cluster.issuer("bots").for_service("table", account="house-1").text)
    request = seating_pb2.TakeSeatRequest(table_id=table_id, vacancy_id=vacancy, display_name="House")
    taken = [await stub.TakeSeat(request, metadata=token) for stub in stubs.values()]
    assert {(answer.seat, answer.revision) for answer in taken} == {(1, 2)}


def vacancy_of(events: str) -> str:
    """The vacancy in the event that made a table."""
    [found] = re.findall(r'"([0-9a-f]+:1)"', events)
    return str(found)


async def test_scenario_3_one_account_that_watches_by_several_processes_has_one_seat(
    cluster: TableCluster, channel: grpc.aio.Channel, stubs: dict[str, Any]
) -> None:
    """The newer Watch goes on, the older is told."""
    lobby = cluster.issuer("lobby")
    async with seated(channel, lobby, DUEL, "two-ada", "two-bea") as players:
        player = players[0]
        await player.leave()
        token = bearer(lobby.for_account(player.account).text)
        watches = []
        for stub in stubs.values():
            watching = stub.Watch(wire.WatchRequest(table_id=player.table_id), metadata=token)
            assert (await anext(aiter(watching))).snapshot.viewer_seat == player.number
            watches.append(watching)
        for older in watches[:-1]:
            assert (await refused(read_on(older))).code == "WATCH_SUPERSEDED"
        other = players[1]
        await other.until(lambda: not other.client.view.seats[player.number].away)
        watches[-1].cancel()


async def read_on(watching: Any) -> None:
    async for _ in watching:
        pass
