"""The journal, the outbox, and the owner's sign of life."""

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, PrimaryKeyConstraint, String, Text

from shared.kit.tables import create_outbox

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "tables",
        Column("table_id", String(64), primary_key=True),
        Column("epoch", BigInteger, nullable=False),
        Column("revision", Integer, nullable=False),
        Column("live", Boolean, nullable=False, index=True),
    )
    op.create_table(
        "entries",
        Column("table_id", String(64), nullable=False),
        Column("revision", Integer, nullable=False),
        Column("command_id", String(200), nullable=False),
        Column("command_digest", LargeBinary, nullable=False),
        Column("at_ms", BigInteger, nullable=False),
        Column("match_id", String(32), nullable=False),
        Column("deal_no", Integer, nullable=False),
        Column("version", Integer, nullable=False),
        Column("action", Text, nullable=False),
        Column("events", Text, nullable=False),
        Column("sealed", LargeBinary, nullable=True),
        Column("start", Text, nullable=True),
        PrimaryKeyConstraint("table_id", "revision"),
    )
    op.create_index("entries_command", "entries", ["table_id", "command_id"], unique=True)
    op.create_table(
        "matches",
        Column("match_id", String(32), primary_key=True),
        Column("table_id", String(64), nullable=False),
    )
    op.create_table("beats", Column("id", Integer, primary_key=True), Column("at_ms", BigInteger, nullable=False))
    create_outbox()
