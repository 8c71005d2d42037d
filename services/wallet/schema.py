"""The wallet service's tables, the same on SQLite and Postgres; the kit's inbox is beside them."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
)

metadata: Final = MetaData()

RESULTS: Final = Table(
    "results",
    metadata,
    Column("match_id", String(32), primary_key=True),
    Column("series_id", String(32), nullable=False),
    Column("match_no", SmallInteger, nullable=False),
    Column("table_id", String(36), nullable=False),
    Column("options", Text, nullable=False),
    Column("half_points_0", Integer, nullable=False),
    Column("half_points_1", Integer, nullable=False),
    Column("winner_team", SmallInteger, nullable=False),
    Column("last_deal_no", Integer, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    Column("digest", LargeBinary(32), nullable=False),
)
"""One row a match. `options`: the preset and what differs from it, as JSON. `digest` tells a repetition from another
result under the same id."""

RESULT_SEATS: Final = Table(
    "result_seats",
    metadata,
    Column("match_id", String(32), ForeignKey("results.match_id"), nullable=False),
    Column("seat", SmallInteger, nullable=False),
    Column("account_id", String(64), nullable=False),
    Column("bot", Boolean, nullable=False),
    PrimaryKeyConstraint("match_id", "seat"),
    Index("result_seats_account", "account_id"),
)
"""Who sat where; the account is empty for a house bot's own seat."""

PLAYER_STATS: Final = Table(
    "player_stats",
    metadata,
    Column("account_id", String(64), nullable=False),
    Column("preset", String(20), nullable=False),
    Column("mode", String(20), nullable=False),
    Column("played", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    PrimaryKeyConstraint("account_id", "preset", "mode"),
)
"""Finished matches of people's accounts; bots have none."""
