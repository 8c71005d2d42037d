"""The tables of the bots service's database, as its code knows them."""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Integer, MetaData, String, Table, Text

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
    Column("owner", String(64), nullable=True, index=True),
)
"""The seats that are being played, or are to be taken. A seat goes when its table is over or its player is back."""

PODS: Final = Table(
    "pods",
    metadata,
    Column("pod_id", String(64), primary_key=True),
    Column("address", Text, nullable=False),
    Column("renewed_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("draining", Boolean, nullable=False),
    Column("seats", Integer, nullable=False),
)
"""The processes that play seats, and until when each is believed to live, by the database's clock."""
