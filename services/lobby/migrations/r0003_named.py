"""Accounts with a user name and a password."""

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKey, LargeBinary, String, Text

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds what is kept of a name, a password and further devices. All names there were are guests'."""
    op.add_column("accounts", Column("username", String(64), nullable=True))
    op.add_column("accounts", Column("username_key", String(64), nullable=True))
    op.add_column("accounts", Column("password_hash", Text, nullable=True))
    op.add_column("accounts", Column("named_ms", BigInteger, nullable=True))
    op.create_index("accounts_one_username", "accounts", ["username_key"], unique=True)
    op.create_table(
        "account_secrets",
        Column("secret_hash", LargeBinary, primary_key=True),
        Column("account_id", String(64), ForeignKey("accounts.account_id"), nullable=False, index=True),
        Column("made_ms", BigInteger, nullable=False),
    )
