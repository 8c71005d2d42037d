"""Results of matches for tests, as tables tell of them and as the wallet takes them in."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from banakil.events.v1 import facts_pb2 as wire

from services.wallet.days import Days
from services.wallet.facts import FactHandler
from services.wallet.grants import Grants
from services.wallet.ledger import Ledger
from services.wallet.score_servicer import Scores
from shared.codec.facts import fact_subject
from shared.codec.options import write_options
from shared.kit.clock import RealClock, VirtualClock
from shared.kit.database import Database
from shared.kit.inbox import Fact
from shared.rules.options import make_options
from tests.support.purses import SIZES, idle_settling

TABLE_ID = "5c4b3a29-0000-4000-8000-000000000001"
ENDED_MS = 1_750_000_000_000
HOUSE_BOT = ("", True)
AT_ONCE = 8


def match_ended(
    number: int = 1,
    seats: Sequence[tuple[str, bool]] = (("ada", False), ("bob", False), HOUSE_BOT, ("robo", True)),
    *,
    winner: int = 0,
    totals: Sequence[int] = (310, -24),
    fact_id: str = "",
    at_ms: int = ENDED_MS,
    **options: Any,
) -> wire.Fact:
    """The fact that match `number` ended; seats are (account, bot). By sahrat, but for `options`."""
    match_id = f"{number:032x}"
    return wire.Fact(
        fact_id=fact_id or f"5c4b3a29-0000-4000-9000-{number:012x}",
        at_ms=at_ms,
        table_id=TABLE_ID,
        match_ended=wire.MatchEnded(
            series_id=match_id,
            match_id=match_id,
            match_no=1,
            options=write_options(make_options({"preset": "sahrat", **options})),
            seats=[wire.MatchSeat(account_id=account, display_name=account, bot=bot) for account, bot in seats],
            total_half_points=totals,
            winner_team=winner,
            last_deal_no=7,
        ),
    )


class Scoring:
    """Takes facts in as the inbox does, each in a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.scores = Scores.of(database, RealClock())
        clock = VirtualClock()
        ledger = Ledger(database, clock)
        grants, settling = Grants(ledger, clock, Days(180), SIZES), idle_settling(database, ledger, clock)
        self._handler = FactHandler(self.scores.results, self.scores.statistics, self.scores.ratings, grants, settling)

    async def take(self, fact: wire.Fact) -> bool:
        """Whether it had an effect."""
        arrived = Fact(fact_subject(fact), fact.fact_id, fact.SerializeToString())
        async with self.database.transaction() as connection:
            after = await self._handler.take_in(connection, arrived)
        if after is not None:
            after()
        return after is not None

    async def take_all(self, facts: Iterable[wire.Fact]) -> list[bool]:
        """Takes facts in at once, as many as have room in the pool of connections; whether each had an effect."""
        room = asyncio.Semaphore(AT_ONCE)

        async def take(fact: wire.Fact) -> bool:
            async with room:
                return await self.take(fact)

        return await asyncio.gather(*map(take, facts))

    async def counts(self, account: str) -> list[tuple[str, str, int, int]]:
        """What an account has played and won, by preset and mode."""
        return [stats[:4] for stats in await self.scores.statistics.of_player(account)]


def people(*names: str) -> tuple[tuple[str, bool], ...]:
    """Seats of people alone."""
    return tuple((name, False) for name in names)
