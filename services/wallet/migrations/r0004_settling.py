"""Matches that wait for their proof, and those that their tables are asked about."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, SmallInteger, String

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "pending_settlements",
        Column("match_id", String(32), primary_key=True),
        Column("table_id", String(36), nullable=False),
        Column("winner_team", SmallInteger, nullable=False),
        Column("last_deal_no", Integer, nullable=False),
        Column("rules", String(64), nullable=False),
        Column("told_ms", BigInteger, nullable=False),
        Column("due_ms", BigInteger, nullable=False),
        Column("tries", Integer, nullable=False),
    )
    op.create_index("pending_settlements_due", "pending_settlements", ["due_ms"])
    op.create_table(
        "inquiries",
        Column("match_id", String(32), primary_key=True),
        Column("due_ms", BigInteger, nullable=False),
        Column("tries", Integer, nullable=False),
    )
    op.create_index("inquiries_due", "inquiries", ["due_ms"])
