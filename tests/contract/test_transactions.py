"""What SQLite and Postgres must both do for units of work, and how SQLite commits many of them together."""

import asyncio
import contextvars
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from shared.kit.database import Database, open_database
from shared.kit.transactions import MOST_IN_ONE_COMMIT, Rows, Transactions, open_transactions

FAULTS = (DBAPIError, sqlite3.Error)


async def made(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.exec_driver_sql("CREATE TABLE items (id INTEGER PRIMARY KEY, name VARCHAR(20))")
        await connection.exec_driver_sql(
            "CREATE TABLE notes (item INTEGER REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED)"
        )


@pytest.fixture
async def transactions(database: Database) -> AsyncIterator[Transactions]:
    await made(database)
    async with open_transactions(database) as opened:
        yield opened


@pytest.fixture
async def on_sqlite(tmp_path: Path) -> AsyncIterator[Transactions]:
    async with open_database(f"sqlite:///{tmp_path / 'only.db'}") as database:
        await made(database)
        async with open_transactions(database) as opened:
            yield opened


def adding(number: int, name: str = "a") -> Callable[[Rows], Coroutine[Any, Any, int]]:
    async def work(rows: Rows) -> int:
        await rows.fetch("INSERT INTO items (id, name) VALUES ($1, $2)", number, name)
        return number

    return work


def saying(query: str) -> Callable[[Rows], Coroutine[Any, Any, Any]]:
    async def work(rows: Rows) -> Any:
        return await rows.fetch(query)

    return work


async def ids(transactions: Transactions) -> list[int]:
    return [row[0] for row in await transactions.read(saying("SELECT id FROM items ORDER BY id"))]


async def test_what_a_work_wrote_is_there_after_it(transactions: Transactions) -> None:
    assert await transactions.write(adding(1)) == 1
    assert await ids(transactions) == [1]


async def test_what_a_failed_work_wrote_is_not(transactions: Transactions) -> None:
    async def failing(rows: Rows) -> None:
        await adding(1)(rows)
        raise LookupError

    with pytest.raises(LookupError):
        await transactions.write(failing)
    assert await ids(transactions) == []
    with pytest.raises(FAULTS):
        await transactions.write(saying("SELECT nothing FROM nowhere"))
    await transactions.write(adding(2))
    assert await ids(transactions) == [2]


async def test_of_many_at_once_each_is_done_or_fails_alone(transactions: Transactions, database: Database) -> None:
    await transactions.write(adding(7))
    count = MOST_IN_ONE_COMMIT + 40 if database.is_sqlite else 40
    outcomes = await asyncio.gather(
        *(transactions.write(adding(number)) for number in range(count)), return_exceptions=True
    )
    assert [number for number, outcome in enumerate(outcomes) if isinstance(outcome, FAULTS)] == [7]
    assert await ids(transactions) == list(range(count))


async def test_each_sees_what_those_before_it_wrote(transactions: Transactions) -> None:
    await transactions.write(adding(1))

    async def next_one(rows: Rows) -> int:
        await rows.fetch(rows.locking("SELECT id FROM items WHERE id = 1"))
        ((last,),) = await rows.fetch("SELECT max(id) FROM items")
        return await adding(last + 1)(rows)

    assert sorted(await asyncio.gather(*(transactions.write(next_one) for _ in range(9)))) == list(range(2, 11))


async def test_a_commit_that_fails_fails_all_in_it_and_none_after(transactions: Transactions) -> None:
    with pytest.raises(FAULTS):
        await transactions.write(saying("INSERT INTO notes (item) VALUES (99)"))
    await transactions.write(adding(1))
    assert await ids(transactions) == [1]


async def test_on_sqlite_a_fault_that_ends_the_transaction_fails_all_in_it(on_sqlite: Transactions) -> None:
    await on_sqlite.write(adding(1))
    outcomes = await asyncio.gather(
        on_sqlite.write(adding(2)),
        on_sqlite.write(adding(3)),
        on_sqlite.write(saying("INSERT OR ROLLBACK INTO items (id) VALUES (1)")),
        on_sqlite.write(adding(4)),
        return_exceptions=True,
    )
    assert [isinstance(outcome, sqlite3.Error) for outcome in outcomes] == [True] * 4
    await on_sqlite.write(adding(5))
    assert await ids(on_sqlite) == [1, 5]


async def test_on_sqlite_a_work_that_awaits_something_else_fails_and_changes_nothing(on_sqlite: Transactions) -> None:
    async def waiting(rows: Rows) -> None:
        await adding(1)(rows)
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="awaits nothing but its rows"):
        await on_sqlite.write(waiting)
    assert await ids(on_sqlite) == []


async def test_what_is_under_way_is_committed_before_it_closes(database: Database) -> None:
    await made(database)
    async with open_transactions(database) as opened:
        under_way = [asyncio.create_task(opened.write(adding(number))) for number in range(5)]
        await asyncio.sleep(0)
        if not database.is_sqlite:
            await asyncio.gather(*under_way)
    async with open_transactions(database) as again:
        assert await ids(again) == list(range(5))
    await asyncio.gather(*under_way)


async def test_whoever_goes_away_takes_nothing_back(on_sqlite: Transactions) -> None:
    going = asyncio.create_task(on_sqlite.write(adding(1)))
    await asyncio.sleep(0)
    going.cancel()
    await on_sqlite.write(adding(2))
    assert await ids(on_sqlite) == [1, 2]


async def test_a_work_keeps_no_variables_of_the_one_that_was_committed_before_it(on_sqlite: Transactions) -> None:
    caller = contextvars.ContextVar("caller", default="nobody")

    async def seen(_rows: Rows) -> str:
        return caller.get()

    async def called(name: str, work: Callable[[Rows], Coroutine[Any, Any, Any]]) -> Any:
        caller.set(name)
        return await on_sqlite.write(work)

    _, second = await asyncio.gather(called("first", adding(1)), called("second", seen))
    assert second == "nobody"
