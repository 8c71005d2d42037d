"""What has come of a match, by each part of the platform that says so."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import grpc
from banakil.table.v1 import records_pb2
from banakil.wallet.v1 import scores_pb2

from shared.rules.record_fields import points_json
from tests.support.calls import METHODS, Refusal, call
from tests.support.kit import eventually
from tests.support.up import environment


async def whole_record(channel: grpc.aio.Channel, token: str, match_id: str) -> str:
    """The record of a match, once every secret in it is revealed."""
    found: list[str] = []

    async def is_complete() -> bool:
        answer = await call(channel, METHODS["GetRecord"], records_pb2.GetRecordRequest(match_id=match_id), token)
        if isinstance(answer, records_pb2.GetRecordResponse) and answer.complete:
            found.append(answer.record_json)
        return bool(found)

    await eventually(is_complete)
    return found[0]


async def result_of(channel: grpc.aio.Channel, token: str, match_id: str) -> scores_pb2.GetMatchResultResponse:
    """The result of a match as wallet has it, once it has heard of it."""
    found: list[scores_pb2.GetMatchResultResponse] = []

    async def is_known() -> bool:
        request = scores_pb2.GetMatchResultRequest(match_id=match_id)
        answer = await call(channel, METHODS["GetMatchResult"], request, token)
        if not isinstance(answer, Refusal):
            found.append(answer)
        return bool(found)

    await eventually(is_known)
    return found[0]


async def replayed(*files: Path) -> list[dict[str, Any]]:
    """What `banakil replay` says of each file. It has to read them all."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "shared.cli", "replay", *map(str, files),
        stdout=asyncio.subprocess.PIPE, env=environment(),
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode == 0, out
    return [json.loads(line) for line in out.splitlines()]


def score(replay: dict[str, Any]) -> tuple[list[float], int]:
    """The totals and the winner that a replay comes to."""
    return replay["deals"][-1]["totals"], replay["match"]["winner"]


def points(half_points: Any) -> list[object]:
    """Totals in half-points as a replay writes them."""
    return [points_json(half) for half in half_points]
