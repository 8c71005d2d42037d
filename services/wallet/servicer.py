"""ScoreService: reads, looks up, answers."""

# ruff: noqa: N802  # methods bear the names of their RPCs

import re
from typing import Any, Final

import grpc
from banakil.common.v1 import rule_options_pb2
from banakil.wallet.v1 import scores_pb2, scores_pb2_grpc

from services.wallet.refusals import BadRequestError, UnknownMatchError
from services.wallet.store import Results
from shared.kit.identity import MAX_ACCOUNT_CHARS
from shared.kit.limits import RateLimiter
from shared.kit.rpc_context import principal

_ID: Final = re.compile(r"[0-9a-f]{32}")
Context = grpc.aio.ServicerContext[Any, Any]


class ScoreServicer(scores_pb2_grpc.ScoreServiceServicer):
    """See scores.proto. `calls` limits how often one account may ask."""

    def __init__(self, results: Results, calls: RateLimiter) -> None:
        self._results = results
        self._calls = calls

    async def GetMatchResult(
        self, request: scores_pb2.GetMatchResultRequest, _context: Context
    ) -> scores_pb2.GetMatchResultResponse:
        self._admit()
        if not _ID.fullmatch(request.match_id):
            raise BadRequestError("match_id is 32 lower-case hex digits")
        result = await self._results.find(request.match_id)
        if result is None:
            raise UnknownMatchError
        return scores_pb2.GetMatchResultResponse(
            preset=_preset(result.options.preset),
            mode=_mode(result.options.mode),
            account_ids=[seat.account_id for seat in result.seats],
            total_half_points=result.half_points,
            winner_team=result.winner_team,
            ended_at_ms=result.ended_ms,
        )

    async def GetPlayerStats(
        self, request: scores_pb2.GetPlayerStatsRequest, _context: Context
    ) -> scores_pb2.GetPlayerStatsResponse:
        self._admit()
        account_id = request.account_id
        if not 0 < len(account_id) <= MAX_ACCOUNT_CHARS or not account_id.isprintable():
            raise BadRequestError(f"account_id has 1 to {MAX_ACCOUNT_CHARS} characters, all printable")
        return scores_pb2.GetPlayerStatsResponse(
            stats=[
                scores_pb2.ModeStats(
                    preset=_preset(stats.preset), mode=_mode(stats.mode), played=stats.played, won=stats.won
                )
                for stats in await self._results.stats(account_id)
            ]
        )

    def _admit(self) -> None:
        self._calls.admit(principal().account, "RATE_LIMITED")


def _preset(name: str) -> "rule_options_pb2.Preset.ValueType":
    return rule_options_pb2.Preset.Value(f"PRESET_{name.upper()}")


def _mode(name: str) -> "rule_options_pb2.Mode.ValueType":
    return rule_options_pb2.Mode.Value(f"MODE_{name.upper()}")
