"""Transactions as functions of plain SQL: written once, and as cheap as each database can make them.

A unit of work awaits nothing but its ``Rows``. On Postgres each is a transaction of its own. On SQLite its statements,
a few microseconds each, run on the event loop, and one thread commits; what is asked for in one turn of the loop, and
while a commit is under way, is committed together, so that a disk's flush is shared, though each fails alone.
"""

from __future__ import annotations

import asyncio
import contextvars
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from shared.kit.database import PRAGMAS, Database

MOST_IN_ONE_COMMIT: Final = 64
"""Nothing else runs while their statements do."""
_T = TypeVar("_T")


class Rows(Protocol):
    """An open transaction."""

    async def fetch(self, query: str, *values: object) -> Sequence[Any]:
        """Executes SQL whose parameters are ``$1``, ``$2``, ...; gives all rows, none where it returns no rows."""

    def locking(self, query: str) -> str:
        """A SELECT that keeps the rows it finds from others until the end of the transaction."""


Work = Callable[[Rows], Coroutine[Any, Any, _T]]


class Transactions(Protocol):
    """Runs units of work on one database."""

    def start(self, work: Work[_T]) -> asyncio.Future[_T]:
        """What ``work`` gives, once that is committed; what it raises, rolled back."""

    async def write(self, work: Work[_T]) -> _T:
        """As ``start``, awaited."""

    async def read(self, work: Work[_T]) -> _T:
        """What ``work`` gives, which only reads. On SQLite it waits for no writer."""


@asynccontextmanager
async def open_transactions(database: Database) -> AsyncIterator[Transactions]:
    """Transactions on an open database that is migrated already."""
    if database.path is None:
        yield _OnPostgres(database)
        return
    opened = _OnSqlite(database, database.path)
    try:
        yield opened
    finally:
        await opened.close()


class _Statements:
    """Rows by SQLAlchemy's connection, whose pool, time limits and typed faults are worth having."""

    def __init__(self, connection: AsyncConnection, *, on_sqlite: bool = False) -> None:
        self._connection = connection
        self._on_sqlite = on_sqlite

    async def fetch(self, query: str, *values: object) -> Sequence[Any]:
        result = await self._connection.exec_driver_sql(_spelt(query) if self._on_sqlite else query, values)
        return result.all() if result.returns_rows else ()

    def locking(self, query: str) -> str:
        return query if self._on_sqlite else f"{query} FOR UPDATE"


class _OnPostgres:
    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, work: Work[_T]) -> asyncio.Future[_T]:
        return asyncio.ensure_future(self.write(work))

    async def write(self, work: Work[_T]) -> _T:
        async with self._database.transaction() as connection:
            return await work(_Statements(connection))

    async def read(self, work: Work[_T]) -> _T:
        async with self._database.reading() as connection:
            return await work(_Statements(connection))


class _SqliteRows:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def fetch(self, query: str, *values: object) -> Sequence[Any]:
        return self._connection.execute(_spelt(query), values).fetchall()

    def locking(self, query: str) -> str:
        return query  # only one writes


class _OnSqlite:
    def __init__(self, database: Database, path: Path) -> None:
        self._database = database
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._pending: list[tuple[Work[Any], asyncio.Future[Any]]] = []
        self._committer = ThreadPoolExecutor(1, "sqlite-committer")
        self._idle = asyncio.Event()
        self._idle.set()

    def start(self, work: Work[_T]) -> asyncio.Future[_T]:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_T] = loop.create_future()
        self._pending.append((work, done))
        if self._idle.is_set():
            self._idle.clear()
            # In a context of its own: else whatever comes after would keep the variables of the RPC that came first.
            loop.call_soon(self._go_on, context=contextvars.Context())
        return done

    async def write(self, work: Work[_T]) -> _T:
        return await self.start(work)

    async def read(self, work: Work[_T]) -> _T:
        async with self._database.reading() as connection:
            return await work(_Statements(connection, on_sqlite=True))

    async def close(self) -> None:
        """Returns once all that was asked for is committed."""
        while not self._idle.is_set():
            await self._idle.wait()
        self._committer.shutdown()
        self._forget_connection()

    def _go_on(self) -> None:
        """Works off what is pending, up to a commit that has to wait for the disk."""
        while self._pending:
            batch = self._pending[:MOST_IN_ONE_COMMIT]
            del self._pending[:MOST_IN_ONE_COMMIT]
            try:
                connection = self._open()
                changes = connection.total_changes
                connection.execute("BEGIN IMMEDIATE")
                outcomes = [_outcome(connection, work) for work, _ in batch]
                if connection.total_changes == changes:
                    connection.execute("COMMIT")  # of nothing: the disk has no part in it
                    _tell(batch, outcomes)
                    continue
            except sqlite3.Error as fault:
                self._forget_connection()
                _tell(batch, [fault] * len(batch))
                continue
            committing = asyncio.get_running_loop().run_in_executor(self._committer, connection.execute, "COMMIT")
            committing.add_done_callback(partial(self._committed, batch, outcomes))
            return
        self._idle.set()

    def _committed(self, batch: _Batch, outcomes: list[Any], done: asyncio.Future[Any]) -> None:
        fault = done.exception()
        if fault is not None:
            self._forget_connection()
        _tell(batch, outcomes if fault is None else [fault] * len(batch))
        self._go_on()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            for pragma in PRAGMAS:
                self._connection.execute(pragma)
        return self._connection

    def _forget_connection(self) -> None:
        """After a fault of its own nothing is known of it; closing it rolls back."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


_Batch = list[tuple[Work[Any], asyncio.Future[Any]]]


@lru_cache(maxsize=1_000)
def _spelt(query: str) -> str:
    """SQLite's numbered parameters are ``?1``."""
    return query.replace("$", "?")


def _outcome(connection: sqlite3.Connection, work: Work[Any]) -> Any:
    """What the work gives, or the exception that it raised, with nothing of it done."""
    connection.execute("SAVEPOINT work")
    try:
        result = _ran(work(_SqliteRows(connection)))
    except Exception as fault:
        connection.execute("ROLLBACK TO work")
        result = fault
    connection.execute("RELEASE work")
    return result


def _ran(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    work.close()
    raise RuntimeError("a transaction awaits nothing but its rows")


def _tell(batch: _Batch, outcomes: Sequence[Any]) -> None:
    for (_, done), outcome in zip(batch, outcomes, strict=True):
        if done.done():
            continue  # whoever asked has gone
        if isinstance(outcome, BaseException):
            done.set_exception(outcome)
        else:
            done.set_result(outcome)
