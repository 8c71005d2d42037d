"""Whom an account follows: its friends, on a list that nobody else sees."""

from typing import Final, NamedTuple

from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.refusals import TooManyFollowedError, UnknownPlayerError
from services.wallet.schema import FOLLOWED, PEOPLE
from shared.kit.clock import Clock
from shared.kit.database import Database, lock_key

MOST_FOLLOWED: Final = 200


class Followed(NamedTuple):
    """One that an account follows."""

    account_id: str
    name: str
    since_ms: int
    """Unix time."""


class Following:
    """The database of who follows whom."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._insert = (sqlite if database.is_sqlite else postgresql).insert

    async def follow(self, account_id: str, whom: str) -> None:
        """Follows somebody; once, however often it is asked for.

        Raises `UnknownPlayerError`, and `TooManyFollowedError` where the list is full.
        """
        row = {"account_id": account_id, "followed_id": whom, "since_ms": self._clock.now_ms()}
        async with self._database.transaction() as connection:
            if await connection.scalar(select(PEOPLE.c.account_id).where(PEOPLE.c.account_id == whom)) is None:
                raise UnknownPlayerError
            await self._lock(connection, account_id)
            await connection.execute(self._insert(FOLLOWED).values(row).on_conflict_do_nothing())
            mine = select(func.count()).select_from(FOLLOWED).where(FOLLOWED.c.account_id == account_id)
            if (await connection.scalar(mine) or 0) > MOST_FOLLOWED:
                raise TooManyFollowedError(MOST_FOLLOWED)

    async def unfollow(self, account_id: str, whom: str) -> None:
        """Follows somebody no longer, if at all."""
        gone = delete(FOLLOWED).where(FOLLOWED.c.account_id == account_id, FOLLOWED.c.followed_id == whom)
        async with self._database.transaction() as connection:
            await connection.execute(gone)

    async def followed(self, account_id: str) -> list[Followed]:
        """Whom an account follows, the newest first."""
        asked = select(FOLLOWED.c.followed_id, PEOPLE.c.display_name, FOLLOWED.c.since_ms)
        asked = asked.join(PEOPLE, PEOPLE.c.account_id == FOLLOWED.c.followed_id)
        asked = asked.where(FOLLOWED.c.account_id == account_id)
        async with self._database.reading() as connection:
            rows = await connection.execute(asked.order_by(FOLLOWED.c.since_ms.desc(), FOLLOWED.c.followed_id))
            return [Followed(*row) for row in rows]

    async def _lock(self, connection: AsyncConnection, account_id: str) -> None:
        """Keeps two calls of one account from counting beside each other; on SQLite only one writes anyway."""
        if not self._database.is_sqlite:
            lock = text("SELECT pg_advisory_xact_lock(:key)").bindparams(key=lock_key(f"followed {account_id}"))
            await connection.execute(lock)
