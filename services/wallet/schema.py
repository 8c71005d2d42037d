"""The wallet service's tables, the same on SQLite and Postgres; the kit's inbox is beside them."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
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

from services.wallet.results import MAX_NAME_CHARS

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
    Column("half_points", BigInteger, nullable=False, server_default="0"),
    Column("streak", Integer, nullable=False, server_default="0"),
    Column("best_streak", Integer, nullable=False, server_default="0"),
    PrimaryKeyConstraint("account_id", "preset", "mode"),
)
"""Finished matches of people's accounts; bots have none. `half_points`: what their teams came to, all together.
`streak`: won in a row, or below zero lost in a row, as they were heard of."""

MINT: Final = "mint"
FEES: Final = "fees"
_COUNTER: Final = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts up by itself only in an INTEGER column."""

ACCOUNTS: Final = Table(
    "accounts",
    metadata,
    Column("account_id", String(80), primary_key=True),
    Column("balance", BigInteger, nullable=False),
    Column("last_transfer", BigInteger, nullable=False),
    CheckConstraint(f"balance >= 0 OR account_id = '{MINT}'", name="accounts_not_negative"),
)
"""`player:<account id>`, `escrow:<match id>`, `fees`, `mint`; whole coins. A trigger has each transfer change them as
it is inserted, and another refuses every other change. ``last_transfer``: the id of the newest of its transfers; 0 for
none."""

TRANSFERS: Final = Table(
    "transfers",
    metadata,
    Column("id", _COUNTER, primary_key=True, autoincrement=True),
    Column("key", String(160), nullable=False, unique=True),
    Column("debit", String(80), nullable=False),
    Column("credit", String(80), nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("cause", String(16), nullable=False),
    Column("match_id", String(32), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("debit_after", BigInteger, nullable=False),
    Column("credit_after", BigInteger, nullable=False),
    CheckConstraint("amount > 0", name="transfers_amount"),
    CheckConstraint("debit <> credit", name="transfers_sides"),
    Index("transfers_debit", "debit", "id"),
    Index("transfers_credit", "credit", "id"),
)
"""Never changed or deleted: triggers refuse it. ``match_id`` is empty for none. ``..._after``: what the account had
then."""

HOLDS: Final = Table(
    "holds",
    metadata,
    Column("match_id", String(32), primary_key=True),
    Column("table_id", String(36), nullable=False),
    Column("stake_coins", Integer, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("settled_ms", BigInteger, nullable=True),
    Index("holds_open", "settled_ms", "at_ms"),
)
"""A match whose stakes were held; ``settled_ms`` is null as long as they are."""

HOLD_SEATS: Final = Table(
    "hold_seats",
    metadata,
    Column("match_id", String(32), ForeignKey("holds.match_id"), nullable=False),
    Column("seat", SmallInteger, nullable=False),
    Column("account_id", String(64), nullable=False),
    Column("held", Boolean, nullable=False),
    PrimaryKeyConstraint("match_id", "seat"),
    Index("hold_seats_account", "account_id", "held"),
)
"""Whose stakes they are."""

SETTLEMENTS: Final = Table(
    "settlements",
    metadata,
    Column("match_id", String(32), primary_key=True),
    Column("outcome", String(8), nullable=False),
    Column("cause", String(32), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)
"""Exactly one of `settle` and `refund` happens to a match, ever. One without a hold keeps the match from having one."""

PLAYERS: Final = Table(
    "players",
    metadata,
    Column("account_id", String(64), primary_key=True),
    Column("opened_ms", BigInteger, nullable=False),
    Column("claim_day", Integer, nullable=False),
    Column("claim_command", String(36), nullable=False),
    Column("claim_coins", Integer, nullable=False),
    Column("claim_balance", BigInteger, nullable=False),
    Column("streak_days", Integer, nullable=False),
    Column("free_day", Integer, nullable=False),
    Column("free_wins", Integer, nullable=False),
)
"""Named accounts that have been here. ``claim_...``: the last daily bonus and what was answered; ``free_...``: grants
for wins at free tables on the last day with one. Days are counted from 1970-01-01; 0 for never."""

BREACHES: Final = Table(
    "breaches",
    metadata,
    Column("id", _COUNTER, primary_key=True, autoincrement=True),
    Column("rule", String(16), nullable=False),
    Column("detail", Text, nullable=False),
    Column("found_ms", BigInteger, nullable=False),
    Column("cleared_ms", BigInteger, nullable=True),
    Index("breaches_cleared", "cleared_ms"),
)
"""What did not hold in the ledger. As long as one is not cleared nothing is written to it."""

PEOPLE: Final = Table(
    "people",
    metadata,
    Column("account_id", String(64), primary_key=True),
    Column("display_name", String(MAX_NAME_CHARS), nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
)
"""People who have finished a match, under the name that they had in the last one. Whoever writes anything of theirs in
this service first locks their rows here, in the order of the accounts."""

PARTNERS: Final = Table(
    "partners",
    metadata,
    Column("account_id", String(64), nullable=False),
    Column("partner_id", String(64), nullable=False),
    Column("played", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    PrimaryKeyConstraint("account_id", "partner_id"),
    Index("partners_most", "account_id", "played", "partner_id"),
)
"""What two people have finished as partners, a row for each of them."""

RATINGS: Final = Table(
    "ratings",
    metadata,
    Column("account_id", String(64), nullable=False),
    Column("preset", String(20), nullable=False),
    Column("mode", String(20), nullable=False),
    Column("season", Integer, nullable=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("played", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Column("board_points", Integer, nullable=True),
    PrimaryKeyConstraint("account_id", "preset", "mode", "season"),
    Index("ratings_board", "preset", "mode", "season", "board_points", "account_id"),
)
"""Skills; `season` is 0 for those that never begin anew. `board_points`: the points, once they are not provisional."""

MATCH_RATINGS: Final = Table(
    "match_ratings",
    metadata,
    Column("match_id", String(32), ForeignKey("results.match_id"), nullable=False),
    Column("season", Integer, nullable=False),
    Column("seat", SmallInteger, nullable=False),
    Column("mu_before", Double, nullable=False),
    Column("sigma_before", Double, nullable=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    PrimaryKeyConstraint("match_id", "season", "seat"),
)
"""What each rated match did to each rating: from these anybody can work the ratings out again."""

FOLLOWED: Final = Table(
    "followed",
    metadata,
    Column("account_id", String(64), nullable=False),
    Column("followed_id", String(64), ForeignKey("people.account_id"), nullable=False),
    Column("since_ms", BigInteger, nullable=False),
    PrimaryKeyConstraint("account_id", "followed_id"),
)
"""Whom accounts follow, 200 each at the most."""

PENDING_SETTLEMENTS: Final = Table(
    "pending_settlements",
    metadata,
    Column("match_id", String(32), primary_key=True),
    Column("table_id", String(36), nullable=False),
    Column("winner_team", SmallInteger, nullable=False),
    Column("last_deal_no", Integer, nullable=False),
    Column("rules", String(64), nullable=False),
    Column("told_ms", BigInteger, nullable=False),
    Column("due_ms", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
    Index("pending_settlements_due", "due_ms"),
)
"""A match that is won, until its stakes are settled: when its proof is looked for next. ``rules``: the rule set's id,
empty where it is not known."""

INQUIRIES: Final = Table(
    "inquiries",
    metadata,
    Column("match_id", String(32), primary_key=True),
    Column("due_ms", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
    Index("inquiries_due", "due_ms"),
)
"""A match that its table is to be asked about, since nobody has told what became of it."""
