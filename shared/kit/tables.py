"""The two tables that the kit keeps in a service's database: facts to be sent, and facts that have been taken in."""

from __future__ import annotations

from typing import Final

from alembic import op
from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, PrimaryKeyConstraint, String, Table

metadata: Final = MetaData()

# SQLite counts up by itself only in an INTEGER column.
_COUNTER: Final = BigInteger().with_variant(Integer, "sqlite")

OUTBOX: Final = Table(
    "outbox",
    metadata,
    Column("id", _COUNTER, primary_key=True, autoincrement=True),
    Column("message_id", String(200), nullable=False, unique=True),
    Column("subject", String(200), nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

INBOX: Final = Table(
    "inbox",
    metadata,
    Column("consumer", String(100), nullable=False),
    Column("message_id", String(200), nullable=False),
    Column("received_ms", BigInteger, nullable=False),
    PrimaryKeyConstraint("consumer", "message_id"),
    Index("inbox_received", "received_ms"),
)


def create_outbox() -> None:
    """For a service's first migration. The columns are as of version 1; a change of theirs comes as a new function."""
    op.create_table(
        "outbox",
        Column("id", _COUNTER, primary_key=True, autoincrement=True),
        Column("message_id", String(200), nullable=False, unique=True),
        Column("subject", String(200), nullable=False),
        Column("payload", LargeBinary, nullable=False),
        Column("created_ms", BigInteger, nullable=False),
    )


def create_inbox() -> None:
    """For a service's first migration; as :func:`create_outbox`."""
    op.create_table(
        "inbox",
        Column("consumer", String(100), nullable=False),
        Column("message_id", String(200), nullable=False),
        Column("received_ms", BigInteger, nullable=False),
        PrimaryKeyConstraint("consumer", "message_id"),
    )
    op.create_index("inbox_received", "inbox", ["received_ms"])
