"""SQLite for processes of the world: used on the loop's own thread, with commits that fail, or whose answer is lost.

A transaction is a step, or a part of one, so a process that dies within it has either committed or not; that is all
that another could ever see. The files lie in memory: power cuts are not what is tried here.
"""

import asyncio
import atexit
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import aiosqlite.core

from services.shuffle.app import MIGRATIONS as SHUFFLE
from services.table.app import MIGRATIONS as TABLE
from services.wallet import settling
from services.wallet.app import MIGRATIONS as WALLET
from shared.kit import outbox
from shared.kit.database import Database, _sqlite_engine, open_database
from shared.kit.migrations import migrate

if TYPE_CHECKING:
    from tests.sim.world import World

LOOKED_AT: Final = ("INSERT OR ROLLBACK INTO entries", "INSERT INTO owners")
"""Statements that write journal entries, and the shuffle service's claims."""
IDLE_MS: Final = 5_000
"""Of outboxes, and of what settles: that they look once a second costs more here than anything else."""
_connect = sqlite3.connect


class Fault(StrEnum):
    """What may happen to a commit."""

    FAILED = "commit failed"
    ANSWER_LOST = "commit's answer lost"
    DIED_BEFORE = "died before the commit"
    DIED_AFTER = "died after the commit"


class Connection(sqlite3.Connection):
    """A connection of a process."""

    def __init__(self, database: Any, *args: Any, **more: Any) -> None:
        super().__init__(database, *args, **more)
        world = _running[-1]
        process = world.current
        assert process is not None, "only processes open databases"
        self.process = process
        self.file = Path(database).name
        self.has_news = False
        """Whether this transaction writes what the world looks at."""
        process.connections.append(self)

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        """As ever, but for commits."""
        if self.process.dead:
            raise sqlite3.OperationalError("the process is dead")
        if sql.startswith(LOOKED_AT):
            self.has_news = True
        if sql == "COMMIT":
            self._commit(lambda: super(Connection, self).execute(sql))
            return self.cursor()
        return super().execute(sql, values)

    def commit(self) -> None:
        """SQLAlchemy's way."""
        if self.process.dead:
            raise sqlite3.OperationalError("the process is dead")
        if self.in_transaction:
            self._commit(lambda: super(Connection, self).commit())

    def rollback(self) -> None:
        """Of a dead process's, it has happened."""
        if not self.process.dead:
            super().rollback()

    def close(self) -> None:
        """For good."""
        if self in self.process.connections:
            self.process.connections.remove(self)
        super().close()

    def _commit(self, commit: Callable[[], object]) -> None:
        world = self.process.world
        changed = self.total_changes
        fault = world.commit_fault(self.process) if changed else None
        if fault is Fault.FAILED:
            super().rollback()
            raise sqlite3.OperationalError("disk I/O error")
        if fault is Fault.DIED_BEFORE:
            world.kill(self.process)
            raise sqlite3.OperationalError("the process is dead")
        commit()
        if self.has_news:
            self.has_news = False
            world.committed(self.process, self.file)
        if fault is Fault.DIED_AFTER:
            world.kill(self.process)
        if fault is not None:
            raise sqlite3.OperationalError("the answer is lost")


class _Threadless:
    """Stands for aiosqlite's thread and its queue: what is put in is done at once."""

    daemon = True

    def start(self) -> None:
        """There is no thread."""

    def put_nowait(self, item: tuple[asyncio.Future[Any] | None, Callable[[], Any]]) -> None:
        future, function = item
        try:
            result = function()
        except Exception as fault:
            if future is not None:
                future.set_exception(fault)
        else:
            if future is not None:
                future.set_result(result)


class InlineConnection(aiosqlite.core.Connection):
    """aiosqlite's connection without its thread."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._tx = self._thread = _Threadless()  # type: ignore[assignment]

    def __del__(self) -> None:
        """Nothing is left open: the process closes what it had."""


_running: list["World"] = []


@contextmanager
def simulated(world: "World") -> Iterator[None]:
    """What is opened, and drawn from the operating system, meanwhile is the world's."""

    def connect(database: Any, *args: Any, **more: Any) -> sqlite3.Connection:
        return _connect(database, *args, factory=Connection, **more)

    with ExitStack() as stack:
        stack.enter_context(patch.object(sqlite3, "connect", connect))
        stack.enter_context(patch.object(aiosqlite.core, "Connection", InlineConnection))
        for module in (outbox, settling):
            stack.enter_context(patch.object(module, "IDLE_MS", IDLE_MS))
        entropy = world.rng("entropy").randbytes
        stack.enter_context(patch.object(os, "urandom", entropy))
        stack.enter_context(patch.object(random, "_urandom", entropy))  # for `secrets`
        _running.append(world)
        try:
            yield
        finally:
            _running.pop()


def database_of(path: Path) -> Database:
    """A database of the kit's on a file, for the current process."""
    return Database(_sqlite_engine(path, pool_size=4), path)


def observe(path: Path) -> sqlite3.Connection:
    """A connection of the world's own, which looks on."""
    connection = _connect(path, isolation_level=None)
    connection.execute("PRAGMA query_only=ON")
    return connection


@contextmanager
def folder_of_databases() -> Iterator[Path]:
    """A new folder with each service's database, empty and migrated."""
    with TemporaryDirectory(prefix="banakil-sim-", dir=_memory()) as folder:
        for made in migrated().iterdir():
            shutil.copyfile(made, Path(folder) / made.name)
        yield Path(folder)


@cache
def migrated() -> Path:
    """A folder with migrated databases to copy, kept as long as this process runs."""
    folder = Path(mkdtemp(prefix="banakil-sim-made-", dir=_memory()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

    async def make() -> None:
        for name, revisions in (("table", TABLE), ("shuffle", SHUFFLE), ("wallet", WALLET)):
            async with open_database(f"sqlite:///{folder / name}.db") as database:
                await migrate(database, revisions)

    asyncio.new_event_loop().run_until_complete(make())
    with closing(_connect(folder / "wallet.db")) as wallet:
        wallet.execute("CREATE TABLE effects (message_id TEXT)")
    for leftover in folder.iterdir():
        if leftover.suffix != ".db":
            leftover.unlink()
    return folder


def _memory() -> str | None:
    """Where files live in memory, if the machine has such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
