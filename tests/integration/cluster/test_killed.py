"""A process of the table service is killed: the others go on with its tables, and nothing accepted is lost."""

import time

import grpc
import pytest
from banakil.table.v1.table_pb2 import WatchResponse

from shared.kit.clock import RealClock
from shared.kit.pod_lease import RENEW_MS
from shared.rules.options import make_options
from tests.support.roaming import Roamer, mover, plain, seated
from tests.support.table_cluster import TableCluster

pytestmark = pytest.mark.needs_postgres
DUEL = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 60})
FAIL_OVER_S = 3.0


def head_of(update: WatchResponse) -> int:
    """The table's revision, as an update tells it."""
    what = update.WhichOneof("update")
    if what == "heartbeat":
        return update.heartbeat.head_revision
    return update.snapshot.revision if what == "snapshot" else update.delta.revision


async def test_scenario_2_others_go_on_with_the_tables_of_a_process_that_was_killed(
    cluster: TableCluster, channel: grpc.aio.Channel
) -> None:
    async with seated(channel, cluster.issuer("lobby"), DUEL, "killed-ada", "killed-bea") as players:
        owner = await cluster.owner_of(players[0].table_id)
        player, state = mover(players)
        revision = player.client.revision
        killed_s = time.monotonic()
        await owner.kill()
        played = await player.act(plain(state))
        assert played.owner_address not in {"", owner.address}
        assert played.answered_s - killed_s < FAIL_OVER_S
        await player.reach(played.revision)
        other = next(one for one in players if one is not player)
        await other.until(lambda: other.state is not None)
        rows = await cluster.rows(
            f"SELECT revision, command_id, events FROM entries WHERE table_id = '{player.table_id}' ORDER BY revision"
        )
        assert [row["revision"] for row in rows] == list(range(1, len(rows) + 1))
        assert [row["revision"] for row in rows if played.command_id in row["command_id"]] == [played.revision]
        for one in players:  # are told the table's revision with the first update after the claim
            await one.until(lambda one=one: len(one.first_updates) == 2)  # type: ignore[misc]  # its own
            assert head_of(one.first_updates[1]) >= revision


async def test_a_table_that_nobody_calls_is_gone_on_with_and_its_clock_gets_the_outage_back(
    cluster: TableCluster, channel: grpc.aio.Channel
) -> None:
    async with seated(channel, cluster.issuer("lobby"), DUEL, "quiet-ada", "quiet-bea") as players:
        table_id = players[0].table_id
        player, _ = mover(players)
        deadline_ms = player.deadline_ms
        owner = await cluster.owner_of(table_id)
        for one in players:
            await one.leave()
        [before] = await cluster.rows(f"SELECT epoch, revision FROM tables WHERE table_id = '{table_id}'")
        killed_ms = RealClock().now_ms()
        await owner.kill()
        while (await cluster.owner_of(table_id)) is owner:
            await RealClock().sleep_ms(20)
        claimed_ms = RealClock().now_ms()
        [after] = await cluster.rows(f"SELECT epoch, revision FROM tables WHERE table_id = '{table_id}'")
        assert after["epoch"] == before["epoch"] + 1
        back = Roamer(channel, table_id, player.account, cluster.issuer("lobby").for_account(player.account).text)
        await back.watch()
        await back.until(lambda: back.deadline_ms > deadline_ms + 1)
        credited_ms = back.deadline_ms - deadline_ms
        await back.leave()
        assert 0 < credited_ms <= claimed_ms - killed_ms + RENEW_MS + 500
        assert claimed_ms - killed_ms < FAIL_OVER_S * 1_000


async def test_when_all_but_one_are_killed_the_one_answers_for_every_table(
    cluster: TableCluster, channel: grpc.aio.Channel
) -> None:
    lobby = cluster.issuer("lobby")
    async with (
        seated(channel, lobby, DUEL, "last-a", "last-b") as first,
        seated(channel, lobby, DUEL, "last-c", "last-d") as second,
    ):
        last = cluster.pods[-1]
        for pod in cluster.pods[:-1]:
            await pod.kill()
        for players in (first, second):
            player, state = mover(players)
            played = await player.act(plain(state))
            assert played.owner_address == last.address
