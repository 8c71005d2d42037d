"""What people have played and won, alone and with whom; in the transaction that keeps the result."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.results import TEAMS, MatchResult
from services.wallet.schema import PARTNERS, PEOPLE, PLAYER_STATS
from shared.kit.database import Database

MOST_PARTNERS: Final = 50


class ModeStats(NamedTuple):
    """An account's finished matches by one rule set and mode."""

    preset: str
    mode: str
    played: int
    won: int
    half_points: int
    """What its teams came to, all together."""
    streak: int
    """Won in a row up to the last one; below zero, lost in a row."""
    best_streak: int


class Partner(NamedTuple):
    """What somebody has finished with a partner."""

    account_id: str
    name: str
    played: int
    won: int


class Statistics:
    """The database of counts."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = (sqlite if database.is_sqlite else postgresql).insert

    async def count(self, connection: AsyncConnection, result: MatchResult) -> None:
        """Counts a match for its people, whose rows of `people` are locked from then on. For the first result of a
        match alone.
        """
        if not result.people():
            return
        await self._name(connection, result)
        await self._count_players(connection, result)
        await self._count_partners(connection, result)

    async def of_player(self, account_id: str) -> list[ModeStats]:
        """What an account has finished, by preset and mode."""
        stats = PLAYER_STATS.c
        asked = select(*(stats[name] for name in ModeStats._fields)).where(stats.account_id == account_id)
        async with self._database.reading() as connection:
            rows = await connection.execute(asked.order_by(stats.preset, stats.mode))
            return [ModeStats(*row) for row in rows]

    async def partners(self, account_id: str, limit: int) -> list[Partner]:
        """With whom an account has finished most matches as partners, at most `limit`."""
        pairs = PARTNERS.c
        asked = select(pairs.partner_id, PEOPLE.c.display_name, pairs.played, pairs.won)
        asked = asked.join(PEOPLE, PEOPLE.c.account_id == pairs.partner_id).where(pairs.account_id == account_id)
        asked = asked.order_by(pairs.played.desc(), pairs.partner_id.desc()).limit(limit)
        async with self._database.reading() as connection:
            return [Partner(*row) for row in await connection.execute(asked)]

    async def name(self, account_id: str) -> str | None:
        """The name under which the account last finished a match; None where it has finished none."""
        asked = select(PEOPLE.c.display_name).where(PEOPLE.c.account_id == account_id)
        async with self._database.reading() as connection:
            return await connection.scalar(asked)

    async def _name(self, connection: AsyncConnection, result: MatchResult) -> None:
        rows = [
            {"account_id": account_id, "display_name": result.seats[seat].name, "ended_ms": result.ended_ms}
            for account_id, seat in result.people().items()
        ]
        new = self._insert(PEOPLE)
        newer = new.excluded.ended_ms >= PEOPLE.c.ended_ms
        changed = {name: new.excluded[name] for name in ("display_name", "ended_ms")}
        # Where nothing is newer, Postgres locks the row all the same.
        await connection.execute(
            new.on_conflict_do_update(index_elements=[PEOPLE.c.account_id], set_=changed, where=newer), rows
        )

    async def _count_players(self, connection: AsyncConnection, result: MatchResult) -> None:
        stats, options, people = PLAYER_STATS.c, result.options, result.people()
        asked = select(PLAYER_STATS).where(
            stats.account_id.in_(people), stats.preset == options.preset, stats.mode == options.mode
        )
        before = {row.account_id: row for row in await connection.execute(asked)}
        rows = [_counted(account_id, before.get(account_id), result, seat) for account_id, seat in people.items()]
        new = self._insert(PLAYER_STATS)
        changed = {name: new.excluded[name] for name in ("played", "won", "half_points", "streak", "best_streak")}
        await connection.execute(
            new.on_conflict_do_update(index_elements=[stats.account_id, stats.preset, stats.mode], set_=changed), rows
        )

    async def _count_partners(self, connection: AsyncConnection, result: MatchResult) -> None:
        people, pairs = result.people(), PARTNERS.c
        rows: Sequence[dict[str, Any]] = [
            {"account_id": one, "partner_id": other, "played": 1, "won": int(result.has_won(people[one]))}
            for one, other in result.partners()
        ]
        if not rows:
            return
        new = self._insert(PARTNERS)
        counted = {"played": pairs.played + 1, "won": pairs.won + new.excluded.won}
        await connection.execute(
            new.on_conflict_do_update(index_elements=[pairs.account_id, pairs.partner_id], set_=counted), rows
        )


def _counted(account_id: str, before: Row[Any] | None, result: MatchResult, seat: int) -> dict[str, Any]:
    """The row of `player_stats` after a match."""
    won = result.has_won(seat)
    streak = before.streak if before else 0
    streak = max(streak, 0) + 1 if won else min(streak, 0) - 1
    return {
        "account_id": account_id,
        "preset": result.options.preset,
        "mode": result.options.mode,
        "played": (before.played if before else 0) + 1,
        "won": (before.won if before else 0) + won,
        "half_points": (before.half_points if before else 0) + result.half_points[seat % TEAMS],
        "streak": streak,
        "best_streak": max(before.best_streak if before else 0, streak),
    }
