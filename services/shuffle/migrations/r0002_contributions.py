"""Contributions, void attempts, and the signed end of a match."""

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, SmallInteger, String

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds what the release before does not know, and needs not."""
    op.add_column("attempts", Column("draws_dealer", Boolean))
    op.add_column("attempts", Column("h_receipts", LargeBinary))
    op.add_column("attempts", Column("c_receipts", LargeBinary))
    op.add_column("attempts", Column("failed", LargeBinary(4)))
    op.add_column("matches", Column("last_deal_no", Integer))
    op.add_column("matches", Column("last_attempt", SmallInteger))
    op.add_column("matches", Column("end_key_id", String(64)))
    op.add_column("matches", Column("end_signature", LargeBinary(64)))
    op.add_column("matches", Column("ended_ms", BigInteger))
    op.create_table(
        "account_voids",
        Column("account_id", String(64), primary_key=True),
        Column("void_count", Integer, nullable=False),
    )
