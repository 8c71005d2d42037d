"""The lobby's database as its code sees it; `migrations/` makes it so."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
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
"""The inbox is the kit's own."""

ACCOUNTS: Final = Table(
    "accounts",
    metadata,
    Column("account_id", String(64), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("bot", Boolean, nullable=False),
    Column("secret_hash", LargeBinary, nullable=False),
    Column("made_ms", BigInteger, nullable=False),
    # Of a named account alone.
    Column("username", String(64), nullable=True),
    Column("username_key", String(64), nullable=True),
    Column("password_hash", Text, nullable=True),
    Column("named_ms", BigInteger, nullable=True),
    Index("accounts_one_username", "username_key", unique=True),
)

ACCOUNT_SECRETS: Final = Table(
    "account_secrets",
    metadata,
    Column("secret_hash", LargeBinary, primary_key=True),
    Column("account_id", String(64), ForeignKey("accounts.account_id"), nullable=False, index=True),
    Column("made_ms", BigInteger, nullable=False),
)

ROOMS: Final = Table(
    "rooms",
    metadata,
    Column("room_id", String(36), primary_key=True),
    Column("table_id", String(36), nullable=False, unique=True),
    Column("code", String(8), nullable=True, unique=True),
    Column("queue", String(40), nullable=True),
    Column("options", Text, nullable=False),
    Column("state", String(8), nullable=False),
    Column("made_ms", BigInteger, nullable=False),
    Column("deadline_ms", BigInteger, nullable=False),
    Column("seen_ms", BigInteger, nullable=False),
    Column("again_of", String(36), nullable=True),
    Column("bot_level", Integer, nullable=False, server_default="0"),
    # Of each kind of table one room at a time takes in who comes: two who come at once meet.
    Index(
        "rooms_one_open",
        "queue",
        unique=True,
        sqlite_where=text("state = 'waiting'"),
        postgresql_where=text("state = 'waiting'"),
    ),
    Index("rooms_state", "state", "deadline_ms"),
    # Who plays again does so in one room, until that is given up.
    Index(
        "rooms_one_again",
        "again_of",
        unique=True,
        sqlite_where=text("state <> 'closed'"),
        postgresql_where=text("state <> 'closed'"),
    ),
)

ROOM_SEATS: Final = Table(
    "room_seats",
    metadata,
    Column("room_id", String(36), ForeignKey("rooms.room_id"), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("account_id", String(64), ForeignKey("accounts.account_id"), nullable=False),
    Column("name", String(64), nullable=False),
    Column("bot", Boolean, nullable=False),
    Column("arrival", Integer, nullable=False),
    Column("holds", Boolean, nullable=False),
    PrimaryKeyConstraint("room_id", "seat"),
    Index("room_seats_account", "account_id"),
    # An account waits in one room, or sits at one table, whatever comes at once.
    Index("room_seats_one_held", "account_id", unique=True, sqlite_where=text("holds"), postgresql_where=text("holds")),
)

COMMANDS: Final = Table(
    "commands",
    metadata,
    Column("account_id", String(64), nullable=False),
    Column("command_id", String(36), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("room_id", String(36), ForeignKey("rooms.room_id"), nullable=False, index=True),
    PrimaryKeyConstraint("account_id", "command_id"),
)

MATCHES: Final = Table(
    "matches",
    metadata,
    Column("match_id", String(32), primary_key=True),
    Column("preset", String(20), nullable=False),
    Column("mode", String(20), nullable=False),
    Column("seats", Text, nullable=False),
    Column("totals", Text, nullable=False),
    Column("winner_team", Integer, nullable=False),
    Column("ended_ms", BigInteger, nullable=False, index=True),
)

MATCH_SEATS: Final = Table(
    "match_seats",
    metadata,
    Column("account_id", String(64), nullable=False),
    Column("match_id", String(32), ForeignKey("matches.match_id"), nullable=False, index=True),
    Column("seat", Integer, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    PrimaryKeyConstraint("account_id", "match_id"),
    Index("match_seats_newest", "account_id", "ended_ms", "match_id"),
)
