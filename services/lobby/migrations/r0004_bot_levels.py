"""How well house bots play in a room's vacant seats."""

from alembic import op
from sqlalchemy import Column, Integer

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds it; of rooms that there are nothing was said."""
    op.add_column("rooms", Column("bot_level", Integer, nullable=False, server_default="0"))
