"""The seats that this service plays, on disk: what a new process goes on with."""

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.bots.house import HouseSeat
from services.bots.schema import SEATS
from shared.kit.clock import Clock
from shared.kit.database import Database


class SeatStore:
    """Reads and writes ``seats``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, connection: AsyncConnection, seat: HouseSeat) -> None:
        """Keeps a seat, within the caller's transaction; one that is kept already stays as it is."""
        insert = (sqlite if self._database.is_sqlite else postgresql).insert(SEATS)
        row = {**seat._asdict(), "since_ms": self._clock.now_ms()}
        await connection.execute(insert.values(row).on_conflict_do_nothing())

    async def all(self) -> list[HouseSeat]:
        """Every seat that is kept, those of longest standing first."""
        columns = [SEATS.c[name] for name in HouseSeat._fields]
        async with self._database.reading() as connection:
            rows = await connection.execute(select(*columns).order_by(SEATS.c.since_ms, SEATS.c.vacancy_id))
            return [HouseSeat(*row) for row in rows]

    async def remove(self, seat: HouseSeat) -> None:
        """Forgets a seat that is no longer ours to play."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(SEATS).where(SEATS.c.vacancy_id == seat.vacancy_id))
