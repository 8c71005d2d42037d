"""SIGTERM: tables are handed over within a second, and nobody who plays has to ask more than twice."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator

import grpc
import pytest
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from services.gateway.following import reopened
from services.gateway.relay import Relay, RelayedWatch
from shared.kit.clients import Channels
from shared.kit.clock import RealClock
from shared.kit.identity import ServiceCredentials
from shared.kit.status import ApiError
from shared.rules.options import make_options
from tests.support.kit import PATIENCE_S
from tests.support.roaming import mover, plain, seated
from tests.support.table_cluster import Pod, TableCluster

pytestmark = pytest.mark.needs_postgres
DUEL = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 60})
HAND_OVER_MS = 1_000


@pytest.fixture
async def relay(cluster: TableCluster) -> AsyncIterator[Relay]:
    """As a gateway has it."""
    async with Channels(ServiceCredentials(cluster.issuer("gateway"), RealClock())) as channels:
        addresses = ",".join(pod.address for pod in cluster.pods)
        relay = Relay(
            TableServiceStub(channels.to(f"ipv4:{addresses}", "table")),
            lambda address: TableServiceStub(channels.to(address, "table")),
        )
        try:
            yield relay
        finally:
            await relay.close()


def handed_over(pod: Pod) -> int:
    """How long its last hand-over took, in milliseconds."""
    return int(pod.log("tables.handed_over")[-1]["ms"])


async def test_a_plain_client_sees_at_most_one_retry_when_its_tables_are_handed_over(
    cluster: TableCluster, channel: grpc.aio.Channel
) -> None:
    async with seated(channel, cluster.issuer("lobby"), DUEL, "handed-ada", "handed-bea") as players:
        owner = await cluster.owner_of(players[0].table_id)
        player, state = mover(players)
        began_s = time.monotonic()
        ending = asyncio.ensure_future(owner.end())
        played = await player.act(plain(state))
        assert played.retries <= 1
        await asyncio.wait([ending])
        assert handed_over(owner) <= HAND_OVER_MS
        await player.reach(played.revision)
        for one in players:
            ends = [code for ended_s, code in one.ends if ended_s >= began_s]
            await one.until(lambda one=one: len(one.first_updates) == 2)  # type: ignore[misc]  # its own
            assert ends == ["DRAINING"]
        assert time.monotonic() - began_s < 5
        assert (await cluster.owner_of(player.table_id)).address != owner.address
        other = next(one for one in players if one is not player)
        await other.until(lambda: other.state is not None)


async def test_over_a_gateways_relay_it_is_one_retry_too(
    cluster: TableCluster, channel: grpc.aio.Channel, relay: Relay
) -> None:
    lobby = cluster.issuer("lobby")
    async with seated(channel, lobby, DUEL, "relayed-ada", "relayed-bea") as players:
        table_id, (player, state) = players[0].table_id, mover(players)
        token = lobby.for_account(player.account).text
        owner = await cluster.owner_of(table_id)
        await player.leave()
        watch = relay.watch(token, table_id, 0)
        seen = await first_update(watch)
        assert seen.snapshot.deal.turn_seat == state.turn
        ending = asyncio.ensure_future(owner.end())
        retries, revision = await acted(relay, token, player.request(plain(state)))
        assert retries <= 1
        with pytest.raises(ApiError) as end:
            async for _ in watch:
                pass
        assert end.value.status is grpc.StatusCode.UNAVAILABLE
        # As a gateway goes on: whoever it asks first may still be the one that is leaving.
        async with asyncio.timeout(PATIENCE_S):
            again = await anext(reopened(lambda: relay.watch(token, table_id, 0), RealClock()))
        assert wire.WatchResponse.FromString(again).snapshot.revision >= revision
        await asyncio.wait([ending])
        assert handed_over(owner) <= HAND_OVER_MS


async def first_update(watch: RelayedWatch) -> wire.WatchResponse:
    async with asyncio.timeout(PATIENCE_S):
        return wire.WatchResponse.FromString(await anext(aiter(watch)))


async def acted(relay: Relay, token: str, request: wire.ActRequest) -> tuple[int, int]:
    """How often it had to be sent again, and the revision that it made."""
    for retries in itertools.count():
        try:
            async with asyncio.timeout(PATIENCE_S):
                return retries, (await relay.act(token, request)).revision
        except ApiError as error:
            if error.status is not grpc.StatusCode.UNAVAILABLE:
                raise
            await RealClock().sleep_ms(error.retry_after_ms or 0)
    raise AssertionError


async def test_over_a_relay_a_table_is_found_wherever_it_is_and_the_way_is_remembered(
    cluster: TableCluster, channel: grpc.aio.Channel, relay: Relay
) -> None:
    lobby = cluster.issuer("lobby")
    for number in range(len(cluster.pods)):  # new tables are spread over all processes
        people = (f"found-{number}-a", f"found-{number}-b")
        async with seated(channel, lobby, DUEL, *people) as players:
            player, state = mover(players)
            token = lobby.for_account(player.account).text
            assert (await first_update(relay.watch(token, player.table_id, 0))).HasField("snapshot")
            answer = await relay.act(token, player.request(plain(state)))
            assert answer.owner_address == (await cluster.owner_of(player.table_id)).address
