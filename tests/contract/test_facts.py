"""Facts from a service's outbox to another's inbox: once each, whatever dies on the way."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table, func, insert, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection
from structlog.testing import capture_logs

from shared.kit.bus import Bus, Stream, open_bus
from shared.kit.clock import RealClock, VirtualClock
from shared.kit.database import Database
from shared.kit.inbox import MOST_ATTEMPTS, Fact, InboxConsumer
from shared.kit.metrics import Metrics
from shared.kit.nats_server import BusUser, NatsServer, running_nats_server
from shared.kit.outbox import BATCH, Outbox
from shared.kit.status import AwayError
from shared.kit.tables import INBOX, OUTBOX, metadata
from tests.support.kit import eventually

FACTS: Final = Stream("FACTS", ("facts.>",))
WORK: Final = MetaData()
# What the sender did, and what the receiver did with it: no unique key would hide a fact that was taken in twice.
DONE: Final = Table("done", WORK, Column("n", Integer, primary_key=True), Column("what", String(200)))
TAKEN: Final = Table("taken", WORK, Column("n", Integer, primary_key=True), Column("what", String(200)))
USER: Final = BusUser(
    "both", owns=(FACTS,), consumes=(("FACTS", "wallet"),), tells=("$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*")
)
CLOCK: Final = RealClock()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with running_nats_server(tmp_path / "nats", [USER], CLOCK) as server:
        yield server


@pytest.fixture
async def bus(server: NatsServer) -> AsyncIterator[Bus]:
    async with open_bus(server.url, name="both", password=server.passwords["both"]) as bus:
        await bus.declare(FACTS)
        yield bus


@pytest.fixture(autouse=True)
async def tables(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.run_sync(metadata.create_all)
        await connection.run_sync(WORK.create_all)


@pytest.fixture
def outbox(database: Database, bus: Bus) -> Outbox:
    return Outbox(database, bus, CLOCK, Metrics())


async def keep(connection: AsyncConnection, fact: Fact) -> None:
    await connection.execute(insert(TAKEN).values(what=fact.payload.decode()))


def consumer(database: Database, bus: Bus, handler: Any = keep) -> InboxConsumer:
    return InboxConsumer(database, bus, CLOCK, Metrics(), stream=FACTS, name="wallet", handler=handler)


async def send(database: Database, outbox: Outbox, *names: str) -> None:
    async with database.transaction() as connection:
        for name in names:
            await connection.execute(insert(DONE).values(what=name))
            await outbox.add(connection, "facts.match_ended", name, name.encode())
    outbox.wake()


async def taken(database: Database) -> list[str]:
    async with database.reading() as connection:
        return [what or "" for what in await connection.scalars(select(TAKEN.c.what).order_by(TAKEN.c.n))]


async def rows(database: Database, table: Table) -> int:
    async with database.reading() as connection:
        return await connection.scalar(select(func.count()).select_from(table)) or 0


class Running:
    """Background work of a service, until the block ends."""

    def __init__(self, *work: Any) -> None:
        self.tasks = [asyncio.create_task(each) for each in work]

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *_: object) -> None:
        for task in self.tasks:
            assert not task.done() or task.exception() is None
            task.cancel()
        await asyncio.wait(self.tasks)


async def test_a_fact_goes_with_its_work_or_not_at_all(database: Database, outbox: Outbox) -> None:
    async def fail() -> None:
        async with database.transaction() as connection:
            await outbox.add(connection, "facts.match_ended", "m1", b"x")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert await rows(database, OUTBOX) == 0


async def test_facts_arrive_once_and_in_order(database: Database, bus: Bus, outbox: Outbox) -> None:
    names = [f"match-{number:03}" for number in range(BATCH + 20)]
    await send(database, outbox, *names)
    async with Running(outbox.run(), consumer(database, bus).run()):
        await eventually(lambda: _all_taken(database, names))
        await eventually(lambda: _is_empty(database))
    assert await taken(database) == names


async def test_a_fact_with_an_id_that_is_waiting_already_is_not_sent_twice(database: Database, outbox: Outbox) -> None:
    await send(database, outbox, "m1")
    await send(database, outbox, "m1")
    assert await rows(database, OUTBOX) == 1
    assert await outbox.drain() == 1


@pytest.mark.parametrize(
    ("subject", "message_id", "size"),
    [("other.subject", "m1", 1), ("facts.x", "", 1), ("facts.x", "m" * 201, 1), ("facts.x", "m\n1", 70_000)],
)
async def test_a_fact_that_could_never_be_published_is_refused_at_once(
    database: Database, outbox: Outbox, subject: str, message_id: str, size: int
) -> None:
    async with database.transaction() as connection:
        with pytest.raises(ValueError, match=r"fact|subject"):
            await outbox.add(connection, subject, message_id, bytes(size))


async def test_while_nats_is_killed_and_restarted_work_goes_on_and_its_facts_arrive_once_afterwards(
    database: Database, bus: Bus, outbox: Outbox, server: NatsServer
) -> None:
    async def work(numbers: range) -> None:
        for number in numbers:
            await asyncio.wait_for(send(database, outbox, f"match-{number}"), 2)

    async with Running(outbox.run(), consumer(database, bus).run()):
        for kill in range(3):
            await work(range(kill * 40, kill * 40 + 20))
            assert server.process is not None
            server.process.send_signal(signal.SIGKILL)
            await work(range(kill * 40 + 20, kill * 40 + 40))
            await server.process.wait()
            await server.start(CLOCK)
        await eventually(lambda: _all_taken(database, [f"match-{number}" for number in range(120)]))
    assert set(Counter(await taken(database)).values()) == {1}


async def test_a_relay_that_dies_before_it_notes_what_it_sent_sends_again_to_no_effect(
    database: Database, bus: Bus, outbox: Outbox
) -> None:
    await send(database, outbox, "m1")
    await bus.publish("facts.match_ended", b"m1", "m1")
    async with Running(outbox.run(), consumer(database, bus).run()):
        await eventually(lambda: _is_empty(database))
        await send(database, outbox, "last")
        await eventually(lambda: _all_taken(database, ["m1", "last"]))
    assert await taken(database) == ["m1", "last"]


async def test_a_fact_that_is_delivered_again_has_its_effect_once(database: Database, bus: Bus) -> None:
    inbox = consumer(database, bus)
    fact = Fact("facts.match_ended", "m1", b"m1")
    assert [await inbox.take(fact), await inbox.take(fact)] == [True, False]
    both = await asyncio.gather(*(inbox.take(Fact("facts.x", "m2", b"m2")) for _ in range(5)))
    assert sorted(both) == [False, False, False, False, True]
    assert await taken(database) == ["m1", "m2"]


async def test_an_acknowledgement_that_is_lost_does_no_harm(
    database: Database, bus: Bus, outbox: Outbox, server: NatsServer
) -> None:
    def die() -> None:
        assert server.process is not None
        server.process.send_signal(signal.SIGKILL)

    async def keep_then_lose_nats(connection: AsyncConnection, fact: Fact) -> Any:
        await keep(connection, fact)
        return die if fact.payload == b"m1" else None

    async with Running(outbox.run(), consumer(database, bus, keep_then_lose_nats).run()):
        await send(database, outbox, "m1")
        await eventually(lambda: _all_taken(database, ["m1"]))
        assert server.process is not None
        await server.process.wait()
        await server.start(CLOCK)
        await send(database, outbox, "m2")
        await eventually(lambda: _all_taken(database, ["m1", "m2"]))
    assert await taken(database) == ["m1", "m2"]


async def test_a_fact_that_nobody_can_take_in_is_buried_and_the_next_go_on(
    database: Database, bus: Bus, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.kit.inbox.RETRY_FIRST_MS", 5)
    attempts = Counter[bytes]()

    async def refuse_poison(connection: AsyncConnection, fact: Fact) -> None:
        attempts[fact.payload] += 1
        await keep(connection, fact)
        if fact.payload == b"poison":
            raise ValueError("S7-D9-JOKER")

    await send(database, outbox, "poison", "m2")
    with capture_logs() as logs:
        async with Running(outbox.run(), consumer(database, bus, refuse_poison).run()):
            await eventually(lambda: any(line["event"] == "fact.buried" for line in logs))
    assert attempts == {b"poison": MOST_ATTEMPTS, b"m2": 1}
    assert await taken(database) == ["m2"]
    assert [line["log_level"] for line in logs if line["event"] == "fact.buried"] == ["error"]
    dead = await bus._js.get_last_msg("DEAD", "dead.FACTS.wallet")
    assert dead.data == b"poison"
    assert dead.headers is not None
    assert dead.headers["Banakil-Message-Id"] == "poison"


@pytest.mark.parametrize(
    "away", [AwayError("DEPENDENCY_AWAY"), ConnectionRefusedError(), DBAPIError("", {}, OSError())]
)
async def test_what_is_merely_away_uses_up_no_attempts(
    database: Database, bus: Bus, outbox: Outbox, away: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.kit.inbox.AWAY_RETRY_MS", 10)
    if isinstance(away, DBAPIError):
        away.connection_invalidated = True
    left = MOST_ATTEMPTS * 2

    async def come_back(connection: AsyncConnection, fact: Fact) -> None:
        nonlocal left
        left -= 1
        if left > 0:
            raise away
        await keep(connection, fact)

    await send(database, outbox, "m1")
    with capture_logs() as logs:
        async with Running(outbox.run(), consumer(database, bus, come_back).run()):
            await eventually(lambda: _all_taken(database, ["m1"]))
    assert [line["event"] for line in logs].count("fact.delayed") == MOST_ATTEMPTS * 2 - 1


async def test_what_a_handler_wants_done_afterwards_is_done_once_its_work_is_committed(
    database: Database, bus: Bus
) -> None:
    seen = []

    async def handler(connection: AsyncConnection, fact: Fact) -> Any:
        await keep(connection, fact)
        return lambda: seen.append(fact.message_id)

    await consumer(database, bus, handler).take(Fact("facts.x", "m1", b"m1"))
    assert seen == ["m1"]


async def test_ids_are_forgotten_only_when_their_facts_can_come_no_more(database: Database, bus: Bus) -> None:
    clock = VirtualClock()
    inbox = InboxConsumer(database, bus, clock, Metrics(), stream=FACTS, name="wallet", handler=keep)
    await inbox.take(Fact("facts.x", "old", b"old"))
    clock.advance(FACTS.max_age_s * 1000)
    await inbox.take(Fact("facts.x", "new", b"new"))
    pruning = asyncio.create_task(inbox.prune())
    clock.advance(24 * 3_600_000 + 1)
    await eventually(lambda: _is_pruned(database, 1))
    pruning.cancel()
    assert not await inbox.take(Fact("facts.x", "new", b"new"))


async def test_an_outbox_that_is_full_says_so(
    database: Database, bus: Bus, outbox: Outbox, server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.kit.outbox.MOST_ROWS", 150)
    await server.stop()
    await send(database, outbox, *(f"m{number}" for number in range(160)))
    assert outbox.has_room()
    async with Running(outbox.run()):
        await eventually(lambda: not outbox.has_room())
        await server.start(CLOCK)
        await eventually(outbox.has_room)
        await eventually(lambda: _is_empty(database))


async def _all_taken(database: Database, names: list[str]) -> bool:
    return set(names) <= set(await taken(database))


async def _is_empty(database: Database) -> bool:
    return await rows(database, OUTBOX) == 0


async def _is_pruned(database: Database, left: int) -> bool:
    return await rows(database, INBOX) == left
