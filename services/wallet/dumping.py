"""Signs that coins are lost on purpose: who meets whom again and again, and whose coins go one way only.

Each match that is paid is held against those that the same accounts were paid for lately. What looks odd is logged and
counted, for a person to look at; nothing follows from it by itself.
"""

from itertools import combinations
from typing import Final, NamedTuple

import structlog
from prometheus_client import Counter
from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.results import TEAMS
from services.wallet.schema import HOLD_SEATS, HOLDS, RESULTS, SETTLEMENTS
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.metrics import Metrics

OFTEN: Final = 20
"""Matches for coins that two accounts have had together within the window."""
ONE_WAY: Final = 8
"""Matches that two accounts have had against each other, from which on it is looked who won them."""
ONE_WAY_PERCENT: Final = 90

_log = structlog.get_logger("wallet.dumping")


class Meetings(NamedTuple):
    """What two accounts have played for coins within the window."""

    together: int
    against: int
    won_by_first: int
    coins_to_first: int
    """Stakes of the second in matches that the first won against it, less those of the first the other way."""


class Dumping:
    """Looks at paid matches. `window_ms`: how far back."""

    def __init__(self, database: Database, clock: Clock, metrics: Metrics, *, window_ms: int) -> None:
        self._database = database
        self._clock = clock
        self._window_ms = window_ms
        self._signs = Counter(
            "banakil_dumping_signs", "Paid matches that looked odd, by what", ["sign"], registry=metrics.registry
        )

    async def look_at(self, match_id: str) -> None:
        """Looks at a match that was paid just now."""
        async with self._database.reading() as connection:
            await self._look_at(connection, match_id)

    async def _look_at(self, connection: AsyncConnection, match_id: str) -> None:
        seats = select(HOLD_SEATS.c.account_id).where(HOLD_SEATS.c.match_id == match_id).order_by(HOLD_SEATS.c.seat)
        for one, other in combinations((await connection.scalars(seats)).all(), 2):
            met = await self.meetings(connection, one, other)
            told = {"match_id": match_id, "accounts": [one, other], **met._asdict()}
            if met.together >= OFTEN:
                self._signs.labels("often").inc()
                _log.warning("coins.pair_often", **told)
            share = 100 * max(met.won_by_first, met.against - met.won_by_first)
            if met.against >= ONE_WAY and share >= ONE_WAY_PERCENT * met.against:
                self._signs.labels("one_way").inc()
                _log.warning("coins.one_way", **told)

    async def meetings(self, connection: AsyncConnection, one: str, other: str) -> Meetings:
        """What the two have played."""
        first, second = HOLD_SEATS.alias("one"), HOLD_SEATS.alias("other")
        apart = first.c.seat % TEAMS != second.c.seat % TEAMS
        won = apart & (RESULTS.c.winner_team == first.c.seat % TEAMS)
        stake = case((won, HOLDS.c.stake_coins), (apart, -HOLDS.c.stake_coins), else_=0)
        asked = (
            select(
                func.count(),
                func.coalesce(func.sum(case((apart, 1), else_=0)), 0),
                func.coalesce(func.sum(case((won, 1), else_=0)), 0),
                func.coalesce(func.sum(stake), 0),
            )
            .select_from(first)
            .join(second, second.c.match_id == first.c.match_id)
            .join(SETTLEMENTS, SETTLEMENTS.c.match_id == first.c.match_id)
            .join(RESULTS, RESULTS.c.match_id == first.c.match_id)
            .join(HOLDS, HOLDS.c.match_id == first.c.match_id)
            .where(
                first.c.account_id == one,
                second.c.account_id == other,
                SETTLEMENTS.c.outcome == "settle",
                SETTLEMENTS.c.at_ms >= self._clock.now_ms() - self._window_ms,
            )
        )
        row = (await connection.execute(asked)).one()
        return Meetings(*map(int, row))
