"""What SQLite and Postgres must both do for a service."""

import asyncio
import random
import time
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table, insert, select, text
from sqlalchemy.exc import IntegrityError

from shared.kit.database import Database, open_database

ITEMS: Final = Table("items", MetaData(), Column("id", Integer, primary_key=True), Column("name", String(20)))


@pytest.fixture(autouse=True)
async def items(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.run_sync(ITEMS.metadata.create_all)


async def names(database: Database) -> list[str]:
    async with database.reading() as connection:
        return list((await connection.scalars(select(ITEMS.c.name).order_by(ITEMS.c.id))).all())


async def test_what_a_transaction_wrote_is_there_after_it(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.execute(insert(ITEMS).values(id=1, name="a"))
        await connection.execute(insert(ITEMS).values(id=2, name="b"))
    assert await names(database) == ["a", "b"]


async def test_what_a_failed_transaction_wrote_is_not(database: Database) -> None:
    async def fail() -> None:
        async with database.transaction() as connection:
            await connection.execute(insert(ITEMS).values(id=1, name="a"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert await names(database) == []


async def test_a_reader_sees_only_what_was_committed_and_waits_for_no_writer(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.execute(insert(ITEMS).values(id=1, name="a"))
        assert await asyncio.wait_for(names(database), 2) == []
    assert await names(database) == ["a"]


async def test_what_is_written_while_reading_is_not_kept(database: Database) -> None:
    async with database.reading() as connection:
        await connection.execute(insert(ITEMS).values(id=1, name="a"))
    assert await names(database) == []


async def test_many_writers_at_once_all_get_through(database: Database) -> None:
    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.execute(select(ITEMS))
            await connection.execute(insert(ITEMS).values(id=number, name=str(number)))

    await asyncio.gather(*(write(number) for number in range(40)))
    assert len(await names(database)) == 40


async def test_a_writer_that_is_cancelled_leaves_nothing_and_blocks_nobody(database: Database) -> None:
    entered = asyncio.Event()

    async def write() -> None:
        async with database.transaction() as connection:
            await connection.execute(insert(ITEMS).values(id=1, name="a"))
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(write())
    await entered.wait()
    task.cancel()
    await asyncio.wait([task])
    async with database.transaction() as connection:
        await connection.execute(insert(ITEMS).values(id=2, name="b"))
    assert await names(database) == ["b"]


async def test_a_writer_cancelled_in_the_midst_of_a_statement_blocks_nobody(
    database: Database, rng: random.Random
) -> None:
    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.execute(insert(ITEMS).values(id=2 * number, name="a"))
            await connection.execute(select(ITEMS))
            await connection.execute(insert(ITEMS).values(id=2 * number + 1, name="b"))

    for number in range(0, 300, 2):
        task = asyncio.create_task(write(number))
        for _ in range(rng.randrange(400)):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.wait_for(write(number + 1), 2)
    kept = await names(database)
    assert kept.count("a") == kept.count("b") >= 150


async def test_an_error_s_text_does_not_hold_what_was_to_be_stored(database: Database) -> None:
    mark = "S7-D9-JOKER"

    async def clash() -> None:
        async with database.transaction() as connection:
            await connection.execute(insert(ITEMS).values(id=1, name=mark))
            await connection.execute(insert(ITEMS).values(id=1, name=mark))

    with pytest.raises(IntegrityError) as refused:
        await clash()
    assert mark not in str(refused.value)


async def test_its_clock_tells_unix_milliseconds(database: Database) -> None:
    async with database.reading() as connection:
        assert abs(await database.now_ms(connection) - time.time() * 1000) < 2_000


async def test_it_answers(database: Database) -> None:
    assert await database.answers()


async def test_the_driver_s_own_connection_can_be_had(database: Database) -> None:
    async with database.driver() as raw:
        await raw.execute("INSERT INTO items (id, name) VALUES (1, 'a')")
    assert await names(database) == ["a"]


async def test_one_process_at_a_time_has_a_turn(database_url: str, database: Database) -> None:
    async with database.turn("outbox") as first, database.turn("other") as other:
        assert (first, other) == (True, True)
        if not database.is_sqlite:
            async with open_database(database_url) as second, second.turn("outbox") as also:
                assert not also
    async with database.turn("outbox") as again:
        assert again


async def test_a_sqlite_file_is_for_one_process_and_survives_a_power_cut(tmp_path: Path) -> None:
    async with open_database(f"sqlite:///{tmp_path}/deep/table.db") as database:
        assert (tmp_path / "deep" / "table.db").stat().st_mode & 0o777 == 0o600
        async with database.reading() as connection:
            told = [await connection.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "synchronous")]
    assert told == ["wal", 2]


async def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="sqlite:/// or postgresql://"):
        await open_database("mysql://localhost/banakil").__aenter__()
