"""Graces, house bots in their players' places, and pauses, as a running table and its journal have them."""

import asyncio
import json
import sqlite3
from typing import Any

from banakil.table.v1 import seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import OCCUPANT_HOUSE_BOT, OCCUPANT_PERSON

from services.table.away import GATEWAY_BACK_MS
from services.table.commands import Ask, TakeVacancy, Wish
from services.table.due import vacancies
from services.table.pausing import PAUSE_MS
from services.table.state import TableState
from services.table.watching import StreamWatcher
from shared.kit.clients import bearer
from shared.rules.options import SAHRAT, make_options
from tests.support.journals import Kept
from tests.support.kit import PATIENCE_S
from tests.support.local_shuffle import NOW_MS
from tests.support.table_process import TableProcess, end_of, sent, watch
from tests.support.table_service import TableServer, refused
from tests.support.tables import PEOPLE, TABLE_ID, creation

GRACE_MS = 60_000
SLOW = make_options({"preset": "sahrat", "turn_seconds": 300})
HOUSE = "house:one"


async def take(process: TableProcess) -> None:
    """A house bot takes the seat that is offered."""
    [(_, vacancy)] = vacancies(await process.state())
    await process.tables.submit(TABLE_ID, TakeVacancy(vacancy, HOUSE, "Kitt"), f"vacancy:{vacancy}", b"")


async def all_there(process: TableProcess) -> list[StreamWatcher]:
    await process.make(SLOW)
    table = await process.live()
    watchers = [watch(table, seat) for seat in range(4)]
    await process.settle()
    return watchers


async def test_a_seat_is_offered_at_the_end_of_the_grace_and_not_a_millisecond_before(
    process: TableProcess, kept: Kept
) -> None:
    watchers = await all_there(process)
    await process.pass_time(1_000)
    (await process.live()).watchers.close(watchers[1])
    await process.settle()
    await process.pass_time(GRACE_MS - 1)
    assert vacancies(await process.state()) == ()
    await process.pass_time(1)
    assert [seat for seat, _ in vacancies(await process.state())] == [1]
    rows = await kept.rows("SELECT subject FROM outbox")
    assert [str(row[0]).rpartition(".")[2] for row in rows].count("seat_vacated") == 1


