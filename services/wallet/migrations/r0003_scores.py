"""People, their partners, ratings, what matches did to them, and who follows whom."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
)

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Makes the tables, and counts of matches one by one from now on."""
    for name, kind in (("half_points", BigInteger), ("streak", Integer), ("best_streak", Integer)):
        op.add_column("player_stats", Column(name, kind, nullable=False, server_default="0"))
    op.create_table(
        "people",
        Column("account_id", String(64), primary_key=True),
        Column("display_name", String(100), nullable=False),
        Column("ended_ms", BigInteger, nullable=False),
    )
    op.create_table(
        "partners",
        Column("account_id", String(64), nullable=False),
        Column("partner_id", String(64), nullable=False),
        Column("played", Integer, nullable=False),
        Column("won", Integer, nullable=False),
        PrimaryKeyConstraint("account_id", "partner_id"),
    )
    op.create_index("partners_most", "partners", ["account_id", "played", "partner_id"])
    op.create_table(
        "ratings",
        Column("account_id", String(64), nullable=False),
        Column("preset", String(20), nullable=False),
        Column("mode", String(20), nullable=False),
        Column("season", Integer, nullable=False),
        Column("mu", Double, nullable=False),
        Column("sigma", Double, nullable=False),
        Column("played", Integer, nullable=False),
        Column("won", Integer, nullable=False),
        Column("board_points", Integer, nullable=True),
        PrimaryKeyConstraint("account_id", "preset", "mode", "season"),
    )
    op.create_index("ratings_board", "ratings", ["preset", "mode", "season", "board_points", "account_id"])
    op.create_table(
        "match_ratings",
        Column("match_id", String(32), ForeignKey("results.match_id"), nullable=False),
        Column("season", Integer, nullable=False),
        Column("seat", SmallInteger, nullable=False),
        Column("mu_before", Double, nullable=False),
        Column("sigma_before", Double, nullable=False),
        Column("mu", Double, nullable=False),
        Column("sigma", Double, nullable=False),
        PrimaryKeyConstraint("match_id", "season", "seat"),
    )
    op.create_table(
        "followed",
        Column("account_id", String(64), nullable=False),
        Column("followed_id", String(64), ForeignKey("people.account_id"), nullable=False),
        Column("since_ms", BigInteger, nullable=False),
        PrimaryKeyConstraint("account_id", "followed_id"),
    )
