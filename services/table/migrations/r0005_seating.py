"""Who had which seat in an archived match, where players of a series have swapped."""

from alembic import op
from sqlalchemy import Column, String

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds a column; an older release leaves it as it is."""
    op.add_column("archives", Column("seating", String(16), nullable=True))
