"""How well each seat is played."""

from alembic import op
from sqlalchemy import Column, Integer

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds it; seats that there are go on as they were, by their policy."""
    op.add_column("seats", Column("level", Integer, nullable=False, server_default="3"))
