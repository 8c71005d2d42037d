"""What broke other card servers, by the design's numbers: a lost answer, a wrong clock, a lost player."""

import re
from collections.abc import Iterator
from typing import Any

import grpc
from banakil.common.v1.rule_options_pb2 import MODE_DUEL, PRESET_BANAKIL202, PRESET_SAHRAT, RuleOptions
from banakil.table.v1.table_pb2 import WatchResponse
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from services.bots.policies.greedy import Greedy
from shared.kit.clients import bearer
from shared.kit.clock import RealClock
from shared.rules.actions import Discard
from shared.rules.cards import bag_faces
from shared.rules.views import view_of
from tests.support.calls import PLAYERS, call
from tests.support.cut_line import open_line
from tests.support.foursome import open_foursome
from tests.support.up import Up
from tests.support.wire_seat import Seat, come, sit_down

SKEW_MS = 46_000
TIMELESS = {"turn_seconds", "discard_seconds", "grace_seconds", "date", "before_date"}
"""Options of a table, and which past days to read: none says what time it is."""
TIMELY = re.compile(r"_ms$|_at$|seconds|time|clock|date|deadline|expires|since|until", re.IGNORECASE)


async def play_turn(seat: Seat) -> None:
    """Plays the seat's turn to its end."""
    while (state := seat.state) is not None:
        await seat.act(Greedy().choose(view_of(state, seat.number)))


async def test_scenario_1_a_move_whose_answer_is_lost_is_found_made_and_both_play_on(
    calm: Up, calm_channel: grpc.aio.Channel
) -> None:
    options = RuleOptions(preset=PRESET_SAHRAT, mode=MODE_DUEL, turn_seconds=300)
    guests = [await come(calm_channel, name) for name in ("ada", "bea")]
    table_id = await sit_down(calm_channel, options, *guests)
    async with open_line(calm.address) as line, grpc.aio.insecure_channel(line.address) as failing:
        pair = [Seat(failing, table_id, guest) for guest in guests]
        for seat in pair:
            await seat.watch()
        await pair[0].until(lambda: pair[0].view.HasField("deal"))
        if pair[0].state is None:
            pair.reverse()
        sender, guest = pair[0], pair[0].guest
        await pair[1].leave()
        async with Seat(calm_channel, table_id, pair[1].guest) as partner:
            state = sender.state
            assert state is not None
            request = sender.request(Discard(sender.number, bag_faces(state.hands[sender.number])[0]))
            line.lose_answers()
            lost = TableServiceStub(failing).Act(request, metadata=bearer(guest.jwt))
            await partner.until(lambda: partner.state is not None)  # it landed, and its sender does not know
            assert sender.view.deal.turn_no == 1
            await line.cut()
            assert await lost.code() is grpc.StatusCode.UNAVAILABLE
            assert await sender.end() is not None

            back = Seat(calm_channel, table_id, guest)
            back.client = sender.client
            async with back:
                await back.until(lambda: back.view.deal.turn_no == 2)
                again = await back.call("Act", request)
                assert again.revision <= back.client.revision
                assert len(back.view.deal.pile) == 1
                await play_turn(partner)
                await back.until(lambda: back.state is not None)
                await play_turn(back)
                await partner.until(lambda: partner.state is not None)
                assert partner.view.deal.turn_no == 4


def fields(message: Any) -> Iterator[str]:
    """The names of all fields, at any depth."""
    for field in message.fields:
        yield field.name
        if field.message_type is not None:
            yield from fields(field.message_type)


async def test_scenario_6_no_clock_counts_but_the_servers(quick: Up, quick_channel: grpc.aio.Channel) -> None:
    """No request says what time it is; and who lets time run out is charged, whatever a client believes."""
    for method in PLAYERS.values():
        assert {name for name in fields(method.request.DESCRIPTOR) if TIMELY.search(name)} <= TIMELESS
    options = RuleOptions(preset=PRESET_BANAKIL202, mode=MODE_DUEL, turn_seconds=200, discard_seconds=30)
    turn_ms = 2_000  # at the pace of this platform
    guests = [await come(quick_channel, name) for name in ("ada", "bea")]
    table_id = await sit_down(quick_channel, options, *guests)
    async with Seat(quick_channel, table_id, guests[0]) as first, Seat(quick_channel, table_id, guests[1]) as second:
        for seat in (first, second):
            await seat.until(lambda seat=seat: seat.view.HasField("deal"))  # type: ignore[misc]  # its own seat
        slow, other = (first, second) if first.state is not None else (second, first)
        turn_no, deadline_ms = slow.view.deal.turn_no, slow.deadline_ms
        believed = f"{RealClock().now_ms() + SKEW_MS}"
        believing = (("date", believed), ("x-client-time-ms", believed), ("x-request-start", believed))
        request = other.request(Discard(other.number, 0))
        early = await call(quick_channel, PLAYERS["Act"], request, other.guest.jwt, believing)
        assert early.code == "NOT_YOUR_TURN"

        await other.until(lambda: other.view.deal.turn_no > turn_no)
        ran_out, passed_on = told(other, "time_ran_out"), told(other, "discarded")
        assert ran_out.delta.events[-1].time_ran_out.seat == slow.number
        assert ran_out.server_now_ms >= deadline_ms
        assert passed_on.delta.events[0].discarded.by_clock
        assert passed_on.delta.turn_no == turn_no + 1
        assert turn_ms / 2 < passed_on.remaining_ms <= turn_ms
        await slow.reach(passed_on.delta.revision)
        same = told(slow, "discarded")
        assert same.server_now_ms + same.remaining_ms == passed_on.server_now_ms + passed_on.remaining_ms


def told(seat: Seat, kind: str) -> WatchResponse:
    """The first update that tells of such an event."""
    updates = map(WatchResponse.FromString, seat.client.updates)
    return next(update for update in updates if any(event.WhichOneof("event") == kind for event in update.delta.events))


async def test_scenario_7_who_comes_and_goes_changes_nobodys_clock(calm: Up, calm_channel: grpc.aio.Channel) -> None:
    options = RuleOptions(preset=PRESET_SAHRAT, turn_seconds=300)
    async with open_foursome(calm, calm_channel, options) as table:
        mover = table.mover
        lost, witness = [seat for seat in table.seats if seat is not mover][:2]
        deadline_ms = witness.deadline_ms
        for one in (lost, lost, mover):
            await one.leave()
            await witness.until(lambda one=one: witness.view.seats[one.number].away)  # type: ignore[misc]
            assert witness.deadline_ms == deadline_ms
            await one.watch()
            await witness.until(lambda one=one: not witness.view.seats[one.number].away)  # type: ignore[misc]
            assert witness.deadline_ms == one.deadline_ms == deadline_ms
        await lost.leave()
        while lost.number != witness.view.deal.turn_seat:
            turn_no = witness.view.deal.turn_no
            await play_turn(next(seat for seat in table.seats if seat.number == witness.view.deal.turn_seat))
            await witness.until(lambda: witness.view.deal.turn_no > turn_no)  # noqa: B023  # used up in this round
            assert witness.latest.remaining_ms > 299_000
