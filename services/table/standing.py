"""What became of a match, for whoever holds its stakes: from its table, or from the record that is left of it."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from banakil.table.v1 import standing_pb2 as wire
from banakil.table.v1.standing_pb2_grpc import StandingServiceServicer, StandingServiceStub

from services.table.forwarding import Forwarding
from services.table.journal import Journal
from services.table.player_calls import check_uuid, read_id
from services.table.refusals import UnknownTableError
from services.table.state import Stage, TableState
from services.table.tables import Tables
from shared.rules.record import read_record
from shared.rules.replay import replay

Standing = wire.GetMatchStandingResponse
UNKNOWN = Standing(standing=wire.MATCH_STANDING_UNKNOWN)
FUNDING = Standing(standing=wire.MATCH_STANDING_FUNDING)
PLAYING = Standing(standing=wire.MATCH_STANDING_PLAYING)
VOID = Standing(standing=wire.MATCH_STANDING_VOID)


class StandingServicer(StandingServiceServicer):
    """See protos/banakil/table/v1/standing.proto."""

    def __init__(self, tables: Tables, journal: Journal, forwarding: Forwarding) -> None:
        self._tables = tables
        self._journal = journal
        self._forwarding = forwarding

    async def GetMatchStanding(self, request: wire.GetMatchStandingRequest, context: Any) -> Standing:  # noqa: N802
        """Says what became of a match."""
        check_uuid(request.table_id)
        match_id = read_id(request.match_id)
        look = partial(self._tables.state_of, request.table_id)
        return await self._forwarding.answer(
            "GetMatchStanding", request, lambda: match_standing(self._journal, look, match_id), StandingServiceStub
        )


async def match_standing(journal: Journal, look: Callable[[], Awaitable[TableState]], match_id: bytes) -> Standing:
    """How the match stands. ``look`` gives the table where it was played; raises as that does, and ``JournalError``."""
    try:
        table = await look()
    except UnknownTableError:
        archived = await journal.archived(match_id)
        return UNKNOWN if archived is None else _of_record(archived)
    return _of_table(table) if table.match_id == match_id else await _of_earlier_match(journal, table, match_id)


def _of_table(table: TableState) -> Standing:
    if table.match.winner is not None:
        return _won(table.match.winner, table.deal_no)
    if table.stage is Stage.CLOSED:
        return VOID
    return FUNDING if table.stage is Stage.FUNDING else PLAYING


async def _of_earlier_match(journal: Journal, table: TableState, match_id: bytes) -> Standing:
    """A match before the present one was won: else the series would not have gone on."""
    played = await journal.matches_of(table.table_id)
    found = await journal.match_record(match_id) if match_id in played else None
    if found is None:
        return UNKNOWN
    last_deal = found[0]
    following = played[played.index(match_id) + 1]
    next_one = None if following == table.match_id else await journal.match_record(following)
    wins = _wins_before(table) if next_one is None else next_one[0].series.wins
    winner = next(team for team, before in enumerate(last_deal.series.wins) if wins[team] > before)
    return _won(winner, last_deal.deal_no)


def _wins_before(table: TableState) -> tuple[int, ...]:
    """Each team's, without the present match."""
    return tuple(wins - (team == table.match.winner) for team, wins in enumerate(table.series.wins))


def _of_record(record: str) -> Standing:
    """What a record says."""
    read = read_record(record.encode())
    match = replay(read).match
    return VOID if match is None or match.winner is None else _won(match.winner, len(read.deals))


def _won(winner: int, last_deal_no: int) -> Standing:
    return Standing(standing=wire.MATCH_STANDING_WON, winner_team=winner, last_deal_no=last_deal_no)
