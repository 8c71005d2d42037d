"""A service's own database: SQLite for one process, Postgres for many, both by SQLAlchemy Core.

SQLite runs in WAL mode with ``synchronous=FULL`` (a commit that was answered survives a power cut) and a lock on
a file beside it, so that no second process opens it. Write transactions of one process wait for one another here,
in order, rather than in SQLite's polling.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg
from sqlalchemy import URL, Connection, ExceptionContext, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from shared.kit.process_lock import HeldError, hold

POOL_SIZE: Final = 10
BUSY_TIMEOUT_MS: Final = 5_000
CONNECT_TIMEOUT_S: Final = 5
COMMAND_TIMEOUT_S: Final = 30
_AWAY: Final = ("08", "53300", "57P")
"""Of SQLSTATE."""
_ON_POSTGRES: Final[dict[str, Any]] = {
    "timeout": CONNECT_TIMEOUT_S,
    "command_timeout": COMMAND_TIMEOUT_S,
    # A plan that is kept fits the table as it was when the plan was made, which is empty after a first start: it reads
    # every row, however many there come to be, until somebody analyzes the table.
    "server_settings": {"plan_cache_mode": "force_custom_plan"},
}
_BEGIN: Final = "banakil_begin"
PRAGMAS: Final = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
    "PRAGMA trusted_schema=OFF",
)


NO_ADDRESS: Final = "a database's address (DATABASE_URL) begins with sqlite:/// or postgresql://"


class DatabaseAddressError(ValueError):
    """An address that is of no database that we can use."""


class DatabaseInUseError(Exception):
    """Another process has this SQLite file open."""


class Database:
    """An open database. ``path`` is the SQLite file, or None on Postgres."""

    def __init__(self, engine: AsyncEngine, path: Path | None) -> None:
        self.engine = engine
        self.path = path
        self._writing = asyncio.Lock()

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite: one process, no fail-over."""
        return self.path is not None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes: committed at the end, rolled back on an exception."""
        if self.is_sqlite:
            async with self._writing, self.engine.connect() as connection:
                await connection.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
                async with connection.begin():
                    yield connection
        else:
            async with self.engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that only reads, and on SQLite waits for no writer. What it wrote would be rolled back."""
        async with self.engine.connect() as connection:
            yield connection

    @asynccontextmanager
    async def driver(self) -> AsyncIterator[Any]:
        """The driver's own connection (aiosqlite or asyncpg), in no transaction, for paths that need its speed.

        One that the block fails on is not used again.
        """
        async with self.engine.connect() as connection:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            while not self.is_sqlite and driver.is_closed():  # by the server, while it lay in the pool
                await connection.invalidate()
                driver = (await connection.get_raw_connection()).driver_connection
            try:
                yield driver
            except BaseException:
                await connection.invalidate()
                raise

    async def connect_driver(self) -> Any:
        """A connection of the caller's own to Postgres (asyncpg's), for long: it is in no pool, and not closed here."""
        _, address = self.engine.dialect.create_connect_args(self.engine.url)
        return await asyncpg.connect(**address, **_ON_POSTGRES)  # type: ignore[no-untyped-call]  # the library has few types

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[bool]:
        """Whether this process has the turn called ``name``, to the block's end; on Postgres one process at a time."""
        if self.is_sqlite:
            yield True
            return
        async with self.engine.begin() as connection:
            lock = text("SELECT pg_try_advisory_xact_lock(:key)").bindparams(key=lock_key(name))
            yield bool(await connection.scalar(lock))

    async def now_ms(self, connection: AsyncConnection) -> int:
        """The database's own clock in Unix milliseconds: what all processes that share it agree on."""
        asked = "julianday('now') * 86400000 - 210866760000000"
        if not self.is_sqlite:
            asked = "extract(epoch FROM clock_timestamp()) * 1000"
        return int(await connection.scalar(text(f"SELECT {asked}")))

    async def answers(self) -> bool:
        """Whether a query gets through; for readiness."""
        async with self.reading() as connection:
            return bool(await connection.scalar(text("SELECT 1")))


@asynccontextmanager
async def open_database(url: str, *, password: str = "", pool_size: int = POOL_SIZE) -> AsyncIterator[Database]:
    """Opens ``sqlite:///<path>`` (an absolute path has four slashes) or ``postgresql://user@host/name``.

    Raises :class:`DatabaseInUseError` where another process has the SQLite file open, and
    :class:`DatabaseAddressError` for another kind of address.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise DatabaseAddressError(NO_ADDRESS) from None
    if password:
        parsed = parsed.set(password=password)
    if parsed.get_backend_name() == "postgresql":
        engine, path = _postgres_engine(parsed, pool_size), None
    elif parsed.get_backend_name() == "sqlite" and parsed.database:
        path = Path(parsed.database)
        engine = _sqlite_engine(path, pool_size)
    else:
        raise DatabaseAddressError(NO_ADDRESS)
    with _only_process(path):
        try:
            yield Database(engine, path)
        finally:
            await engine.dispose()


def is_away(fault: DBAPIError) -> bool:
    """Whether Postgres cannot be asked now, as it says itself: the line fails, it starts, stops, recovers, is full."""
    return (getattr(fault.orig, "sqlstate", None) or "").startswith(_AWAY)


def lock_key(name: str) -> int:
    """The number by which Postgres knows the advisory lock called ``name``."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def _postgres_engine(url: URL, pool_size: int) -> AsyncEngine:
    return create_async_engine(
        url.set(drivername="postgresql+asyncpg"),
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=CONNECT_TIMEOUT_S,
        hide_parameters=True,  # else an error's text holds what was to be stored
        connect_args=_ON_POSTGRES,
    )


def _sqlite_engine(path: Path, pool_size: int) -> AsyncEngine:
    engine = create_async_engine(
        f"sqlite+aiosqlite:///{path}", pool_size=pool_size, max_overflow=0, hide_parameters=True
    )

    @event.listens_for(engine.sync_engine, "connect")
    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver must not begin transactions of its own, in its own way
        cursor = connection.cursor()
        for pragma in PRAGMAS:
            cursor.execute(pragma)
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))

    @event.listens_for(engine.sync_engine, "handle_error")
    def keep_when_cancelled(context: ExceptionContext) -> None:
        # Whoever waits for a statement may be cancelled, an RPC for one; the statement itself runs on, in its turn. The
        # connection is sound and rolls back. Thrown away instead, it would be closed with a statement half read, and
        # SQLite keep its write lock until the garbage is collected.
        if isinstance(context.original_exception, asyncio.CancelledError):
            context.is_disconnect = False

    return engine


@contextmanager
def _only_process(path: Path | None) -> Iterator[None]:
    if path is None:
        yield
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its other files the mode of this one
    try:
        lock = hold(Path(f"{path}.lock"))
    except HeldError:
        raise DatabaseInUseError(f"{path} is in use by another process") from None
    try:
        yield
    finally:
        os.close(lock)
