"""Who owns a table, and by which rules it is played; the processes that may own tables; matches that are archived."""

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, String, Text

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds columns and tables; an older release writes its rows without them."""
    op.add_column("tables", Column("owner", String(64), nullable=True))
    op.add_column("tables", Column("rules_version", Integer, nullable=False, server_default="1"))
    op.add_column("tables", Column("ended_ms", BigInteger, nullable=True))
    op.create_index("tables_owner", "tables", ["owner"])
    op.create_index("tables_ended", "tables", ["ended_ms"])
    op.execute(
        "UPDATE tables SET ended_ms = (SELECT max(at_ms) FROM entries WHERE entries.table_id = tables.table_id)"
        " WHERE NOT live"
    )
    op.create_table(
        "pods",
        Column("pod_id", String(64), primary_key=True),
        Column("address", Text, nullable=False),
        Column("renewed_ms", BigInteger, nullable=False),
        Column("expires_ms", BigInteger, nullable=False),
        Column("draining", Boolean, nullable=False),
        Column("live_tables", Integer, nullable=False),
    )
    op.create_table(
        "archives",
        Column("match_id", String(32), primary_key=True),
        Column("table_id", String(64), nullable=False, index=True),
        Column("ended_ms", BigInteger, nullable=False, index=True),
        Column("record", Text, nullable=False),
    )
