"""ScoreService: reads, looks up, answers."""

# ruff: noqa: N802  # methods bear the names of their RPCs

from dataclasses import dataclass
from typing import Any, Final

import grpc
from banakil.wallet.v1 import leaderboards_pb2 as boards
from banakil.wallet.v1 import scores_pb2 as wire
from banakil.wallet.v1 import scores_pb2_grpc

from services.wallet.following import Following
from services.wallet.ids import read_account_id, read_match_id
from services.wallet.leaderboards import Leaderboards
from services.wallet.rating_store import Ratings
from services.wallet.ratings import matches_needed
from services.wallet.refusals import BadRequestError, UnknownMatchError
from services.wallet.score_wire import (
    read_board,
    write_changes,
    write_entries,
    write_mode,
    write_preset,
    write_rating,
    write_season,
)
from services.wallet.seasons import Season
from services.wallet.statistics import MOST_PARTNERS, Statistics
from services.wallet.store import Results
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.limits import RateLimiter
from shared.kit.rpc_context import principal

PAGE_SIZE: Final = 20
MAX_PAGE_SIZE: Final = 100
Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Scores:
    """What came of matches, in one database."""

    results: Results
    statistics: Statistics
    ratings: Ratings
    leaderboards: Leaderboards
    following: Following

    @classmethod
    def of(cls, database: Database, clock: Clock) -> "Scores":
        """All of a database's."""
        return cls(
            Results(database),
            Statistics(database),
            Ratings(database),
            Leaderboards(database),
            Following(database, clock),
        )


class ScoreServicer(scores_pb2_grpc.ScoreServiceServicer):
    """See scores.proto. `calls` limits how often one account may ask."""

    def __init__(self, scores: Scores, calls: RateLimiter, clock: Clock) -> None:
        self._scores = scores
        self._calls = calls
        self._clock = clock

    async def GetMatchResult(
        self, request: wire.GetMatchResultRequest, _context: Context
    ) -> wire.GetMatchResultResponse:
        self._admit()
        match_id = read_match_id(request.match_id)
        result = await self._scores.results.find(match_id)
        if result is None:
            raise UnknownMatchError
        return wire.GetMatchResultResponse(
            preset=write_preset(result.options.preset),
            mode=write_mode(result.options.mode),
            account_ids=[seat.account_id for seat in result.seats],
            total_half_points=result.half_points,
            winner_team=result.winner_team,
            ended_at_ms=result.ended_ms,
            rating_changes=write_changes(result, await self._scores.ratings.changes(match_id)),
        )

    async def GetPlayerStats(
        self, request: wire.GetPlayerStatsRequest, _context: Context
    ) -> wire.GetPlayerStatsResponse:
        self._admit()
        stats = await self._scores.statistics.of_player(read_account_id(request.account_id))
        return wire.GetPlayerStatsResponse(
            stats=[
                wire.ModeStats(
                    preset=write_preset(each.preset),
                    mode=write_mode(each.mode),
                    played=each.played,
                    won=each.won,
                    half_points=each.half_points,
                    streak=each.streak,
                    best_streak=each.best_streak,
                )
                for each in stats
            ]
        )

    async def ListPartners(self, request: wire.ListPartnersRequest, _context: Context) -> wire.ListPartnersResponse:
        self._admit()
        limit = _size(request.limit, MOST_PARTNERS)
        partners = await self._scores.statistics.partners(read_account_id(request.account_id), limit)
        return wire.ListPartnersResponse(
            partners=[
                wire.PartnerStats(account_id=each.account_id, display_name=each.name, played=each.played, won=each.won)
                for each in partners
            ]
        )

    async def GetRating(self, request: wire.GetRatingRequest, _context: Context) -> wire.GetRatingResponse:
        self._admit()
        account_id = read_account_id(request.account_id)
        season = Season.at(self._clock.now_ms())
        ratings = await self._scores.ratings.of_player(account_id, season.number)
        return wire.GetRatingResponse(
            display_name=await self._scores.statistics.name(account_id) or "",
            ratings=map(write_rating, ratings),
            season=write_season(season),
        )

    async def GetLeaderboard(
        self, request: boards.GetLeaderboardRequest, _context: Context
    ) -> boards.GetLeaderboardResponse:
        account_id = self._admit()
        board, season = read_board(request, self._clock.now_ms())
        size = _size(request.page_size, MAX_PAGE_SIZE)
        if request.board == boards.BOARD_FRIENDS:
            if request.page_token:
                raise BadRequestError("friends are on one page")
            friends = await self._scores.leaderboards.friends(board, account_id)
            return boards.GetLeaderboardResponse(entries=write_entries(friends))
        page = await self._scores.leaderboards.page(board, size, request.page_token)
        return boards.GetLeaderboardResponse(
            entries=write_entries(page.entries), next_page_token=page.next_token, season=season
        )

    async def GetStanding(self, request: boards.GetStandingRequest, _context: Context) -> boards.GetStandingResponse:
        account_id = self._admit()
        board, season = read_board(request, self._clock.now_ms())
        find = self._scores.leaderboards.standing
        if request.board == boards.BOARD_FRIENDS:
            find = self._scores.leaderboards.standing_among_friends
        standing = await find(board, account_id)
        if standing is None:
            played = await self._scores.ratings.played(account_id, board.preset, board.mode, board.season)
            return boards.GetStandingResponse(matches_needed=matches_needed(played), season=season)
        return boards.GetStandingResponse(
            entries=write_entries(standing.entries), own_index=standing.own_index, season=season
        )

    async def Follow(self, request: boards.FollowRequest, _context: Context) -> boards.FollowResponse:
        account_id = self._admit()
        if read_account_id(request.account_id) == account_id:
            raise BadRequestError("nobody follows themselves")
        await self._scores.following.follow(account_id, request.account_id)
        return boards.FollowResponse()

    async def Unfollow(self, request: boards.UnfollowRequest, _context: Context) -> boards.UnfollowResponse:
        account_id = self._admit()
        await self._scores.following.unfollow(account_id, read_account_id(request.account_id))
        return boards.UnfollowResponse()

    async def ListFollowed(
        self, _request: boards.ListFollowedRequest, _context: Context
    ) -> boards.ListFollowedResponse:
        followed = await self._scores.following.followed(self._admit())
        return boards.ListFollowedResponse(
            followed=[
                boards.Followed(account_id=each.account_id, display_name=each.name, since_ms=each.since_ms)
                for each in followed
            ]
        )

    def _admit(self) -> str:
        """The caller's account. Raises `FullError`."""
        account_id = principal().account
        self._calls.admit(account_id, "RATE_LIMITED")
        return account_id


def _size(asked: int, most: int) -> int:
    if asked > most:
        raise BadRequestError(f"a page has {most} at the most")
    return asked or PAGE_SIZE
