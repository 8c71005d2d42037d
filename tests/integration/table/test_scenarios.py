"""What broke other card servers, by the design's numbers: an empty table, an empty stock, and too much at once."""

import asyncio
from collections import Counter

import grpc
import pytest
from banakil.table.v1 import table_pb2 as wire

from services.table.actor import MAILBOX
from services.table.live import ABANDONED_MS, LiveTable
from services.table.state import Stage
from services.table.watching import HEARTBEAT_MS
from shared.codec.actions import write_action
from shared.kit.clients import bearer
from shared.kit.status import api_error
from shared.rules.actions import Draw
from shared.rules.options import SAHRAT, make_options
from tests.support.journals import Kept
from tests.support.local_shuffle import NOW_MS
from tests.support.table_process import TableProcess, put, throw, watch
from tests.support.table_service import TableServer
from tests.support.tables import PEOPLE

SOON_MS = ABANDONED_MS - 2 * HEARTBEAT_MS
SLOW = make_options({"preset": "sahrat", "turn_seconds": 300})


async def facts(kept: Kept) -> Counter[str]:
    return Counter(str(row[0]).rpartition(".")[2] for row in await kept.rows("SELECT subject FROM outbox"))


def is_closed(table: LiveTable) -> bool:
    return table.state.stage is Stage.CLOSED


async def test_scenario_8_a_table_that_all_have_left_is_closed_and_not_before(
    beating: TableProcess, kept: Kept
) -> None:
    await beating.make(SLOW)
    table = await beating.live()
    watcher = watch(table, 0)
    await beating.pass_time(2 * ABANDONED_MS)
    assert not is_closed(table)  # one is there
    table.watchers.close(watcher)
    await beating.settle()
    await beating.pass_time(SOON_MS)
    watcher = watch(table, 2)
    await beating.settle()
    table.watchers.close(watcher)
    await beating.settle()
    await beating.pass_time(SOON_MS)  # since somebody was there
    assert not is_closed(table)
    await beating.pass_time(4 * HEARTBEAT_MS)
    assert is_closed(table)
    assert (await facts(kept))["table_closed"] == 1
    await beating.pass_time(2 * HEARTBEAT_MS)
    assert table not in beating.tables.all()


async def test_scenario_8_a_table_whose_seats_nobody_takes_is_closed_too(beating: TableProcess, kept: Kept) -> None:
    await beating.make(SAHRAT, "ada", "", "", "")
    await beating.pass_time(SOON_MS)
    assert (await beating.state()).stage is Stage.SEATING
    await beating.pass_time(4 * HEARTBEAT_MS)
    assert (await facts(kept))["table_closed"] == 1


async def test_scenario_8_after_an_outage_everybody_has_the_whole_time_to_come_back(kept: Kept) -> None:
    async with TableProcess(kept, beats=True) as process:
        await process.make(SLOW)
        await process.pass_time(SOON_MS)
        await process.kill()
    async with TableProcess(kept, beats=True, now_ms=NOW_MS + ABANDONED_MS) as process:
        await process.pass_time(SOON_MS)
        assert (await process.state()).stage is not Stage.CLOSED


USELESS = "sahrat 0 play r0 / 5H9D 4HKC QC 8D / - / - / 0:5S6S7S"
USEFUL = "sahrat 0 play r0 / 5H8S 4HKC QC 8D / - / - / 1:5S6S7S"


@pytest.mark.parametrize(("position", "thrown"), [(USELESS, 1), (USEFUL, 1)])
async def test_scenario_9_with_stock_and_pile_empty_the_deal_ends_and_the_next_one_begins(
    process: TableProcess, position: str, thrown: int
) -> None:
    """R6.2: what can be done with the last card is done in its time, or the deal is dead."""
    actor = await process.make()
    deal_no = actor.state.deal_no
    deal = await put(process, position)
    await process.act(throw(actor.state))
    assert deal.stock == b""
    for _ in range(8):
        await process.settle()
        if actor.state.deal_no > deal_no:
            return
        await process.ring()
    raise AssertionError("the game hangs")


async def test_too_many_calls_at_once_are_told_when_to_come_again_and_the_table_plays_on(server: TableServer) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)

    async def act(account: str, number: int) -> str:
        request = wire.ActRequest(
            table_id=table_id, command_id=f"00000000-0000-4000-8000-{number:012x}", deal_no=1, turn_no=1
        )
        request.action.CopyFrom(write_action(Draw(0)))
        try:
            await server.stub.Act(request, metadata=bearer(tokens[account]))
        except grpc.aio.AioRpcError as fault:
            error = api_error(fault)
            if error.code in ("OVERLOADED", "RATE_LIMITED"):
                assert error.retry_after_ms is not None
                assert 0 < error.retry_after_ms <= 5_000
            return error.code
        return "accepted"

    tokens = {account: server.token(account=account) for account in PEOPLE}
    calls = [act(account, number) for number in range(100) for account in PEOPLE]
    answers = Counter(await asyncio.gather(*calls))
    assert sum(answers.values()) == 400
    assert set(answers) <= {"NOT_YOUR_TURN", "ALREADY_DRAWN", "RATE_LIMITED", "OVERLOADED", "accepted"}
    assert answers["RATE_LIMITED"] >= 4 * 40 - MAILBOX
    server.clock.advance(10_000)
    view = await server.stub.GetView(wire.GetViewRequest(table_id=table_id), **server.by("reader"))
    assert view.view.deal.turn_no >= 1
