"""The journal on SQLite: one process, appends of many tables in one commit, recovery by restart.

One thread writes, with ``synchronous=FULL``: while it commits, further appends gather for its next transaction.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import structlog

from services.table.events import Created, Dealt, MatchBegan, Revealed
from services.table.journal import (
    CommandTakenError,
    Entry,
    JournalError,
    StoredCommand,
    StoredDeal,
    StoredEntry,
    StoredTable,
)
from services.table.state import Stage, TableState
from services.table.stored import VERSION, read_event, read_state, write_event, write_state
from shared.codec.facts import fact_subject
from shared.kit.sealing import Sealed, SealingKeys
from shared.kit.tasks import cancel_and_wait, spawn

MOST_IN_ONE_COMMIT: Final = 256
BUSY_TIMEOUT_S: Final = 5.0
KEY_ID_CHARS: Final = 16
"""Of the key's id, which stands before what it seals."""

_log = structlog.get_logger("table.journal")
_T = TypeVar("_T")
_encode: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode

_INSERT: Final = (
    "INSERT INTO entries (table_id, revision, command_id, command_digest, at_ms, match_id, deal_no, version, action,"
    " events, sealed, start) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_OUTBOX: Final = (
    "INSERT INTO outbox (message_id, subject, payload, created_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
)


class _Rows(NamedTuple):
    """One entry as rows."""

    table_id: str
    revision: int
    live: bool
    entry: tuple[Any, ...]
    match_id: str | None
    outbox: list[tuple[Any, ...]]


class SqliteJournal:
    """See ``Journal``. Opened by ``open_journal``."""

    def __init__(self, path: Path, sealer: SealingKeys, wake_outbox: Callable[[], None]) -> None:
        self._path = path
        self._sealer = sealer
        self._wake_outbox = wake_outbox
        self._writer = ThreadPoolExecutor(1, "journal-writer")
        self._reader = ThreadPoolExecutor(1, "journal-reader")
        self._pending: list[tuple[_Rows, asyncio.Future[None]]] = []
        self._more = asyncio.Event()
        self._connections: dict[str, sqlite3.Connection] = {}

    async def append(self, entry: Entry) -> None:
        """See ``Journal``."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append((self._rows(entry), done))
        self._more.set()
        await done

    async def find_command(self, table_id: str, command_id: str) -> StoredCommand | None:
        """See ``Journal``."""
        rows = await self._read(
            "SELECT command_digest, revision FROM entries WHERE table_id = ? AND command_id = ?", table_id, command_id
        )
        return StoredCommand(*rows[0]) if rows else None

    async def load(self, table_id: str) -> StoredTable | None:
        """See ``Journal``."""
        rows = await self._read(
            "SELECT revision, command_id, command_digest, at_ms, events, sealed, start FROM entries WHERE table_id = ?"
            " AND revision >= coalesce((SELECT max(revision) FROM entries WHERE table_id = ? AND start IS NOT NULL), 0)"
            " ORDER BY revision",
            table_id,
            table_id,
        )
        if not rows:
            return None
        start, deck = None, b""
        first = rows[0]
        if first[6] is not None:
            start = read_state(json.loads(first[6]))
            deck = self._open(table_id, first[0], first[5])
        return StoredTable(
            start=start,
            deck=deck,
            entries=tuple(self._stored(table_id, row) for row in (rows if start is None else rows[1:])),
            commands={row[1]: StoredCommand(row[2], row[0]) for row in rows},
            last_ms=rows[-1][3],
        )

    async def live_tables(self) -> list[str]:
        """See ``Journal``."""
        return [row[0] for row in await self._read("SELECT table_id FROM tables WHERE live ORDER BY table_id")]

    async def match_record(self, match_id: bytes) -> tuple[TableState, list[StoredDeal]] | None:
        """See ``Journal``."""
        rows = await self._read(
            "SELECT deal_no, action, events, start FROM entries WHERE match_id = ? ORDER BY revision", match_id.hex()
        )
        table: TableState | None = None
        starters: dict[int, int] = {}
        fairs: dict[int, str] = {}
        actions: dict[int, list[str]] = {}
        for deal_no, action, events, start in rows:
            if start is not None:
                table = read_state(json.loads(start))
            if action:
                actions.setdefault(deal_no, []).append(action)
            for value in json.loads(events):
                if value[0] in (Dealt.__name__, Revealed.__name__):
                    event = read_event(value)
                    if isinstance(event, Dealt):
                        starters[deal_no] = event.starter
                    elif isinstance(event, Revealed) and event.match_id == match_id:
                        fairs[event.deal_no] = event.fair_json
        if table is None:
            return None
        deals = [
            StoredDeal(number, starters[number], fair_json, tuple(actions.get(number, ())))
            for number, fair_json in sorted(fairs.items())
        ]
        return table, deals

    async def beat(self, at_ms: int) -> None:
        """See ``Journal``."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO beats (id, at_ms) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at_ms = ?",
                               (at_ms, at_ms))  # fmt: skip

        await self._in_thread(self._writer, "writer", write)

    async def last_beat_ms(self) -> int:
        """See ``Journal``."""
        rows = await self._read("SELECT at_ms FROM beats")
        return int(rows[0][0]) if rows else 0

    async def run(self) -> None:
        """Commit appends for as long as the journal is open."""
        while True:
            await self._more.wait()
            batch = self._pending[:MOST_IN_ONE_COMMIT]
            del self._pending[:MOST_IN_ONE_COMMIT]
            if not self._pending:
                self._more.clear()
            await self._commit(batch)

    def close(self) -> None:
        """End the threads and their connections."""
        for executor in (self._writer, self._reader):
            executor.shutdown(wait=True)
        for connection in self._connections.values():
            connection.close()
        for _, done in self._pending:
            if not done.done():
                done.set_exception(JournalError("the journal is closed"))

    async def _commit(self, batch: list[tuple[_Rows, "asyncio.Future[None]"]]) -> None:
        try:
            outcomes = await self._in_thread(self._writer, "writer", lambda c: _write(c, [rows for rows, _ in batch]))
        except Exception as error:
            _log.exception("journal.failed", entries=len(batch))
            outcomes = [JournalError(str(error))] * len(batch)
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if done.done():
                continue
            if outcome is None:
                done.set_result(None)
            else:
                done.set_exception(outcome)
        if any(rows.outbox for rows, _ in batch):
            self._wake_outbox()

    def _rows(self, entry: Entry) -> _Rows:
        state = entry.state
        starts_deal = any(isinstance(event, Dealt) for event in entry.events)
        new_match = any(isinstance(event, Created | MatchBegan) for event in entry.events)
        sealed = None
        if entry.hidden:
            closed = self._sealer.seal(entry.hidden, _place(entry.table_id, entry.revision))
            sealed = closed.key_id.encode() + closed.data
        match_id = state.match_id.hex()
        return _Rows(
            table_id=entry.table_id,
            revision=entry.revision,
            live=state.stage is not Stage.CLOSED or bool(state.unrevealed),
            entry=(
                entry.table_id,
                entry.revision,
                entry.command_id,
                entry.command_digest,
                entry.at_ms,
                match_id,
                state.deal_no,
                VERSION,
                entry.action,
                _encode([write_event(event) for event in entry.events]),
                sealed,
                _encode(write_state(state)) if starts_deal else None,
            ),
            match_id=match_id if new_match else None,
            outbox=[(fact.fact_id, fact_subject(fact), fact.SerializeToString(), entry.at_ms) for fact in entry.facts],
        )

    def _stored(self, table_id: str, row: Sequence[Any]) -> StoredEntry:
        revision, _, _, at_ms, events, sealed, _ = row
        hidden = b"" if sealed is None else self._open(table_id, revision, sealed)
        return StoredEntry(revision, at_ms, tuple(read_event(value, hidden) for value in json.loads(events)), hidden)

    def _open(self, table_id: str, revision: int, sealed: bytes) -> bytes:
        closed = Sealed(sealed[:KEY_ID_CHARS].decode(), sealed[KEY_ID_CHARS:])
        return self._sealer.open(closed, _place(table_id, revision))

    async def _read(self, query: str, *values: object) -> list[Any]:
        return await self._in_thread(self._reader, "reader", lambda c: c.execute(query, values).fetchall())

    async def _in_thread(self, executor: ThreadPoolExecutor, name: str, work: Callable[[sqlite3.Connection], _T]) -> _T:
        def run() -> _T:
            connection = self._connections.get(name)
            if connection is None:
                connection = self._connections[name] = _connect(self._path)
            return work(connection)

        return await asyncio.get_running_loop().run_in_executor(executor, run)