async def test_a_grace_outlives_no_restart_but_begins_anew(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        watchers = await all_there(process)
        (await process.live()).watchers.close(watchers[1])
        await process.settle()
        await process.pass_time(GRACE_MS - 1)
        await process.kill()
    async with TableProcess(kept, now_ms=NOW_MS + 5 * GRACE_MS) as process:
        await process.pass_time(GRACE_MS - 1)
        assert vacancies(await process.state()) == ()
        await process.pass_time(1)
        assert len(vacancies(await process.state())) == 4


async def test_a_seat_that_was_offered_stays_so_over_a_restart_and_can_be_taken(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        await all_there(process)
        await process.tables.submit(TABLE_ID, Ask("ada", Wish.LEAVE), "ada:1", b"")
        offered = vacancies(await process.state())
        await process.kill()
    async with TableProcess(kept) as process:
        assert vacancies(await process.state()) == offered
        await take(process)
        assert (await process.state()).seats[0].stand_in == HOUSE


async def test_while_bot_and_player_both_watch_the_bot_is_told_and_then_shown_out(process: TableProcess) -> None:
    watchers = await all_there(process)
    table = await process.live()
    table.watchers.close(watchers[0])
    await process.settle()
    await process.pass_time(GRACE_MS)
    await take(process)
    bot = StreamWatcher(0, HOUSE)
    table.watchers.open(table.state, table.actor.ring, bot, 0)
    await process.settle()
    await sent(bot)
    assert table.state.seats[0].stand_in == HOUSE
    ada = watch(table, 0)
    await process.settle()
    assert await end_of(bot) == "NOT_SEATED"
    assert (table.state.seats[0].stand_in, table.state.seats[0].away) == ("", False)
    updates = [wire.WatchResponse.FromString(update) for update in await sent(ada)]
    assert updates[0].snapshot.seats[0].occupant == OCCUPANT_HOUSE_BOT
    assert updates[-1].delta.events[0].seat_changed.seat.occupant == OCCUPANT_PERSON
    table.watchers.close(bot)
    await process.settle()
    assert not table.state.seats[0].away


async def test_who_leaves_is_shown_out_of_every_watch_and_is_no_presence(process: TableProcess) -> None:
    watchers = await all_there(process)
    table = await process.live()
    await process.tables.submit(TABLE_ID, Ask("cem", Wish.LEAVE), "cem:1", b"")
    assert await end_of(watchers[2]) == "SEAT_LEFT"
    revision = table.state.revision
    table.watchers.close(watchers[2])
    await process.settle()
    assert table.state.revision == revision


async def test_scenario_14_a_house_bot_that_hangs_is_played_for_by_the_clock(process: TableProcess) -> None:
    """Whether it is the house's own, or sits in somebody's place."""
    await process.make(SAHRAT, "ada", "", "cem", "dana")
    [(_, vacancy)] = vacancies(await process.state())
    await process.tables.submit(TABLE_ID, TakeVacancy(vacancy, HOUSE, "Kitt"), "vacancy:1", b"")
    await process.settle()
    await process.tables.submit(TABLE_ID, Ask("ada", Wish.LEAVE), "ada:1", b"")
    [(_, vacancy)] = vacancies(await process.state())
    await process.tables.submit(TABLE_ID, TakeVacancy(vacancy, "house:two", "Hal"), "vacancy:2", b"")
    for turn_no in range(1, 7):
        state = await process.state()
        assert state.deal is not None
        assert state.deal.turn_no == turn_no
        await process.pass_time(20_000 + 5_000)


async def test_a_pause_ends_at_its_millisecond(process: TableProcess) -> None:
    create = creation(SLOW, private=True)
    await process.tables.create(TABLE_ID, create, b"made")
    await process.settle()
    before = await process.state()
    for account in PEOPLE:
        await process.tables.submit(TABLE_ID, Ask(account, Wish.PAUSE), f"{account}:1", b"")
    await process.pass_time(PAUSE_MS - 1)
    assert (await process.state()).pause.until_ms
    await process.pass_time(1)
    after = await process.state()
    assert (after.pause.until_ms, after.pause.used, after.deal) == (0, True, before.deal)
    assert left_ms(after, process) == left_ms(before, process) + PAUSE_MS


def left_ms(state: TableState, process: TableProcess) -> int:
    assert state.deadline_ms is not None
    return state.deadline_ms - process.clock.now_ms()


async def test_a_relay_that_breaks_has_time_to_come_back_before_the_graces_begin(server: TableServer) -> None:
    table_id = await server.create(make_options({"preset": "sahrat", "mode": "duel"}))

    async def seats(relay: Any, key: int) -> None:
        while True:
            async for answer in _answers(relay):
                if answer.key == key:
                    return

    graces = {}
    for account, unwatches in (("ada", False), ("bayan", True)):
        items: asyncio.Queue[wire.RelayItem] = asyncio.Queue()
        relay = server.stub.Relay(_requests(items), metadata=bearer(server.token("gateway")))
        watching = wire.WatchRequest(table_id=table_id)
        await items.put(wire.RelayItem(key=1, token=server.token(account=account), watch=watching))
        await asyncio.wait_for(seats(relay, 1), PATIENCE_S)
        seat = await _seat(server, table_id, account, away=False)
        if unwatches:
            await items.put(wire.RelayItem(key=1, unwatch=True))
        else:
            relay.cancel()
        seat = await _seat(server, table_id, account, away=True)
        graces[account] = seat.grace_until_ms - server.clock.now_ms()
        relay.cancel()
    assert graces == {"ada": GATEWAY_BACK_MS + GRACE_MS, "bayan": GRACE_MS}


async def _requests(items: "asyncio.Queue[wire.RelayItem]") -> Any:
    while True:
        yield wire.RelayRequest(items=[await items.get()])


async def _answers(relay: Any) -> Any:
    batch = await relay.read()
    for answer in batch.answers:
        yield answer


async def _seat(server: TableServer, table_id: str, account: str, *, away: bool) -> Any:
    """The public seat of an account, once it is there or away."""
    async with asyncio.timeout(PATIENCE_S):
        number = 0
        while True:
            number += 1  # so many readers that none asks too often
            reader = server.by(f"reader-{account}-{number}")
            view = await server.stub.GetView(wire.GetViewRequest(table_id=table_id), **reader)
            [seat] = [seat for seat in view.view.seats if seat.account_id == account]
            if seat.away == away:
                return seat
            await asyncio.sleep(0)


async def test_a_bot_that_asks_again_for_a_seat_whose_player_is_back_is_told_so(server: TableServer) -> None:
    table_id = await server.dealt(make_options({"preset": "sahrat", "mode": "duel", "grace_seconds": 0}))
    with sqlite3.connect(server.data / "table.db") as connection:
        query = "SELECT events FROM entries WHERE table_id = ? AND events LIKE '%GraceOver%' ORDER BY revision"
        (events,) = connection.execute(query, (table_id,)).fetchone()
    vacancy = next(vacancy for name, seat, vacancy in json.loads(events) if (name, seat) == ("GraceOver", 0))
    request = seating_pb2.TakeSeatRequest(table_id=table_id, vacancy_id=vacancy, display_name="Kitt")
    by_bot = bearer(server.token("bots", "one"))
    assert (await server.stub.TakeSeat(request, metadata=by_bot)).seat == 0
    assert (await _seat(server, table_id, "ada", away=True)).stand_in_name == "Kitt"
    async with server.watching(table_id, "ada") as ada:
        await ada.more()
        await _seat(server, table_id, "ada", away=False)
        assert (await refused(server.stub.TakeSeat(request, metadata=by_bot))).code == "VACANCY_TAKEN"
