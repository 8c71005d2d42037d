"""Appends to the journal on Postgres: many in one statement, which is one transaction and one way there and back."""

from collections.abc import Sequence
from typing import Any, Final

from asyncpg.exceptions import PostgresError, UniqueViolationError

from services.table.journal import CommandTakenError, FencedError, JournalError
from services.table.journal_rows import ENTRY_COLUMNS, EntryRows
from shared.rules.version import RULES_VERSION

APPEND_TIMEOUT_S: Final = 5.0
"""After which an append's outcome is not known."""

_COMMAND_INDEX: Final = "entries_command"
_FRESH: Final = (
    "table_id, epoch, revision, ended_ms, begins, command_id, command_digest, at_ms, match_id, deal_no, version,"
    " action, events, sealed, start, owner"
)
_APPEND: Final = f"""
WITH fresh AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::bigint[], $5::bool[], $6::text[], $7::bytea[],
        $8::bigint[], $9::text[], $10::int[], $11::int[], $12::text[], $13::text[], $14::bytea[], $15::text[],
        $16::text[])
        AS fresh ({_FRESH})
), raised AS (
    UPDATE tables SET revision = fresh.revision, live = fresh.ended_ms IS NULL, ended_ms = fresh.ended_ms
    FROM fresh WHERE fresh.revision > 1 AND tables.table_id = fresh.table_id AND tables.epoch = fresh.epoch
        AND tables.revision = fresh.revision - 1
    RETURNING tables.table_id
), made AS (
    INSERT INTO tables (table_id, epoch, revision, live, owner, rules_version)
    SELECT table_id, epoch, 1, TRUE, owner, $17::int FROM fresh WHERE revision = 1
    ON CONFLICT DO NOTHING RETURNING table_id
), passed AS (
    SELECT table_id FROM raised UNION ALL SELECT table_id FROM made
), _entries AS (
    INSERT INTO entries ({ENTRY_COLUMNS}) SELECT {ENTRY_COLUMNS} FROM fresh JOIN passed USING (table_id)
), _matches AS (
    INSERT INTO matches (match_id, table_id)
    SELECT match_id, table_id FROM fresh JOIN passed USING (table_id) WHERE begins
), _outbox AS (
    INSERT INTO outbox (message_id, subject, payload, created_ms)
    SELECT message_id, subject, payload, created_ms FROM passed JOIN
        unnest($18::text[], $19::text[], $20::text[], $21::bytea[], $22::bigint[]) WITH ORDINALITY
        AS facts (table_id, message_id, subject, payload, created_ms, number) USING (table_id)
    ORDER BY number ON CONFLICT DO NOTHING
)
SELECT table_id FROM passed
"""
"""The fence is ``raised``: a table that another has claimed, or that stands elsewhere, is not among those that passed,
and nothing of its entry is written. It waits for whoever else has the row in hand."""


async def write_batch(connection: Any, batch: Sequence[EntryRows]) -> list[Exception | None]:
    """Write entries of as many tables; if one will not go, each in its own transaction, so that it alone fails.

    Raises what the driver raises where nothing is known of any of them.
    """
    try:
        passed = await _append(connection, batch)
    except PostgresError as error:
        if connection.is_closed():
            raise
        # The server says so and goes on: nothing was written.
        if len(batch) > 1:
            return [outcome for rows in batch for outcome in await write_batch(connection, [rows])]
        return [_refused(batch[0], error)]
    return [None if rows.table_id in passed else _fenced(rows) for rows in batch]


async def _append(connection: Any, batch: Sequence[EntryRows]) -> set[str]:
    """The tables whose entries were written."""
    entries = zip(*(rows.entry for rows in batch), strict=True)
    table_ids, revisions, *others = map(list, entries)
    facts = [(rows.table_id, *fact) for rows in batch for fact in rows.outbox]
    found = await connection.fetch(
        _APPEND,
        table_ids,
        [rows.epoch for rows in batch],
        revisions,
        [rows.ended_ms for rows in batch],
        [rows.match_id is not None for rows in batch],
        *others,
        [rows.owner for rows in batch],
        RULES_VERSION,
        *(map(list, zip(*facts, strict=True)) if facts else ([],) * 5),
        timeout=APPEND_TIMEOUT_S,
    )
    return {row[0] for row in found}


def _refused(rows: EntryRows, error: PostgresError) -> Exception:
    if not isinstance(error, UniqueViolationError):
        return JournalError(type(error).__name__)
    taken = error.constraint_name == _COMMAND_INDEX  # type: ignore[attr-defined]  # set from the server's answer
    return CommandTakenError(rows.command_id) if taken else _fenced(rows)


def _fenced(rows: EntryRows) -> FencedError:
    return FencedError(f"{rows.table_id} is not at revision {rows.revision - 1} of epoch {rows.epoch}")
