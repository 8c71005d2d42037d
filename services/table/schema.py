"""The table service's tables, the same on SQLite and Postgres."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    text,
)

metadata: Final = MetaData()

TABLES: Final = Table(
    "tables",
    metadata,
    Column("table_id", String(64), primary_key=True),
    Column("epoch", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("live", Boolean, nullable=False, index=True),
    Column("owner", String(64), nullable=True),
    Column("rules_version", Integer, nullable=False, server_default=text("1")),
    Column("ended_ms", BigInteger, nullable=True),
    Column("since_ms", BigInteger, nullable=True),
    Column("since_revision", Integer, nullable=True),
    Index("tables_owner", "owner"),
    Index("tables_ended", "ended_ms"),
)
"""Each table that was ever made: the fence of its appends. ``owner`` is a pod. ``ended_ms`` is there from its closing
until its matches are archived: then its entries go, and the row stays, so that the id is not used again. ``since_ms``
is the last sign of life of the owner before, as long as the table stands at the ``since_revision`` of its claim."""

ENTRIES: Final = Table(
    "entries",
    metadata,
    Column("table_id", String(64), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("command_id", String(200), nullable=False),
    Column("command_digest", LargeBinary, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("match_id", String(32), nullable=False),
    Column("deal_no", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("action", Text, nullable=False),
    Column("events", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=True),
    Column("start", Text, nullable=True),
    PrimaryKeyConstraint("table_id", "revision"),
    Index("entries_command", "table_id", "command_id", unique=True),
)
"""The journal. ``version`` is that of the shapes in ``events`` and ``start``."""

MATCHES: Final = Table(
    "matches",
    metadata,
    Column("match_id", String(32), primary_key=True),
    Column("table_id", String(64), nullable=False),
)
"""Where each match is played that is not archived."""

ARCHIVES: Final = Table(
    "archives",
    metadata,
    Column("match_id", String(32), primary_key=True),
    Column("table_id", String(64), nullable=False, index=True),
    Column("ended_ms", BigInteger, nullable=False, index=True),
    Column("record", Text, nullable=False),
    Column("seating", String(16), nullable=True),
)
"""Finished matches as their records. ``seating``: where players of a series have swapped seats, the place in the first
match of who had each."""

PODS: Final = Table(
    "pods",
    metadata,
    Column("pod_id", String(64), primary_key=True),
    Column("address", Text, nullable=False),
    Column("renewed_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("draining", Boolean, nullable=False),
    Column("live_tables", Integer, nullable=False),
)
"""The processes that may own tables, and until when each is believed to live, by the database's clock."""

BEATS: Final = Table(
    "beats",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
)
"""The last sign of life of the one process that there is on SQLite."""
