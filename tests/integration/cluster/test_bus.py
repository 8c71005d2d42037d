"""NATS is killed and comes back: play goes on meanwhile, and what happened is heard once afterwards."""

from collections import Counter
from pathlib import Path
from typing import Final

import grpc
import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.codec.facts import FACTS_STREAM, read_fact
from shared.kit.bus import open_bus
from shared.kit.clock import RealClock
from shared.kit.database import open_database
from shared.kit.inbox import Fact, InboxConsumer
from shared.kit.metrics import Metrics
from shared.kit.tables import metadata
from shared.kit.tasks import cancel_and_wait, spawn
from shared.rules.options import make_options
from tests.support.kit import eventually
from tests.support.roaming import make_table, mover, plain, seated
from tests.support.table_cluster import LISTENER, TableCluster

pytestmark = pytest.mark.needs_postgres
DUEL = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 60})
CLOCK: Final = RealClock()


async def test_while_nats_is_away_moves_go_on_and_facts_are_heard_once_when_it_is_back(
    cluster: TableCluster, channel: grpc.aio.Channel, tmp_path: Path
) -> None:
    lobby, heard = cluster.issuer("lobby"), Counter[str]()

    async def hear(_connection: AsyncConnection, fact: Fact) -> None:
        read = read_fact(fact.payload)
        heard[f"{read.WhichOneof('fact')} {read.table_id}"] += 1

    async def outbox_is_empty() -> bool:
        return await cluster.rows("SELECT 1 FROM outbox") == []

    async with open_database(f"sqlite:///{tmp_path / 'inbox.db'}") as database:
        async with database.transaction() as connection:
            await connection.run_sync(metadata.create_all)
        async with open_bus(cluster.nats.url, name=LISTENER, password=cluster.nats.passwords[LISTENER]) as bus:
            inbox = InboxConsumer(database, bus, CLOCK, Metrics(), stream=FACTS_STREAM, name=LISTENER, handler=hear)
            listening = spawn(inbox.run(), "listener")
            before = await make_table(channel, lobby, DUEL, "bus-ada", "")
            await eventually(lambda: heard[f"seat_vacated {before}"] == 1)
            assert cluster.nats.process is not None
            cluster.nats.process.kill()
            await cluster.nats.process.wait()
            async with seated(channel, lobby, DUEL, "bus-bea", "bus-cem") as players:
                for _ in range(4):
                    player, state = mover(players)
                    played = await player.act(plain(state))
                    for one in players:
                        await one.reach(played.revision)
            vacant = [await make_table(channel, lobby, DUEL, f"bus-{number}", "") for number in range(5)]
            assert all(heard[f"seat_vacated {table_id}"] == 0 for table_id in vacant)
            await cluster.nats.start(CLOCK)
            expected = [f"seat_vacated {table_id}" for table_id in vacant] + [f"match_started {players[0].table_id}"]
            await eventually(lambda: all(heard[fact] for fact in expected))
            await eventually(outbox_is_empty)
            await cancel_and_wait(listening)
    assert set(heard.values()) == {1}
