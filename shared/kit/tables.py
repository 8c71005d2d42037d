"""The tables that the kit keeps in a service's database: facts sent and taken in, and what operators have done."""

from __future__ import annotations

from typing import Final

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

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


AUDIT: Final = Table(
    "audit",
    metadata,
    Column("id", _COUNTER, primary_key=True, autoincrement=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("operator", String(64), nullable=False),
    Column("what", String(32), nullable=False),
    Column("target", String(200), nullable=False),
    Column("reason", Text, nullable=False),
    Column("outcome", String(64), nullable=False),
    Index("audit_at", "at_ms"),
)
"""What operators have done, to what. ``outcome``: `begun` until there is one, then `done` or the
code of the refusal."""


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


def create_audit() -> None:
    """As :func:`create_outbox`."""
    op.create_table(
        "audit",
        Column("id", _COUNTER, primary_key=True, autoincrement=True),
        Column("at_ms", BigInteger, nullable=False),
        Column("operator", String(64), nullable=False),
        Column("what", String(32), nullable=False),
        Column("target", String(200), nullable=False),
        Column("reason", Text, nullable=False),
        Column("outcome", String(64), nullable=False),
    )
    op.create_index("audit_at", "audit", ["at_ms"])
