"""Whole matches of the minimal bot against house bots; everybody who speaks of a match's result says the same."""

from itertools import product

import grpc
import pytest

from tests.support.ear import Ear
from tests.support.minimal_bot import Played
from tests.support.results import points, replayed, result_of, score
from tests.support.up import Up

KINDS = [*product(("sahrat", "banakil202"), ("partners", "duel"))]


@pytest.mark.parametrize(("preset", "mode"), KINDS)
async def test_a_match_against_house_bots_has_one_result_whoever_tells_it(
    quick: Up, quick_channel: grpc.aio.Channel, ear: Ear, matches: dict[tuple[str, str], Played], preset: str, mode: str
) -> None:
    played = matches[preset, mode]
    seats = 4 if mode == "partners" else 2
    token = quick.token("reader").text
    said = (played.totals, played.winner)
    record = played.record
    assert record["options"].get("preset") == preset
    assert len(record["players"]) == seats

    [replay] = await replayed(played.path)
    assert score(replay) == said
    ended = (await ear.match_ended(played.match_id)).match_ended
    assert (points(ended.total_half_points), ended.winner_team) == said
    assert ended.last_deal_no == len(record["deals"])
    result = await result_of(quick_channel, token, played.match_id)
    assert (points(result.total_half_points), result.winner_team) == said
    assert list(result.account_ids) == [seat.account_id for seat in ended.seats]

    [number] = [number for number, seat in enumerate(ended.seats) if seat.account_id]
    moves = [text for deal in record["deals"] for text in deal["actions"] if text.startswith(f"{number} ")]
    assert moves
