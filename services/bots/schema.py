"""The table of the bots service's database, as its code knows it."""

from typing import Final

from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table

metadata: Final = MetaData()

SEATS: Final = Table(
    "seats",
    metadata,
    Column("vacancy_id", String(200), primary_key=True),
    Column("table_id", String(64), nullable=False),
    Column("account", String(64), nullable=False),
    Column("name", String(24), nullable=False),
    Column("policy", String(40), nullable=False),
    Column("since_ms", BigInteger, nullable=False),
    Column("level", Integer, nullable=False, server_default="3"),
)
"""The seats that are being played, or are to be taken. A seat goes when its table is over or its player is back."""
