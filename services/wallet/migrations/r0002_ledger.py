"""The ledger: accounts, transfers that stay as they are, stakes that are held, grants, and what operators have done."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Text,
)

from services.wallet.ledger_triggers import POSTGRES, SQLITE
from shared.kit.tables import create_audit

revision = "0002"
down_revision = "0001"

_COUNTER = BigInteger().with_variant(Integer, "sqlite")


def upgrade() -> None:
    """Makes the tables, and has the database watch over them."""
    _ledger()
    _holds()
    _players()
    create_audit()
    op.execute("INSERT INTO accounts (account_id, balance, last_transfer) VALUES ('fees', 0, 0), ('mint', 0, 0)")
    for statement in SQLITE if op.get_bind().dialect.name == "sqlite" else POSTGRES:
        op.execute(statement)


def _ledger() -> None:
    op.create_table(
        "accounts",
        Column("account_id", String(80), primary_key=True),
        Column("balance", BigInteger, nullable=False),
        Column("last_transfer", BigInteger, nullable=False),
        CheckConstraint("balance >= 0 OR account_id = 'mint'", name="accounts_not_negative"),
    )
    op.create_table(
        "transfers",
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
    )
    op.create_index("transfers_debit", "transfers", ["debit", "id"])
    op.create_index("transfers_credit", "transfers", ["credit", "id"])
    op.create_table(
        "breaches",
        Column("id", _COUNTER, primary_key=True, autoincrement=True),
        Column("rule", String(16), nullable=False),
        Column("detail", Text, nullable=False),
        Column("found_ms", BigInteger, nullable=False),
        Column("cleared_ms", BigInteger, nullable=True),
    )
    op.create_index("breaches_cleared", "breaches", ["cleared_ms"])


def _holds() -> None:
    op.create_table(
        "holds",
        Column("match_id", String(32), primary_key=True),
        Column("table_id", String(36), nullable=False),
        Column("stake_coins", Integer, nullable=False),
        Column("at_ms", BigInteger, nullable=False),
        Column("settled_ms", BigInteger, nullable=True),
    )
    op.create_index("holds_open", "holds", ["settled_ms", "at_ms"])
    op.create_table(
        "hold_seats",
        Column("match_id", String(32), ForeignKey("holds.match_id"), nullable=False),
        Column("seat", SmallInteger, nullable=False),
        Column("account_id", String(64), nullable=False),
        Column("held", Boolean, nullable=False),
        PrimaryKeyConstraint("match_id", "seat"),
    )
    op.create_index("hold_seats_account", "hold_seats", ["account_id", "held"])
    op.create_table(
        "settlements",
        Column("match_id", String(32), primary_key=True),
        Column("outcome", String(8), nullable=False),
        Column("cause", String(32), nullable=False),
        Column("at_ms", BigInteger, nullable=False),
    )


def _players() -> None:
    op.create_table(
        "players",
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
