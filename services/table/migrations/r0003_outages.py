"""Since when a table has stood still, until its owner has written that down in the journal."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds columns; an older release leaves them as they are."""
    op.add_column("tables", Column("since_ms", BigInteger, nullable=True))
    op.add_column("tables", Column("since_revision", Integer, nullable=True))
