"""What the wallet service hears: how matches and tables have ended. Each is taken in once, whatever comes how often."""

import uuid
from typing import Final

import structlog
from banakil.events.v1 import facts_pb2 as wire
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.grants import Grants
from services.wallet.ids import is_account_id, is_match_id
from services.wallet.rating_store import Ratings
from services.wallet.results import MAX_NAME_CHARS, TEAMS, BadResultError, MatchResult, ResultSeat
from services.wallet.settling import ABORTED, CANCELLED, Settling
from services.wallet.statistics import Statistics
from services.wallet.store import Results
from shared.codec.facts import read_fact
from shared.codec.options import read_options
from shared.kit.inbox import AfterCommit, Fact

CONSUMER: Final = "wallet"

_log = structlog.get_logger("wallet.facts")


class FactHandler:
    """Takes a fact in, within the inbox's transaction."""

    def __init__(
        self, results: Results, statistics: Statistics, ratings: Ratings, grants: Grants, settling: Settling
    ) -> None:
        self._results = results
        self._statistics = statistics
        self._ratings = ratings
        self._grants = grants
        self._settling = settling

    async def take_in(self, connection: AsyncConnection, fact: Fact) -> AfterCommit | None:
        """For `InboxConsumer`.

        Raises `MalformedError` and `BadResultError` for what makes no sense, and `OtherResultError` for a second
        result of one match: neither gets better by trying again, so both end as dead letters, for a person to see.
        """
        told = read_fact(fact.payload)
        match told.WhichOneof("fact"):
            case "match_ended":
                return await self._match_ended(connection, read_result(told))
            case "match_aborted":
                await self._match_aborted(connection, told.match_aborted)
            case "table_closed":
                await self._settling.table_closed(connection, _table_id(told.table_id))
        return None

    async def _match_aborted(self, connection: AsyncConnection, aborted: wire.MatchAborted) -> None:
        if not is_match_id(aborted.match_id):
            raise BadResultError("an id is not 32 hex digits")
        if read_options(aborted.options).stake:
            cause = ABORTED if aborted.last_deal_no else CANCELLED
            await self._settling.match_aborted(connection, aborted.match_id, cause)

    async def _match_ended(self, connection: AsyncConnection, result: MatchResult) -> AfterCommit | None:
        if not await self._results.add(connection, result):
            return None
        await self._statistics.count(connection, result)
        await self._ratings.rate(connection, result)
        if result.options.stake:
            await self._settling.match_ended(connection, result)
        else:
            await self._grants.free_wins(connection, result.match_id, result.winners(), result.ended_ms)

        def stored() -> None:
            self._settling.wake()
            _log.info("result.stored", match_id=result.match_id, table_id=result.table_id)

        return stored


def read_result(told: wire.Fact) -> MatchResult:
    """The result that a `MatchEnded` tells of. Raises `MalformedError` and `BadResultError`."""
    ended = told.match_ended
    if not (is_match_id(ended.match_id) and is_match_id(ended.series_id)):
        raise BadResultError("an id is not 32 hex digits")
    accounts = [seat.account_id for seat in ended.seats]
    if not all(account == "" or is_account_id(account) for account in accounts):
        raise BadResultError("an account id is out of its form")
    if any(len(seat.display_name) > MAX_NAME_CHARS or "\0" in seat.display_name for seat in ended.seats):
        raise BadResultError("a name is out of its form")
    if len(ended.total_half_points) != TEAMS:
        raise BadResultError("a match has two totals")
    return MatchResult(
        match_id=ended.match_id,
        series_id=ended.series_id,
        match_no=ended.match_no,
        table_id=_table_id(told.table_id),
        options=read_options(ended.options),
        seats=tuple(ResultSeat(seat.account_id, seat.bot, seat.display_name) for seat in ended.seats),
        half_points=(ended.total_half_points[0], ended.total_half_points[1]),
        winner_team=ended.winner_team,
        last_deal_no=ended.last_deal_no,
        ended_ms=told.at_ms,
    )


def _table_id(text: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise BadResultError("the table's id is no UUID") from None
