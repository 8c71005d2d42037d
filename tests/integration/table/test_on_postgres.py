"""The table service with its journal on Postgres: it starts, plays, and goes on after it was restarted."""

import random
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from shared.kit.keys import KeyFileError
from shared.kit.nats_server import NatsServer
from shared.kit.sealing import SealingKeys
from shared.rules.options import make_options
from tests.support.postgres import PostgresServer
from tests.support.table_service import all_watch, serving_tables, whole_record

pytestmark = pytest.mark.needs_postgres


async def test_a_match_is_played_on_postgres_by_two_processes_one_after_the_other(
    tmp_path: Path, nats: NatsServer, postgres: PostgresServer, rng: random.Random
) -> None:
    url = postgres.new_database()
    with pytest.raises(KeyFileError):  # processes that share a database must share their keys
        async with serving_tables(tmp_path, nats, database_url=url):
            pass
    SealingKeys.load(tmp_path / "keys" / "table-seal", may_create=True)
    async with serving_tables(tmp_path, nats, database_url=url) as server, AsyncExitStack() as stack:
        table_id = await server.create(make_options({"preset": "sahrat", "mode": "duel", "target": 100}))
        sights = await all_watch(stack, server, table_id, ("ada", "bayan"))
        hand = sights["ada"].client.view.deal.hand[:]
    async with (
        serving_tables(tmp_path, nats, now_ms=server.clock.now_ms() + 5_000, database_url=url) as server,
        AsyncExitStack() as stack,
    ):
        sights = await all_watch(stack, server, table_id, ("ada", "bayan"))
        assert sights["ada"].client.view.deal.hand == hand
        await server.play_out(table_id, sights, rng)
        record = await whole_record(server, sights["ada"].client.view.match.match_id)
    assert b"banakil-record" in record
