"""Results, their seats, players' counts, and the inbox."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Text,
)

from shared.kit.tables import create_inbox

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "results",
        Column("match_id", String(32), primary_key=True),
        Column("series_id", String(32), nullable=False),
        Column("match_no", SmallInteger, nullable=False),
        Column("table_id", String(36), nullable=False),
        Column("options", Text, nullable=False),
        Column("half_points_0", Integer, nullable=False),
        Column("half_points_1", Integer, nullable=False),
        Column("winner_team", SmallInteger, nullable=False),
        Column("last_deal_no", Integer, nullable=False),
        Column("ended_ms", BigInteger, nullable=False),
        Column("digest", LargeBinary(32), nullable=False),
    )
    op.create_table(
        "result_seats",
        Column("match_id", String(32), ForeignKey("results.match_id"), nullable=False),
        Column("seat", SmallInteger, nullable=False),
        Column("account_id", String(64), nullable=False),
        Column("bot", Boolean, nullable=False),
        PrimaryKeyConstraint("match_id", "seat"),
    )
    op.create_index("result_seats_account", "result_seats", ["account_id"])
    op.create_table(
        "player_stats",
        Column("account_id", String(64), nullable=False),
        Column("preset", String(20), nullable=False),
        Column("mode", String(20), nullable=False),
        Column("played", Integer, nullable=False),
        Column("won", Integer, nullable=False),
        PrimaryKeyConstraint("account_id", "preset", "mode"),
    )
    create_inbox()
