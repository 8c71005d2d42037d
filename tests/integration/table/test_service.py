"""The table service over a real socket: whole matches, coming back, stopping, and what it lets out."""

import asyncio
import io
import json
import random
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import structlog
from banakil.table.v1.views_pb2 import STAGE_CLOSED

from shared.kit.bus import open_bus
from shared.kit.keys import KeyFileError
from shared.kit.nats_server import NatsServer
from shared.rules.cards import codes
from shared.rules.options import make_options
from shared.rules.record import read_record
from shared.rules.replay import replay
from tests.support.kit import PATIENCE_S
from tests.support.table_service import TableServer, all_watch, end_of, serving_tables, whole_record
from tests.support.tables import PEOPLE

SAHRAT = make_options({"preset": "sahrat"})
SHORT_DUEL = make_options({"preset": "sahrat", "mode": "duel", "target": 50})


async def test_a_match_is_played_by_what_each_seat_sees_and_its_record_replays_to_the_same_score(
    server: TableServer, rng: random.Random
) -> None:
    for options in (SHORT_DUEL, make_options({"preset": "banakil202", "target": 50})):
        people = PEOPLE[: options.seats]
        table_id = await server.create(options)
        async with AsyncExitStack() as stack:
            sights = await all_watch(stack, server, table_id, people)
            await server.play_out(table_id, sights, rng)
            views = [sight.client.view for sight in sights.values()]
        match = views[0].match
        assert all(view.match == match for view in views)
        result = replay(read_record(await whole_record(server, match.match_id)))
        assert list(result.totals[-1]) == list(match.total_half_points)
        assert len(result.deals) == match.deal_no
        assert result.match is not None
        assert result.match.winner == match.winner_team


async def test_a_client_that_comes_back_over_the_wire_goes_on_from_its_revision(
    server: TableServer, rng: random.Random
) -> None:
    table_id = await server.create(SHORT_DUEL)
    async with AsyncExitStack() as stack:
        sights = await all_watch(stack, server, table_id, ("ada", "bayan"))
        ada = sights["ada"]
        sights["ada"].call.cancel()
        other = sights["bayan"]
        await other.until(other.client.revision + 1)
        async with server.watching(table_id, "ada", ada.client.revision) as back:
            back.client = ada.client
            await back.more()
            await back.until(other.client.revision)
            assert back.client.view.seats[0].away or back.client.revision > other.client.revision - 1
            await server.play_out(table_id, {"ada": back, "bayan": other}, rng)
            assert back.client.view.stage == STAGE_CLOSED


async def test_a_service_that_stops_tells_its_streams_and_the_next_goes_on(tmp_path: Path, nats: NatsServer) -> None:
    async with serving_tables(tmp_path, nats) as server:
        table_id = await server.create(SHORT_DUEL)
        async with AsyncExitStack() as stack:
            sights = await all_watch(stack, server, table_id, ("ada", "bayan"))
            client = sights["ada"].client
            stopping = asyncio.ensure_future(end_of(sights["ada"]))
            await server.app._stop()
            assert await stopping == "DRAINING"
    async with (
        serving_tables(tmp_path, nats, now_ms=server.clock.now_ms() + 5_000) as server,
        server.watching(table_id, "ada", client.revision) as sight,
    ):
        sight.client = client
        before = client.view.deal.hand[:]
        await sight.more()
        assert client.view.deal.hand == before
        assert all(seat.away for seat in client.view.seats)
    (tmp_path / "keys" / "table-seal" / "0001.key").unlink()
    with pytest.raises(KeyFileError):
        async with serving_tables(tmp_path, nats):
            pass


async def test_neither_the_bus_nor_the_log_carries_a_hand_a_deck_a_secret_or_a_token(
    server: TableServer, nats: NatsServer, rng: random.Random, log: io.StringIO
) -> None:
    """A subscriber to everything, throughout a match whose every card is known afterwards from its record."""
    heard: list[bytes] = []

    async def hear(message: Any) -> None:
        heard.append(message.subject.encode() + b" " + message.data)

    async with open_bus(nats.url, name="spy", password=nats.passwords["spy"]) as bus:
        await bus.listen(">", hear)
        table_id = await server.create(SHORT_DUEL)
        async with AsyncExitStack() as stack:
            sights = await all_watch(stack, server, table_id, ("ada", "bayan"))
            await server.play_out(table_id, sights, rng)
            match_id = sights["ada"].client.view.match.match_id
        async with asyncio.timeout(PATIENCE_S):
            while not any(b"facts.table_closed" in message and table_id.encode() in message for message in heard):
                server.clock.advance(1_000)
                await asyncio.sleep(0)
    assert b"banakil.facts.match_ended" in b"".join(heard)
    record = await whole_record(server, match_id)
    structlog.get_config()["logger_factory"]().flush()
    told = b"\n".join(heard) + log.getvalue().encode()
    for deal in json.loads(record)["deals"]:
        secret = bytes.fromhex(deal["fair"]["secret"])
        assert secret not in told
        assert secret.hex().encode() not in told
    for state in replay(read_record(record)).deals:
        cards = codes(state.stock[-6:])
        for separator in (" ", "", '","', '", "'):
            assert separator.join(cards).encode() not in told
        assert state.stock[-8:] not in told
    assert b"eyJ" not in told
