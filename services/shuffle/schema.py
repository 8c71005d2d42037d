"""The shuffle service's tables, the same on SQLite and Postgres."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
    text,
)

metadata: Final = MetaData()

OWNERS: Final = Table(
    "owners",
    metadata,
    Column("table_id", String(36), primary_key=True),
    Column("epoch", BigInteger, nullable=False),
)
"""The highest epoch that each table has called with."""

MATCHES: Final = Table(
    "matches",
    metadata,
    Column("match_id", LargeBinary(16), primary_key=True),
    Column("table_id", String(36), ForeignKey("owners.table_id"), nullable=False),
    Column("series_id", LargeBinary(16), nullable=False),
    Column("match_no", SmallInteger, nullable=False),
    Column("seats", SmallInteger, nullable=False),
    Column("rules_id", String(40), nullable=False),
    Column("begun_ms", BigInteger, nullable=False),
    # The match's end; all empty while it goes on.
    Column("last_deal_no", Integer),
    Column("last_attempt", SmallInteger),
    Column("end_key_id", String(64)),
    Column("end_signature", LargeBinary(64)),
    Column("ended_ms", BigInteger),
)
"""Which table began a match, and what all of its deals have in common."""

ATTEMPTS: Final = Table(
    "attempts",
    metadata,
    Column("match_id", LargeBinary(16), ForeignKey("matches.match_id"), nullable=False),
    Column("deal_no", Integer, nullable=False),
    Column("attempt", SmallInteger, nullable=False),
    Column("commitment", LargeBinary(64), nullable=False),
    Column("signing_key_id", String(64), nullable=False),
    Column("commit_signature", LargeBinary(64), nullable=False),
    Column("begun_ms", BigInteger, nullable=False),
    # The secret lies sealed until it is revealed, and then in the clear: revealed values outlive every key.
    Column("seal_key_id", String(16)),
    Column("sealed", LargeBinary),
    Column("secret", LargeBinary(128)),
    Column("reveal_signature", LargeBinary(64)),
    Column("revealed_ms", BigInteger),
    # What the set was closed with; all empty until then.
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
    Column("draws_dealer", Boolean),
    Column("h_receipts", LargeBinary),
    # The contributions themselves are in `seats`.
    Column("c_receipts", LargeBinary),
    Column("failed", LargeBinary(4)),
    # The day on which it was revealed, in days since 1970, and its place in it.
    Column("leaf_day", Integer),
    Column("leaf_no", Integer),
    PrimaryKeyConstraint("match_id", "deal_no", "attempt"),
    Index(
        "attempts_by_leaf",
        "leaf_day",
        "leaf_no",
        unique=True,
        sqlite_where=text("leaf_day IS NOT NULL"),
        postgresql_where=text("leaf_day IS NOT NULL"),
    ),
    Index(
        "attempts_without_leaf",
        "revealed_ms",
        sqlite_where=text("secret IS NOT NULL AND leaf_day IS NULL"),
        postgresql_where=text("secret IS NOT NULL AND leaf_day IS NULL"),
    ),
    Index(
        "attempts_unrevealed",
        "begun_ms",
        sqlite_where=text("secret IS NULL"),
        postgresql_where=text("secret IS NULL"),
    ),
)
"""One row an attempt.

`close_digest` says for the release before that the set is closed, and no more. `seats`: JSON, for each seat its kind,
account, and h and c in hex. `h_receipts`: a signature for each human seat, in order, of the time `closed_ms`;
`c_receipts`: for each seat with a c, in order, the time (8 bytes) and a signature. `failed`: in a void attempt, a byte
for each seat that made it so.
"""

ACCOUNT_VOIDS: Final = Table(
    "account_voids",
    metadata,
    Column("account_id", String(64), primary_key=True),
    Column("void_count", Integer, nullable=False),
)
"""How many attempts each account has made void: never more rows than void attempts have seats."""

RESHUFFLES: Final = Table(
    "reshuffles",
    metadata,
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
"""Which pile each reshuffle was made from: a hash, since the order of a pile is the table's business."""

OPEN_DAY: Final = Table(
    "open_day",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("day", Integer, nullable=False),
    Column("reveal_count", Integer, nullable=False),
)
"""One row: the day that reveals are numbered in now. It only moves on, so that what came before it is complete."""

DAYS: Final = Table(
    "days",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("reveal_count", Integer, nullable=False),
    Column("root", LargeBinary(64), nullable=False),
    Column("chain", LargeBinary(64), nullable=False),
    Column("previous_chain", LargeBinary(64), nullable=False),
    Column("signing_key_id", String(64), nullable=False),
    Column("signature", LargeBinary(64), nullable=False),
)
"""A row a day, without a gap from the first on."""

DAY_TILES: Final = Table(
    "day_tiles",
    metadata,
    Column("day", Integer, nullable=False),
    Column("level", SmallInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("hashes", LargeBinary, nullable=False),
    PrimaryKeyConstraint("day", "level", "number"),
)
"""A day's tree in pieces: 256 neighbours a row; those of level n + 1 are the roots of the tiles of level n."""

SIGNING_KEYS: Final = Table(
    "signing_keys",
    metadata,
    Column("key_id", String(64), primary_key=True),
    Column("since_ms", BigInteger, nullable=False),
)
"""When each key was first the newest."""
