"""The seats that this service plays, in its database, and which process plays each."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, delete, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.bots.house import HouseSeat
from services.bots.schema import PODS, SEATS
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.pod_lease import IS_DEAD, NOW

KEPT_MS: Final = 60_000
"""How long the row of a dead process without seats is kept."""
_COLUMNS: Final = [SEATS.c[name] for name in HouseSeat._fields]


class SeatStore:
    """Reads and writes ``seats``. ``owner``: the id of the pod that plays a seat."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, connection: AsyncConnection, seat: HouseSeat, owner: str) -> bool:
        """Keeps a seat, within the caller's transaction; false where it is kept already, and stays as it is."""
        inserting = (sqlite if self._database.is_sqlite else postgresql).insert(SEATS)
        row = {**seat._asdict(), "since_ms": self._clock.now_ms(), "owner": owner}
        stored = await connection.execute(inserting.values(row).on_conflict_do_nothing())
        return stored.rowcount == 1

    async def of(self, owner: str) -> list[HouseSeat]:
        """Every seat of this owner, those of longest standing first."""
        return await self._seats(SEATS.c.owner == owner)

    async def all(self) -> list[HouseSeat]:
        """Every seat that is kept."""
        return await self._seats(SEATS.c.vacancy_id.is_not(None))

    async def claim(self, owner: str, most: int) -> list[HouseSeat]:
        """Makes seats of nobody, or of the dead, this owner's: those of longest standing, ``most`` at once.

        Each is claimed by one; those that somebody claims at this moment are left for the next time.
        """
        async with self._database.transaction() as connection:
            dead = await self._dead(connection, owner)
            free = or_(SEATS.c.owner.is_(None), SEATS.c.owner.in_(dead), SEATS.c.owner.not_in(select(PODS.c.pod_id)))
            free &= SEATS.c.owner.is_distinct_from(owner)
            ordered = select(SEATS.c.vacancy_id).where(free).order_by(SEATS.c.since_ms, SEATS.c.vacancy_id)
            found = (await connection.scalars(ordered.limit(most).with_for_update(skip_locked=True))).all()
            if not found:
                return []
            claiming = update(SEATS).where(SEATS.c.vacancy_id.in_(found)).values(owner=owner).returning(*_COLUMNS)
            return _seats(list(await connection.execute(claiming)))

    async def purge(self) -> None:
        """Forgets processes that have long been dead and have no seats."""
        if not self._database.is_sqlite:
            async with self._database.transaction() as connection:
                has_seats = select(SEATS.c.owner).where(SEATS.c.owner == PODS.c.pod_id).exists()
                await connection.execute(delete(PODS).where(text(f"expires_ms < {NOW} - {KEPT_MS}"), ~has_seats))

    async def remove(self, seat: HouseSeat) -> None:
        """Forgets a seat that is no longer ours to play."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(SEATS).where(SEATS.c.vacancy_id == seat.vacancy_id))

    async def _seats(self, which: ColumnElement[bool]) -> list[HouseSeat]:
        asked = select(*_COLUMNS).where(which).order_by(SEATS.c.since_ms, SEATS.c.vacancy_id)
        async with self._database.reading() as connection:
            return _seats(list(await connection.execute(asked)))

    async def _dead(self, connection: AsyncConnection, mine: str) -> Sequence[str]:
        """Processes whose lease has run out or whose session is gone. On SQLite there is one process, with no lease."""
        if self._database.is_sqlite:
            return []
        asked = select(PODS.c.pod_id).where(PODS.c.pod_id != mine, text(IS_DEAD))
        return (await connection.scalars(asked)).all()


def _seats(rows: Sequence[Row[Any]]) -> list[HouseSeat]:
    return [HouseSeat._make(row) for row in rows]
