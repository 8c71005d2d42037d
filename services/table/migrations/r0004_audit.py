"""What operators have done."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, String, Text

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds a table."""
    op.create_table(
        "audit",
        Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
        Column("at_ms", BigInteger, nullable=False),
        Column("operator", String(64), nullable=False),
        Column("what", String(32), nullable=False),
        Column("target", String(200), nullable=False),
        Column("reason", Text, nullable=False),
        Column("outcome", String(64), nullable=False),
    )
    op.create_index("audit_at", "audit", ["at_ms"])
