"""A whole match on Postgres, by processes that come and go."""

import json
import random
from pathlib import Path

import grpc
import pytest
from banakil.table.v1 import records_pb2
from banakil.table.v1.table_pb2_grpc import TableServiceStub
from banakil.table.v1.views_pb2 import STAGE_CLOSED

from services.table.app import MIGRATIONS
from services.table.keeping import open_keeping
from shared.kit.clients import Channels
from shared.kit.clock import RealClock
from shared.kit.database import open_database
from shared.kit.keys import KeyFileError
from shared.kit.migrations import migrate
from shared.rules.options import make_options
from tests.support.kit import eventually
from tests.support.play import Temper, next_action
from tests.support.postgres import PostgresServer
from tests.support.roaming import Roamer, seated
from tests.support.table_cluster import TableCluster

pytestmark = pytest.mark.needs_postgres
SHORT = make_options({"preset": "sahrat", "mode": "duel", "target": 50, "turn_seconds": 300})
BOLD = Temper(meld=0.9, amend=0.9, take=0.2, undo=0.0, timeout=0.0, mischief=0.0)


async def test_a_match_is_played_to_its_end_though_its_process_is_ended_in_each_deal(
    cluster: TableCluster, channel: grpc.aio.Channel, rng: random.Random
) -> None:
    lobby, ended = cluster.issuer("lobby"), set[int]()
    async with seated(channel, lobby, SHORT, "match-ada", "match-bea") as players:
        first = players[0]
        match_id = first.client.view.match.match_id
        while first.client.view.stage != STAGE_CLOSED:
            player = next((one for one in players if one.state is not None), None)
            if player is None:
                revision = max(one.client.revision for one in players)
                for one in players:
                    await one.reach(revision)
                if any(one.state is not None for one in players):
                    continue
                await first.until(lambda: first.client.revision > revision or is_closed(first))  # noqa: B023  # used now
                continue
            deal_no = first.client.view.deal.deal_no
            if deal_no not in ended and first.client.view.deal.turn_no > 3:
                ended.add(deal_no)
                await cluster.start_all()
                owner = await cluster.owner_of(first.table_id)
                await (owner.kill() if deal_no % 2 else owner.end())
            state = player.state
            assert state is not None
            played = await player.act(next_action(rng, state, BOLD))  # type: ignore[arg-type]  # never the clock's
            for one in players:
                await one.until(lambda one=one: one.client.revision >= played.revision or is_closed(one))  # type: ignore[misc] # noqa: B023
    assert ended
    found = records_pb2.GetRecordResponse()

    async def is_complete() -> bool:
        request = records_pb2.GetRecordRequest(match_id=match_id)
        found.CopyFrom(await TableServiceStub(channel).GetRecord(request, timeout=10, wait_for_ready=True))
        return found.complete

    await eventually(is_complete)
    record = json.loads(found.record_json)
    assert len(record["deals"]) >= len(ended)


def is_closed(player: Roamer) -> bool:
    return bool(player.client.view.stage == STAGE_CLOSED)


async def test_a_process_makes_no_keys_of_its_own_where_others_share_the_database(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    async with open_database(postgres.new_database()) as database, Channels(None) as channels:
        await migrate(database, MIGRATIONS)
        with pytest.raises(KeyFileError):
            async with open_keeping(database, RealClock(), tmp_path, channels, lambda: None, address=""):
                pass
