"""A process that is stopped past its lease and goes on later: it changes nothing that is another's by then."""

import signal

import grpc
import pytest
from banakil.shuffle.v1 import shuffle_pb2
from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceStub
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from shared.codec.fair import write_context
from shared.kit.clients import bearer
from shared.kit.status import api_error
from shared.rules.options import make_options
from tests.support.contributing import context_of
from tests.support.kit import eventually
from tests.support.roaming import make_table, mover, plain, seated
from tests.support.table_cluster import TableCluster

pytestmark = pytest.mark.needs_postgres
DUEL = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 60})
MOST_TABLES = 200
"""New ones go to whoever has the fewest: that may be the other two for long."""
QUICK = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 5})


async def test_who_was_stopped_past_its_lease_appends_nothing_and_what_it_was_asked_is_done_once_elsewhere(
    cluster: TableCluster, channel: grpc.aio.Channel
) -> None:
    lobby = cluster.issuer("lobby")
    async with seated(channel, lobby, DUEL, "stopped-ada", "stopped-bea") as players:
        table_id, (player, state) = players[0].table_id, mover(players)
        fair = player.client.view.fair
        owner = await cluster.owner_of(table_id)
        # Another of its tables, whose clock is to run out while it is stopped.
        quick = await table_at(cluster, channel, owner.address)
        for one in players:
            await one.leave()
        async with grpc.aio.insecure_channel(owner.address) as direct:
            token = bearer(lobby.for_account(player.account).text)
            await direct.channel_ready()
            owner.send(signal.SIGSTOP)
            asked = TableServiceStub(direct).Act(player.request(plain(state)), metadata=token, timeout=30)
            await eventually(lambda: is_owned_elsewhere(cluster, owner.address, table_id, quick))
            [claimed] = await cluster.rows(f"SELECT epoch FROM tables WHERE table_id = '{table_id}'")
            await eventually(lambda: has_rung(cluster, quick))
            owner.send(signal.SIGCONT)
            acted = await asked
        assert acted.owner_address == (await cluster.owner_of(table_id)).address != owner.address
        await eventually(lambda: len(owner.log("lease.lost")) > 0)
        await eventually(lambda: has_come_back(cluster, owner.address))
        entries = await cluster.rows(
            f"SELECT command_id FROM entries WHERE table_id = '{quick}' AND action LIKE '%timeout%' AND deal_no = 1"
        )
        assert len({entry[0] for entry in entries}) == len(entries) > 0
        for table in (table_id, quick):
            numbers = await cluster.rows(f"SELECT revision FROM entries WHERE table_id = '{table}' ORDER BY revision")
            assert [row[0] for row in numbers] == list(range(1, len(numbers) + 1))
        # The new owner has called the shuffle service under its own epoch: the old one's is refused there too.
        assert claimed["epoch"] == 2
        await shuffle_refuses(cluster, table_id, fair)


async def table_at(cluster: TableCluster, channel: grpc.aio.Channel, address: str) -> str:
    """A table of quick turns, being dealt, that this process owns."""
    for number in range(MOST_TABLES):
        table_id = await make_table(channel, cluster.issuer("lobby"), QUICK, f"quick-{number}-a", f"quick-{number}-b")
        if (await cluster.owner_of(table_id)).address == address:
            return table_id
    raise AssertionError("new tables are not spread")


async def is_owned_elsewhere(cluster: TableCluster, address: str, *table_ids: str) -> bool:
    owners = [(await cluster.owner_of(table_id)).address for table_id in table_ids]
    return address not in owners


async def has_rung(cluster: TableCluster, table_id: str) -> bool:
    """Whether a turn has run out there."""
    query = f"SELECT 1 FROM entries WHERE table_id = '{table_id}' AND action LIKE '%timeout%'"
    return bool(await cluster.rows(query))


async def has_come_back(cluster: TableCluster, address: str) -> bool:
    """Whether the process is a pod again, under a new id."""
    rows = await cluster.rows(f"SELECT count(DISTINCT pod_id) FROM pods WHERE address = '{address}'")
    return bool(rows[0][0] > 1)


async def shuffle_refuses(cluster: TableCluster, table_id: str, fair: object) -> None:
    context = write_context(context_of(fair, 2))  # type: ignore[arg-type]  # as the wire has it
    async with grpc.aio.insecure_channel(cluster.shuffle.address) as line:
        stub = ShuffleServiceStub(line)
        token = bearer(cluster.issuer("table").for_service("shuffle").text)

        async def ask(epoch: int) -> None:
            owner = shuffle_pb2.TableOwner(table_id=table_id, epoch=epoch)
            await stub.Deck(shuffle_pb2.DeckRequest(context=context, owner=owner), metadata=token)

        await ask(2)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ask(1)
        assert api_error(refused.value).code == "STALE_EPOCH"
