"""SCENARIO 2: the platform is killed in mid-deal and started again. Nothing is lost, and nobody's clock is charged."""

import json
from datetime import datetime
from pathlib import Path

import grpc
from banakil.common.v1.rule_options_pb2 import Preset, RuleOptions
from banakil.lobby.v1 import lobby_pb2
from banakil.table.v1.views_pb2 import View

from services.bots.policies.greedy import Greedy
from shared.kit.clock import RealClock
from shared.rules.actions import Draw
from shared.rules.state import Phase
from shared.rules.views import view_of
from tests.support.results import points, replayed, result_of, score, whole_record
from tests.support.up import Up, open_up
from tests.support.wire_seat import Seat, come, sit_down

PACE = 30.0
OPTIONS = RuleOptions(preset=Preset.PRESET_SAHRAT, target=250, one_turn_bonus=False, turn_seconds=300)
"""Two deals do not decide it (for who lays what it can, 128 points are the most); a turn takes 10 s at this pace."""
LATE_MS = 1_000
"""On a busy machine the log's line comes so much later than what it tells of."""
FOR_EVER = (1_000, 1)


def moment(view: View) -> tuple[int, int]:
    """The deal and its turn."""
    return view.deal.deal_no, view.deal.turn_no


async def play_until(seat: Seat, come_to: tuple[int, int]) -> None:
    """Plays as house bots do, up to the seat's first turn from this moment on, or to the table's end."""
    while not seat.closed:
        state = seat.state
        if state is None:
            await seat.reach(seat.client.revision + 1)
        elif moment(seat.view) >= come_to and state.phase is Phase.DRAW:
            return
        else:
            await seat.act(Greedy().choose(view_of(state, seat.number)))


async def killed_and_started(up: Up, seat: Seat) -> int:
    """When it was killed, in Unix milliseconds."""
    await up.kill()
    killed_ms = RealClock().now_ms()
    fault = await seat.end()
    assert fault is not None
    assert fault.code() is grpc.StatusCode.UNAVAILABLE
    await up.start()
    return killed_ms


def resumed_ms(up: Up) -> float:
    return datetime.fromisoformat(up.log("tables.resumed")[-1]["time"]).timestamp() * 1000


def own_actions(record: str, seat: int) -> list[str]:
    actions = [action for deal in json.loads(record)["deals"] for action in deal["actions"]]
    return [action for action in actions if action.startswith(f"{seat} ")]


async def test_scenario_2_killed_in_mid_deal_it_goes_on_with_the_same_cards_turn_and_clock(tmp_path: Path) -> None:
    async with open_up(tmp_path, PACE) as up, up.channel() as channel:
        guest = await come(channel, "ada")
        table_id = await sit_down(channel, OPTIONS, guest)
        async with Seat(channel, table_id, guest) as seat:
            await play_until(seat, (1, 6))
            drawn = await seat.act(Draw(seat.number))
            before = View.FromString(seat.view.SerializeToString())
            seen_ms, remaining_ms, deadline_ms = seat.latest.server_now_ms, seat.latest.remaining_ms, seat.deadline_ms
            killed_ms = await killed_and_started(up, seat)
            await seat.watch()
            assert before.revision == drawn.revision < seat.client.revision
            assert seat.view.deal == before.deal
            assert (seat.view.match, seat.view.fair) == (before.match, before.fair)
            used_ms = (killed_ms - seen_ms) + (seat.latest.server_now_ms - resumed_ms(up))
            assert seat.latest.remaining_ms >= remaining_ms - used_ms - LATE_MS
            assert seat.deadline_ms - deadline_ms > (resumed_ms(up) - killed_ms) / 2

            listed = await seat.call("ListMyTables", lobby_pb2.ListMyTablesRequest())
            assert [table.table_id for table in listed.tables] == [table_id]

            deal_no, turn_no = moment(before)
            await play_until(seat, (deal_no, turn_no + 1))  # the other three have had a turn, or a new deal is dealt
            while (state := seat.state) is not None:
                await seat.act(Greedy().choose(view_of(state, seat.number)))
            await killed_and_started(up, seat)  # in the midst of a house bot's thoughts
            await seat.watch()
            await play_until(seat, FOR_EVER)

            match = seat.view.match
            record = await whole_record(channel, guest.jwt, match.match_id)
            assert own_actions(record, seat.number) == seat.acted
        assert "- timeout" not in record
        path = tmp_path / "record.json"
        path.write_text(record)
        [replay] = await replayed(path)
        result = await result_of(channel, guest.jwt, match.match_id)
        assert score(replay) == (points(match.total_half_points), match.winner_team)
        assert score(replay) == (points(result.total_half_points), result.winner_team)
