"""A table whose journal is archived: what its players and the lobby find of it."""

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path

from banakil.table.v1 import records_pb2
from banakil.table.v1 import table_pb2 as wire

from shared.kit.nats_server import NatsServer
from shared.rules.actions import Draw
from shared.rules.options import make_options
from tests.support.kit import PATIENCE_S
from tests.support.table_service import TableServer, all_watch, refused, serving_tables, whole_record

SHORT_DUEL = make_options({"preset": "sahrat", "mode": "duel", "target": 50})


async def archived(server: TableServer, table_id: str) -> None:
    """Lets the time pass after which nothing but records is kept."""
    request = wire.GetViewRequest(table_id=table_id)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            server.clock.advance(60_000)
            try:
                await server.stub.GetView(request, **server.by("reader"))
            except Exception:
                break
    assert (await refused(server.stub.GetView(request, **server.by("reader")))).code == "NO_SUCH_TABLE"


async def test_an_archived_match_is_told_as_before_and_its_table_is_gone(
    tmp_path: Path, nats: NatsServer, rng: random.Random
) -> None:
    async with serving_tables(tmp_path, nats, archive_after_s=120) as server:
        table_id = await server.create(SHORT_DUEL)
        async with AsyncExitStack() as stack:
            sights = await all_watch(stack, server, table_id, ("ada", "bayan"))
            await server.play_out(table_id, sights, rng)
            match_id = sights["ada"].client.view.match.match_id
        record = await whole_record(server, match_id)
        await archived(server, table_id)
        request = records_pb2.GetRecordRequest(match_id=match_id)
        found = await server.stub.GetRecord(request, **server.by("reader"))
        assert (found.record_json.encode(), found.complete) == (record, True)
        late = server.act(table_id, "ada", Draw(0), (1, 1))
        assert (await refused(late)).code == "NO_SUCH_TABLE"
        again = server.create(SHORT_DUEL, table_id=table_id)
        assert (await refused(again)).code == "TABLE_CLOSED"
        other = server.create(SHORT_DUEL, "cem", "dana", table_id=table_id)
        assert (await refused(other)).code == "TABLE_CLOSED"
