"""Rooms in which those of a table play again."""

from alembic import op
from sqlalchemy import Column, String, text

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds where a room's players come from."""
    op.add_column("rooms", Column("again_of", String(36), nullable=True))
    not_closed = text("state <> 'closed'")
    op.create_index(
        "rooms_one_again", "rooms", ["again_of"], unique=True, sqlite_where=not_closed, postgresql_where=not_closed
    )
