"""Owners, matches, attempts and reshuffles."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Text,
    text,
)

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "owners",
        Column("table_id", String(36), primary_key=True),
        Column("epoch", BigInteger, nullable=False),
    )
    op.create_table(
        "matches",
        Column("match_id", LargeBinary(16), primary_key=True),
        Column("table_id", String(36), ForeignKey("owners.table_id"), nullable=False),
        Column("series_id", LargeBinary(16), nullable=False),
        Column("match_no", SmallInteger, nullable=False),
        Column("seats", SmallInteger, nullable=False),
        Column("rules_id", String(40), nullable=False),
        Column("begun_ms", BigInteger, nullable=False),
    )
    op.create_table(
        "attempts",
        Column("match_id", LargeBinary(16), ForeignKey("matches.match_id"), nullable=False),
        Column("deal_no", Integer, nullable=False),
        Column("attempt", SmallInteger, nullable=False),
        Column("commitment", LargeBinary(64), nullable=False),
        Column("signing_key_id", String(64), nullable=False),
        Column("commit_signature", LargeBinary(64), nullable=False),
        Column("begun_ms", BigInteger, nullable=False),
        Column("seal_key_id", String(16)),
        Column("sealed", LargeBinary),
        Column("secret", LargeBinary(128)),
        Column("reveal_signature", LargeBinary(64)),
        Column("revealed_ms", BigInteger),
        Column("close_digest", LargeBinary(32)),
        Column("host", SmallInteger),
        Column("cut_kind", SmallInteger),
        Column("cut", SmallInteger),
        Column("beacon", LargeBinary),
        Column("seats", Text),
        Column("closed_signature", LargeBinary(64)),
        Column("transcript", LargeBinary(64)),
        Column("transcript_signature", LargeBinary(64)),
        Column("closed_ms", BigInteger),
        PrimaryKeyConstraint("match_id", "deal_no", "attempt"),
    )
    unrevealed = text("secret IS NULL")
    op.create_index(
        "attempts_unrevealed", "attempts", ["begun_ms"], sqlite_where=unrevealed, postgresql_where=unrevealed
    )
    op.create_table(
        "reshuffles",
        Column("match_id", LargeBinary(16), nullable=False),
        Column("deal_no", Integer, nullable=False),
        Column("attempt", SmallInteger, nullable=False),
        Column("number", Integer, nullable=False),
        Column("pile_digest", LargeBinary(32), nullable=False),
        Column("made_ms", BigInteger, nullable=False),
        PrimaryKeyConstraint("match_id", "deal_no", "attempt", "number"),
        ForeignKeyConstraint(
            ("match_id", "deal_no", "attempt"), ("attempts.match_id", "attempts.deal_no", "attempts.attempt")
        ),
    )
