"""Accounts, rooms with their seats and commands, the history of matches, and the inbox."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    Text,
    text,
)

from shared.kit.tables import create_inbox

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "accounts",
        Column("account_id", String(64), primary_key=True),
        Column("name", String(64), nullable=False),
        Column("bot", Boolean, nullable=False),
        Column("secret_hash", LargeBinary, nullable=False),
        Column("made_ms", BigInteger, nullable=False),
    )
    _make_rooms()
    _make_history()
    create_inbox()


def _make_rooms() -> None:
    op.create_table(
        "rooms",
        Column("room_id", String(36), primary_key=True),
        Column("table_id", String(36), nullable=False, unique=True),
        Column("code", String(8), nullable=True, unique=True),
        Column("queue", String(40), nullable=True),
        Column("options", Text, nullable=False),
        Column("state", String(8), nullable=False),
        Column("made_ms", BigInteger, nullable=False),
        Column("deadline_ms", BigInteger, nullable=False),
        Column("seen_ms", BigInteger, nullable=False),
    )
    open_only = text("state = 'waiting'")
    op.create_index(
        "rooms_one_open", "rooms", ["queue"], unique=True, sqlite_where=open_only, postgresql_where=open_only
    )
    op.create_index("rooms_state", "rooms", ["state", "deadline_ms"])
    op.create_table(
        "room_seats",
        Column("room_id", String(36), ForeignKey("rooms.room_id"), nullable=False),
        Column("seat", Integer, nullable=False),
        Column("account_id", String(64), ForeignKey("accounts.account_id"), nullable=False),
        Column("name", String(64), nullable=False),
        Column("bot", Boolean, nullable=False),
        Column("arrival", Integer, nullable=False),
        Column("holds", Boolean, nullable=False),
        PrimaryKeyConstraint("room_id", "seat"),
    )
    held = text("holds")
    op.create_index("room_seats_account", "room_seats", ["account_id"])
    op.create_index(
        "room_seats_one_held", "room_seats", ["account_id"], unique=True, sqlite_where=held, postgresql_where=held
    )
    op.create_table(
        "commands",
        Column("account_id", String(64), nullable=False),
        Column("command_id", String(36), nullable=False),
        Column("digest", LargeBinary, nullable=False),
        Column("room_id", String(36), ForeignKey("rooms.room_id"), nullable=False, index=True),
        PrimaryKeyConstraint("account_id", "command_id"),
    )


def _make_history() -> None:
    op.create_table(
        "matches",
        Column("match_id", String(32), primary_key=True),
        Column("preset", String(20), nullable=False),
        Column("mode", String(20), nullable=False),
        Column("seats", Text, nullable=False),
        Column("totals", Text, nullable=False),
        Column("winner_team", Integer, nullable=False),
        Column("ended_ms", BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "match_seats",
        Column("account_id", String(64), nullable=False),
        Column("match_id", String(32), ForeignKey("matches.match_id"), nullable=False, index=True),
        Column("seat", Integer, nullable=False),
        Column("ended_ms", BigInteger, nullable=False),
        PrimaryKeyConstraint("account_id", "match_id"),
    )
    op.create_index("match_seats_newest", "match_seats", ["account_id", "ended_ms", "match_id"])