@asynccontextmanager
async def open_journal(
    path: Path, sealer: SealingKeys, wake_outbox: Callable[[], None]
) -> AsyncIterator[SqliteJournal]:
    """The journal in a database that is migrated already; ``wake_outbox`` is called after facts were committed."""
    journal = SqliteJournal(path, sealer, wake_outbox)
    task = spawn(journal.run(), "journal")
    try:
        yield journal
    finally:
        await cancel_and_wait(task)
        journal.close()


def _place(table_id: str, revision: int) -> bytes:
    return f"{table_id}:{revision}".encode()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def _write(connection: sqlite3.Connection, batch: list[_Rows]) -> list[Exception | None]:
    """Write a batch in one transaction; if one entry will not go, each in its own, so that it alone fails."""
    try:
        _transaction(connection, batch)
    except sqlite3.IntegrityError:
        return [_write_alone(connection, rows) for rows in batch]
    return [None] * len(batch)


def _write_alone(connection: sqlite3.Connection, rows: _Rows) -> Exception | None:
    try:
        _transaction(connection, [rows])
    except sqlite3.IntegrityError as error:
        if "command_id" in str(error):
            return CommandTakenError(rows.entry[2])
        return JournalError(f"{rows.table_id} is not at revision {rows.revision - 1}: {error}")
    except sqlite3.Error as error:
        return JournalError(str(error))
    return None


def _transaction(connection: sqlite3.Connection, batch: Iterable[_Rows]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for rows in batch:
            if rows.revision == 1:
                connection.execute(
                    "INSERT INTO tables (table_id, epoch, revision, live) VALUES (?, 1, 1, 1)", (rows.table_id,)
                )
            else:
                raised = connection.execute(
                    "UPDATE tables SET revision = ?, live = ? WHERE table_id = ? AND revision = ?",
                    (rows.revision, rows.live, rows.table_id, rows.revision - 1),
                )
                if raised.rowcount != 1:
                    raise sqlite3.IntegrityError("tables.revision")
            connection.execute(_INSERT, rows.entry)
            if rows.match_id is not None:
                connection.execute("INSERT INTO matches VALUES (?, ?)", (rows.match_id, rows.table_id))
            if rows.outbox:
                connection.executemany(_OUTBOX, rows.outbox)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
