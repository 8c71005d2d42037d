"""Which process plays a seat, and the processes that may."""

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, String, Text

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds them; seats that there are are nobody's, and claimed by whoever looks first."""
    op.add_column("seats", Column("owner", String(64), nullable=True))
    op.create_index("ix_seats_owner", "seats", ["owner"])
    op.create_table(
        "pods",
        Column("pod_id", String(64), primary_key=True),
        Column("address", Text, nullable=False),
        Column("renewed_ms", BigInteger, nullable=False),
        Column("expires_ms", BigInteger, nullable=False),
        Column("draining", Boolean, nullable=False),
        Column("seats", Integer, nullable=False),
    )
