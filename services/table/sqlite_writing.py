"""Appends to the journal on SQLite: many in one transaction, each with an answer of its own.

A batch is a handful of statements, however many entries it has: for each statement the thread gives up the
interpreter's lock and has to win it back from the event loop, which takes longer than writing a row. One that fails
takes its transaction back (``OR ROLLBACK``): to be able to take back one alone, SQLite would copy each page that it
changes to a file that it makes for that.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from services.table.journal import CommandTakenError, FencedError, JournalError
from services.table.journal_rows import ENTRY_COLUMNS, EntryRows
from shared.rules.version import RULES_VERSION

BUSY_TIMEOUT_S: Final = 5.0
_END: Final = "UPDATE tables SET live = FALSE, ended_ms = ? WHERE table_id = ?"
CHECKPOINT_PAGES: Final = 4_000
"""So much of the write-ahead log (16 MB) is carried over at once: most pages have changed several times by then."""


def connect(path: Path) -> sqlite3.Connection:
    """A connection whose commits survive a power cut."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    return connection


def write_batch(connection: sqlite3.Connection, batch: Sequence[EntryRows]) -> list[Exception | None]:
    """Write entries in one transaction; if one will not go, each in its own, so that it alone fails.

    Raises ``sqlite3.Error`` where nothing is known of any of them.
    """
    try:
        _write(connection, batch)
    except sqlite3.IntegrityError:
        return [_write_alone(connection, rows) for rows in batch]
    return [None] * len(batch)


def _write_alone(connection: sqlite3.Connection, rows: EntryRows) -> Exception | None:
    try:
        _write(connection, [rows])
    except sqlite3.IntegrityError as error:
        if "command_id" in str(error):
            return CommandTakenError(rows.command_id)
        return FencedError(f"{rows.table_id} is not at revision {rows.revision - 1} of epoch {rows.epoch}")
    except sqlite3.Error as error:
        return JournalError(type(error).__name__)
    return None


def in_transaction(connection: sqlite3.Connection, statements: Sequence[tuple[Any, ...]]) -> None:
    """Execute SQL, each with its values behind it, in one transaction."""
    with _transaction(connection):
        for query, *values in statements:
            connection.execute(spelt(query), values)


def spelt(query: str) -> str:
    """SQLite's numbered parameters are ``?1``."""
    return query.replace("$", "?")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite ends a transaction by itself on some errors; one that was left open would refuse all that follow.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _write(connection: sqlite3.Connection, batch: Sequence[EntryRows]) -> None:
    with _transaction(connection):
        _raise_revisions(connection, [rows for rows in batch if rows.revision > 1])
        for rows in batch:
            if rows.ended_ms is not None:
                connection.execute(_END, (rows.ended_ms, rows.table_id))
        _insert(connection, "tables (table_id, epoch, revision, live, rules_version, owner)", [
            (rows.table_id, rows.epoch, 1, True, RULES_VERSION, rows.owner) for rows in batch if rows.revision == 1
        ])  # fmt: skip
        _insert(connection, f"entries ({ENTRY_COLUMNS})", [rows.entry for rows in batch])
        _insert(connection, "matches (match_id, table_id)", [
            (rows.match_id, rows.table_id) for rows in batch if rows.match_id is not None
        ])  # fmt: skip
        _insert(
            connection,
            "outbox (message_id, subject, payload, created_ms)",
            [fact for rows in batch for fact in rows.outbox],
            "ON CONFLICT DO NOTHING",
        )


def _raise_revisions(connection: sqlite3.Connection, batch: Sequence[EntryRows]) -> None:
    """The fence: every table must stand one revision below its entry, and belong to who writes it.

    Nothing else is set: a column of an index would have that written anew too, though it stays as it is.
    """
    if not batch:
        return
    values = ", ".join(["(?, ?, ?)"] * len(batch))
    raised = connection.execute(
        "UPDATE OR ROLLBACK tables SET revision = fresh.column3"
        f" FROM (VALUES {values}) AS fresh WHERE tables.table_id = fresh.column1 AND tables.epoch = fresh.column2"
        " AND tables.revision = fresh.column3 - 1",
        [value for rows in batch for value in (rows.table_id, rows.epoch, rows.revision)],
    )
    if raised.rowcount != len(batch):
        raise sqlite3.IntegrityError("tables.revision")


def _insert(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]], on_conflict: str = "") -> None:
    if not rows:
        return
    row = f"({', '.join('?' * len(rows[0]))})"
    values = ", ".join([row] * len(rows))
    query = f"INSERT OR ROLLBACK INTO {into} VALUES {values} {on_conflict}"
    connection.execute(query, [value for one in rows for value in one])
