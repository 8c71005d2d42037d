"""The tables that are not over, as their rows say."""

from typing import NamedTuple

from sqlalchemy import func, select

from services.table.schema import TABLES
from shared.kit.database import Database


class Listed(NamedTuple):
    """One table."""

    table_id: str
    revision: int
    epoch: int
    pod_id: str
    """Of the process that runs it, or ran it last; empty where one process runs all."""


async def live_tables(database: Database, after: str, most: int) -> list[Listed]:
    """So many at the most, by id, after this one."""
    rows = (
        select(TABLES.c.table_id, TABLES.c.revision, TABLES.c.epoch, func.coalesce(TABLES.c.owner, ""))
        .where(TABLES.c.live, TABLES.c.table_id > after)
        .order_by(TABLES.c.table_id)
        .limit(most)
    )
    async with database.reading() as connection:
        return [Listed(*row) for row in await connection.execute(rows)]
