"""Keeps results in SQL: each match's once."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.results import MatchResult, ResultSeat
from services.wallet.schema import RESULT_SEATS, RESULTS
from shared.kit.database import Database
from shared.rules.options import make_options


class OtherResultError(Exception):
    """The match has another result already: one of the two is wrong."""


class Results:
    """The database of results."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = (sqlite if database.is_sqlite else postgresql).insert

    async def add(self, connection: AsyncConnection, result: MatchResult) -> bool:
        """Keeps a result; false where it is kept already.

        Works in the caller's transaction. Raises `OtherResultError` where the match has another one.
        """
        kept = await connection.execute(self._insert(RESULTS).values(_row(result)).on_conflict_do_nothing())
        if kept.rowcount == 0:
            asked = select(RESULTS.c.digest).where(RESULTS.c.match_id == result.match_id)
            if await connection.scalar(asked) != result.digest():
                raise OtherResultError
            return False
        seats = [
            {"match_id": result.match_id, "seat": number, "account_id": seat.account_id, "bot": seat.bot}
            for number, seat in enumerate(result.seats)
        ]
        await connection.execute(RESULT_SEATS.insert(), seats)
        return True

    async def find(self, match_id: str) -> MatchResult | None:
        """The result of a match, if it is known."""
        async with self._database.reading() as connection:
            row = (await connection.execute(select(RESULTS).where(RESULTS.c.match_id == match_id))).one_or_none()
            if row is None:
                return None
            asked = select(RESULT_SEATS).where(RESULT_SEATS.c.match_id == match_id).order_by(RESULT_SEATS.c.seat)
            return _result(row, (await connection.execute(asked)).all())


def _row(result: MatchResult) -> dict[str, object]:
    return {
        "match_id": result.match_id,
        "series_id": result.series_id,
        "match_no": result.match_no,
        "table_id": result.table_id,
        "options": result.options_text(),
        "half_points_0": result.half_points[0],
        "half_points_1": result.half_points[1],
        "winner_team": result.winner_team,
        "last_deal_no": result.last_deal_no,
        "ended_ms": result.ended_ms,
        "digest": result.digest(),
    }


def _result(row: Row[Any], seats: Sequence[Row[Any]]) -> MatchResult:
    return MatchResult(
        match_id=row.match_id,
        series_id=row.series_id,
        match_no=row.match_no,
        table_id=row.table_id,
        options=make_options(json.loads(row.options)),
        seats=tuple(ResultSeat(seat.account_id, seat.bot) for seat in seats),
        half_points=(row.half_points_0, row.half_points_1),
        winner_team=row.winner_team,
        last_deal_no=row.last_deal_no,
        ended_ms=row.ended_ms,
    )
