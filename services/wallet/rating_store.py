"""Keeps ratings in SQL: each match rates once, in the transaction that keeps its result."""

from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.ratings import NEWCOMER, Skill, carried_over, is_rated, matches_needed, rate
from services.wallet.results import MatchResult
from services.wallet.schema import MATCH_RATINGS, RATINGS
from services.wallet.seasons import ALL_TIME, Season
from shared.kit.database import Database


class Rating(NamedTuple):
    """An account's rating by one rule set and mode, in one season or of all time."""

    preset: str
    mode: str
    season: int
    skill: Skill
    played: int
    won: int


class RatingChange(NamedTuple):
    """What a match did to the rating of all time that a seat's player has."""

    seat: int
    before: Skill
    after: Skill


class _Standing(NamedTuple):
    skill: Skill
    played: int = 0
    won: int = 0


class Ratings:
    """The database of ratings."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = (sqlite if database.is_sqlite else postgresql).insert

    async def rate(self, connection: AsyncConnection, result: MatchResult) -> None:
        """Has a match change its players' ratings, if it is one that counts.

        For the first result of a match alone, and after `Statistics.count` has locked the players' rows: nobody else
        then reads or writes their ratings. The season is the one in which the match ended, however late it is heard of.
        """
        if not is_rated(result):
            return
        season = Season.at(result.ended_ms).number
        kept = await self._kept(connection, result, season)
        rows, changes = [], []
        for of in (ALL_TIME, season):
            before = [_standing(kept, seat.account_id, of) for seat in result.seats]
            after = rate([standing.skill for standing in before], result.winner_team)
            for seat, (standing, skill) in enumerate(zip(before, after, strict=True)):
                rows.append(_row(result, seat, of, _Standing(skill, standing.played + 1, standing.won)))
                changes.append(_change(result.match_id, of, seat, standing.skill, skill))
        await self._keep(connection, rows)
        await connection.execute(MATCH_RATINGS.insert(), changes)

    async def of_player(self, account_id: str, season: int) -> list[Rating]:
        """An account's ratings of all time and of a season."""
        ratings = RATINGS.c
        asked = select(RATINGS).where(ratings.account_id == account_id, ratings.season.in_((ALL_TIME, season)))
        async with self._database.reading() as connection:
            rows = await connection.execute(asked.order_by(ratings.preset, ratings.mode, ratings.season))
            return [
                Rating(row.preset, row.mode, row.season, Skill(row.mu, row.sigma), row.played, row.won) for row in rows
            ]

    async def played(self, account_id: str, preset: str, mode: str, season: int) -> int:
        """How many matches a rating is of."""
        ratings = RATINGS.c
        mine = (ratings.account_id == account_id, ratings.preset == preset, ratings.mode == mode)
        async with self._database.reading() as connection:
            return await connection.scalar(select(ratings.played).where(*mine, ratings.season == season)) or 0

    async def changes(self, match_id: str) -> list[RatingChange]:
        """What a match did to ratings of all time, by seat; nothing where it was not rated."""
        changes = MATCH_RATINGS.c
        asked = select(MATCH_RATINGS).where(changes.match_id == match_id, changes.season == ALL_TIME)
        async with self._database.reading() as connection:
            rows = await connection.execute(asked.order_by(changes.seat))
            return [
                RatingChange(row.seat, Skill(row.mu_before, row.sigma_before), Skill(row.mu, row.sigma)) for row in rows
            ]

    async def _kept(
        self, connection: AsyncConnection, result: MatchResult, season: int
    ) -> dict[tuple[str, int], _Standing]:
        ratings = RATINGS.c
        asked = select(RATINGS).where(
            ratings.account_id.in_(result.people()),
            ratings.preset == result.options.preset,
            ratings.mode == result.options.mode,
            ratings.season.in_((ALL_TIME, season)),
        )
        return {
            (row.account_id, row.season): _Standing(Skill(row.mu, row.sigma), row.played, row.won)
            for row in await connection.execute(asked)
        }

    async def _keep(self, connection: AsyncConnection, rows: list[dict[str, Any]]) -> None:
        new = self._insert(RATINGS)
        keys = list(RATINGS.primary_key.columns)
        changed = {name: new.excluded[name] for name in ("mu", "sigma", "played", "won", "board_points")}
        await connection.execute(new.on_conflict_do_update(index_elements=keys, set_=changed), rows)


def _standing(kept: dict[tuple[str, int], _Standing], account_id: str, season: int) -> _Standing:
    """Where a player stands. A season begins with its first match, from the rating of all time before that."""
    if standing := kept.get((account_id, season)):
        return standing
    always = kept.get((account_id, ALL_TIME))
    return _Standing(carried_over(always.skill) if always else NEWCOMER)


def _row(result: MatchResult, seat: int, season: int, standing: _Standing) -> dict[str, Any]:
    skill = standing.skill
    return {
        "account_id": result.seats[seat].account_id,
        "preset": result.options.preset,
        "mode": result.options.mode,
        "season": season,
        "mu": skill.mu,
        "sigma": skill.sigma,
        "played": standing.played,
        "won": standing.won + result.has_won(seat),
        "board_points": None if matches_needed(standing.played) else skill.points,
    }


def _change(match_id: str, season: int, seat: int, before: Skill, after: Skill) -> dict[str, Any]:
    return {
        "match_id": match_id,
        "season": season,
        "seat": seat,
        "mu_before": before.mu,
        "sigma_before": before.sigma,
        "mu": after.mu,
        "sigma": after.sigma,
    }
