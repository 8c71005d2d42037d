"""Appends to the journal on SQLite: many in one transaction, each with an answer of its own."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from services.table.journal import CommandTakenError, JournalError
from services.table.journal_rows import EntryRows

BUSY_TIMEOUT_S: Final = 5.0

_INSERT: Final = (
    "INSERT INTO entries (table_id, revision, command_id, command_digest, at_ms, match_id, deal_no, version, action,"
    " events, sealed, start) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_OUTBOX: Final = (
    "INSERT INTO outbox (message_id, subject, payload, created_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
)


def connect(path: Path) -> sqlite3.Connection:
    """A connection whose commits survive a power cut."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def write_batch(connection: sqlite3.Connection, batch: list[EntryRows]) -> list[Exception | None]:
    """Write entries in one transaction; if one will not go, each in its own, so that it alone fails.

    Raises ``sqlite3.Error`` where nothing is known of any of them.
    """
    try:
        _transaction(connection, batch)
    except sqlite3.IntegrityError:
        return [_write_alone(connection, rows) for rows in batch]
    return [None] * len(batch)


def _write_alone(connection: sqlite3.Connection, rows: EntryRows) -> Exception | None:
    try:
        _transaction(connection, [rows])
    except sqlite3.IntegrityError as error:
        if "command_id" in str(error):
            return CommandTakenError(rows.entry[2])
        return JournalError(f"{rows.table_id} is not at revision {rows.revision - 1}")
    except sqlite3.Error as error:
        return JournalError(type(error).__name__)
    return None


def _transaction(connection: sqlite3.Connection, batch: Iterable[EntryRows]) -> None:
    try:
        connection.execute("BEGIN IMMEDIATE")
        for rows in batch:
            _insert(connection, rows)
        connection.execute("COMMIT")
    except BaseException:
        # SQLite ends a transaction by itself on some errors; one that was left open would refuse all that follow.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _insert(connection: sqlite3.Connection, rows: EntryRows) -> None:
    if rows.revision == 1:
        connection.execute("INSERT INTO tables (table_id, epoch, revision, live) VALUES (?, 1, 1, 1)", (rows.table_id,))
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
