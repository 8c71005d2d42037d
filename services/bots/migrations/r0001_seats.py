"""The seats that are played, and the facts that have been taken in."""

from alembic import op
from sqlalchemy import BigInteger, Column, String

from shared.kit.tables import create_inbox

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "seats",
        Column("vacancy_id", String(200), primary_key=True),
        Column("table_id", String(64), nullable=False),
        Column("account", String(64), nullable=False),
        Column("name", String(24), nullable=False),
        Column("policy", String(40), nullable=False),
        Column("since_ms", BigInteger, nullable=False),
    )
    create_inbox()
