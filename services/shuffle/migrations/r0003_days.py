"""Days and their trees, and since when each key signs. Reveals of the release before get their places later."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    text,
)

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Makes the tables."""
    op.add_column("attempts", Column("leaf_day", Integer))
    op.add_column("attempts", Column("leaf_no", Integer))
    listed, unlisted = text("leaf_day IS NOT NULL"), text("secret IS NOT NULL AND leaf_day IS NULL")
    op.create_index(
        "attempts_by_leaf",
        "attempts",
        ["leaf_day", "leaf_no"],
        unique=True,
        sqlite_where=listed,
        postgresql_where=listed,
    )
    op.create_index(
        "attempts_without_leaf", "attempts", ["revealed_ms"], sqlite_where=unlisted, postgresql_where=unlisted
    )
    op.create_table(
        "open_day",
        Column("id", SmallInteger, primary_key=True, autoincrement=False),
        Column("day", Integer, nullable=False),
        Column("reveal_count", Integer, nullable=False),
    )
    op.create_table(
        "days",
        Column("day", Integer, primary_key=True, autoincrement=False),
        Column("reveal_count", Integer, nullable=False),
        Column("root", LargeBinary(64), nullable=False),
        Column("chain", LargeBinary(64), nullable=False),
        Column("previous_chain", LargeBinary(64), nullable=False),
        Column("signing_key_id", String(64), nullable=False),
        Column("signature", LargeBinary(64), nullable=False),
    )
    op.create_table(
        "day_tiles",
        Column("day", Integer, nullable=False),
        Column("level", SmallInteger, nullable=False),
        Column("number", Integer, nullable=False),
        Column("hashes", LargeBinary, nullable=False),
        PrimaryKeyConstraint("day", "level", "number"),
    )
    op.create_table(
        "signing_keys",
        Column("key_id", String(64), primary_key=True),
        Column("since_ms", BigInteger, nullable=False),
    )
    op.execute(
        "INSERT INTO signing_keys (key_id, since_ms)"
        " SELECT signing_key_id, min(begun_ms) FROM attempts GROUP BY signing_key_id"
    )
