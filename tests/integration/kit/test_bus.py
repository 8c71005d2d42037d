"""The bus over a real nats-server: news, facts, and being without it for a while."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from nats.aio.msg import Msg

from shared.kit.bus import Bus, BusAwayError, Stream, open_bus
from shared.kit.clock import RealClock
from shared.kit.nats_server import BusUser, NatsServer, running_nats_server
from tests.integration.kit.conftest import Lines
from tests.support.kit import PATIENCE_S, eventually

FACTS: Final = Stream("FACTS", ("facts.>",), max_age_s=3600, max_msgs=1000, duplicate_window_s=600)
USER: Final = BusUser("table", owns=(FACTS,), tells=("news.>", "$JS.API.STREAM.INFO.FACTS"), hears=("news.>",))
CLOCK: Final = RealClock()


@pytest.fixture
async def server(tmp_path: Path, lines: Lines) -> AsyncIterator[NatsServer]:
    async with running_nats_server(tmp_path, [USER], CLOCK) as server:
        yield server


@pytest.fixture
async def bus(server: NatsServer) -> AsyncIterator[Bus]:
    async with open_bus(server.url, name="table", password=server.passwords["table"]) as bus:
        await bus.declare(FACTS)
        yield bus


async def kept(bus: Bus) -> int:
    return (await bus._js.stream_info("FACTS")).state.messages


async def test_news_reach_all_who_listen_and_one_of_a_queue(bus: Bus) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Msg) -> None:
        await heard.put(f"all {message.data.decode()}")

    async def hear_in_turn(message: Msg) -> None:
        await heard.put(f"one {message.data.decode()}")

    await bus.listen("news.>", hear)
    await bus.listen("news.*", hear_in_turn, queue="pods")
    await bus.listen("news.*", hear_in_turn, queue="pods")
    await bus._client.flush()
    assert await bus.tell("news.table", b"7")
    assert sorted([await asyncio.wait_for(heard.get(), PATIENCE_S) for _ in range(2)]) == ["all 7", "one 7"]
    await bus._client.flush()
    assert heard.empty()


async def test_a_listener_that_fails_is_told_of_and_hears_on(bus: Bus, lines: Lines) -> None:
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def hear(message: Msg) -> None:
        if message.data == b"bad":
            raise ValueError("S7-D9-JOKER")
        await heard.put(message.data)

    await bus.listen("news.x", hear)
    await bus._client.flush()
    await bus.tell("news.x", b"bad")
    await bus.tell("news.x", b"good")
    assert await asyncio.wait_for(heard.get(), PATIENCE_S) == b"good"
    assert [line["exception"][0]["type"] for line in lines.events("bus.reported")] == ["builtins.ValueError"]
    assert "S7-D9-JOKER" not in lines.getvalue()


async def test_a_fact_is_kept_once_however_often_it_is_published(bus: Bus) -> None:
    for _ in range(3):
        await bus.publish("facts.match_ended", b"x", "match-1")
    await bus.publish("facts.match_ended", b"x", "match-2")
    assert await kept(bus) == 2


async def test_a_stream_that_changed_is_updated(bus: Bus) -> None:
    await bus.declare(Stream("FACTS", ("facts.>",), max_age_s=7200, max_msgs=500))
    config = (await bus._js.stream_info("FACTS")).config
    assert (config.max_age, config.max_msgs) == (7200, 500)


async def test_which_subjects_are_kept_is_known(bus: Bus) -> None:
    await bus.declare(Stream("FACTS", ("facts.>", "ledger.*.posted")))
    kept = {"facts.a": True, "facts.a.b": True, "facts": False, "ledger.7.posted": True, "ledger.7.8.posted": False}
    assert {subject: bus.carries(subject) for subject in kept} == kept


async def test_without_a_server_news_are_dropped_and_facts_refused_at_once(bus: Bus, server: NatsServer) -> None:
    await server.stop()
    await eventually(lambda: not bus.is_connected)
    assert not await bus.tell("news.table", b"7")
    with pytest.raises(BusAwayError):
        await asyncio.wait_for(bus.publish("facts.x", b"x", "m1"), 0.5)


async def test_a_service_starts_without_a_server_and_finds_it_later(tmp_path: Path, lines: Lines) -> None:
    async with running_nats_server(tmp_path, [USER], CLOCK) as server:
        await server.stop()
        async with open_bus(server.url, name="table", password=server.passwords["table"], wait_s=0.05) as bus:
            heard: asyncio.Queue[bytes] = asyncio.Queue()

            async def hear(message: Msg) -> None:
                await heard.put(message.data)

            returned = asyncio.Event()
            bus.wake_on_return(returned)
            await bus.listen("news.>", hear)
            await bus.declare(FACTS)
            assert not bus.is_connected
            await server.start(CLOCK)
            await asyncio.wait_for(returned.wait(), PATIENCE_S)
            await bus.publish("facts.x", b"x", "m1")
            await bus.tell("news.x", b"y")
            assert await asyncio.wait_for(heard.get(), PATIENCE_S) == b"y"


async def test_a_server_that_comes_back_empty_gets_its_streams_again(
    bus: Bus, server: NatsServer, tmp_path: Path
) -> None:
    returned = asyncio.Event()
    bus.wake_on_return(returned)
    await bus.publish("facts.x", b"x", "m1")
    await server.stop()
    (tmp_path / "store").rename(tmp_path / "lost")
    await server.start(CLOCK)
    await asyncio.wait_for(returned.wait(), PATIENCE_S)
    await bus.publish("facts.x", b"x", "m2")
    assert await kept(bus) == 1


async def test_a_bus_that_one_closes_oneself_is_not_lost(server: NatsServer, lines: Lines) -> None:
    async with open_bus(server.url, name="table", password=server.passwords["table"]):
        pass
    assert lines.events("bus.connected")
    assert not lines.events("bus.lost")
