"""The fact that bots act on: a seat that wants one.

All processes share one durable consumer, a work queue: each fact goes to one of them, and to another where that one
did not acknowledge it.
"""

from sqlalchemy.ext.asyncio import AsyncConnection

from services.bots.crew import Crew
from services.bots.house import house_seat
from services.bots.store import SeatStore
from shared.codec.bot_levels import DEFAULT_BOT_LEVEL
from shared.codec.facts import read_fact
from shared.kit.inbox import AfterCommit, Fact
from shared.kit.status import AwayError


class Vacancies:
    """Takes in vacancies, each once. That a table is over its players find out by themselves."""

    def __init__(self, store: SeatStore, crew: Crew, policy: str) -> None:
        self._store = store
        self._crew = crew
        self._policy = policy

    async def take_in(self, connection: AsyncConnection, fact: Fact) -> AfterCommit | None:
        """The inbox's handler. A vacancy that may not be taken here is left to another process, or for later."""
        told = read_fact(fact.payload)
        if told.WhichOneof("fact") != "seat_vacated":
            return None
        owner = self._crew.owner
        if not owner:
            raise AwayError("OVERLOADED", "this process plays all the seats that it may")
        vacated = told.seat_vacated
        level = vacated.bot_level or DEFAULT_BOT_LEVEL
        seat = house_seat(told.table_id, vacated.vacancy_id, vacated.seat, level, self._policy)
        if not await self._store.add(connection, seat, owner):
            return None
        return lambda: self._crew.start(seat)
