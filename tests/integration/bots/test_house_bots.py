"""House bots over real services: nats-server, shuffle and table, and the bots service beside them."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path

import grpc
import pytest

from services.bots.house import HouseSeat, house_seat
from services.bots.lease import SOLE, SoleLease
from services.bots.levels import level_of
from services.bots.policies.greedy import Greedy
from services.bots.store import SeatStore
from services.bots.talk import MOST_IN_DEAL
from shared.codec.phrases import PHRASES
from shared.kit.app import App
from shared.kit.clock import RealClock
from shared.kit.database import open_database
from shared.kit.status import api_error
from shared.rules.actions import SeatAction
from shared.rules.options import make_options
from shared.rules.record import read_record
from shared.rules.replay import replay
from shared.rules.views import View
from tests.support.house import House, Person, open_house
from tests.support.kit import PATIENCE_S, eventually

QUICK = {"target": 50, "turn_seconds": 300, "discard_seconds": 30, "grace_seconds": 600}
"""A short match, its clocks long enough for a busy machine at the pace of these tests."""
SAHRAT = make_options({"preset": "sahrat", **QUICK})
DUEL = make_options({"preset": "sahrat", "mode": "duel", **QUICK})


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as house:
        yield house


def playing(app: App) -> float | None:
    return app.metrics.registry.get_sample_value("banakil_bots_seats")


async def kept_seats(house: House) -> list[HouseSeat]:
    """The seats in the bots' database, while no bots service runs."""
    async with open_database(f"sqlite:///{house.data}/bots.db") as database:
        return await SeatStore(database, RealClock()).all()


def actions(record: str) -> Iterator[str]:
    for deal in json.loads(record)["deals"]:
        yield from deal["actions"]


@pytest.mark.parametrize(("preset", "mode"), list(product(("sahrat", "banakil202"), ("partners", "duel"))))
async def test_house_bots_take_every_vacant_seat_and_play_a_whole_match(house: House, preset: str, mode: str) -> None:
    options = make_options({"preset": preset, "mode": mode, **QUICK})
    async with house.tables(), house.bots() as app:
        table_id = await house.create(options)
        ended = (await house.fact("match_ended", table_id)).match_ended
        record = await house.record(ended.match_id)
        await house.fact("table_closed", table_id)
        await eventually(lambda: playing(app) == 0)
    match = replay(read_record(record.encode())).match
    assert match is not None
    assert (match.winner, match.totals) == (ended.winner_team, tuple(ended.total_half_points))
    assert all(seat.bot and seat.display_name and not seat.account_id for seat in ended.seats)
    assert len({seat.display_name for seat in ended.seats}) == options.seats
    assert not [action for action in actions(record) if "timeout" in action]
    assert await kept_seats(house) == []


async def test_vacancies_told_of_before_the_bots_came_are_filled_too(house: House) -> None:
    async with house.tables():
        table_id = await house.create(DUEL)
        await house.fact("seat_vacated", table_id)
        async with house.bots():
            await house.fact("match_started", table_id)


async def test_a_person_plays_a_match_with_house_bots(house: House) -> None:
    async with house.tables(), house.bots():
        table_id = await house.create(SAHRAT, "ada")
        async with house.person(table_id, "ada") as ada:
            await ada.play(until=lambda sight: sight.closed)
        seats = (await house.fact("match_ended", table_id)).match_ended.seats
    assert [(seat.account_id, seat.bot) for seat in seats] == [("ada", False), ("", True), ("", True), ("", True)]
    assert ada.acted


async def test_who_plays_with_house_bots_hears_a_word_from_them_now_and_then(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.bots.player.level_of", lambda level: level_of(level)._replace(talk=1.0))
    async with house.tables(), house.bots():
        table_id = await house.create(SAHRAT, "ada", level=2)
        async with house.person(table_id, "ada") as ada:
            await ada.play(until=lambda sight: sight.closed)
        deals = ada.sight.deal_no
    assert 0 < len(ada.heard) <= deals * 3 * MOST_IN_DEAL
    assert set(ada.heard) <= PHRASES.keys()


async def test_a_house_bot_plays_in_the_place_of_a_person_who_is_gone_until_that_person_is_back(house: House) -> None:
    options = make_options({"preset": "sahrat", **QUICK, "grace_seconds": 10, "target": 150})
    async with house.tables(), house.bots() as app:
        table_id = await house.create(options, "ada", "bayan")
        async with house.person(table_id, "bayan") as bayan:
            playing_on = asyncio.ensure_future(bayan.play(until=lambda sight: sight.closed))
            async with house.person(table_id, "ada") as ada:
                await ada.play(until=lambda sight: sight.deal is not None and sight.deal.turn_no >= 3)
            await eventually(lambda: playing(app) == 3)
            async with house.person(table_id, "ada") as ada:
                await ada.play(until=lambda sight: len(ada.acted) >= 2 or sight.closed)
                await eventually(lambda: (playing(app) or 0) <= 2)
                await ada.play(until=lambda sight: sight.closed)
            await playing_on
        seats = (await house.fact("match_ended", table_id)).match_ended.seats
        await eventually(lambda: playing(app) == 0)
    assert [(seat.account_id, seat.bot) for seat in seats] == [("ada", False), ("bayan", False), ("", True), ("", True)]
    assert await kept_seats(house) == []


async def test_after_kill_9_in_mid_deal_a_new_process_goes_on_with_the_same_seats(house: House) -> None:
    async with house.tables():
        table_id = await house.create(SAHRAT, "ada")
        process = await house.bots_process()
        async with house.person(table_id, "ada") as ada:
            await ada.play(until=lambda sight: sight.deal is not None and sight.deal.turn_no >= 3)
            process.kill()
            await process.wait()
            before = await kept_seats(house)
            assert len(before) == 3
            assert all(seat.table_id == table_id for seat in before)
            async with house.bots() as app:
                await ada.play(until=lambda sight: sight.closed)
                await eventually(lambda: playing(app) == 0)
        record = await house.record((await house.fact("match_ended", table_id)).match_ended.match_id)
    assert replay(read_record(record.encode())).match is not None
    assert await kept_seats(house) == []


async def test_bots_find_their_tables_again_when_the_table_service_was_away(house: House) -> None:
    async with AsyncExitStack() as stack:
        async with house.tables():
            await stack.enter_async_context(house.bots())
            table_id = await house.create(SAHRAT, "ada")
            async with house.person(table_id, "ada") as ada:
                await ada.play(until=lambda sight: sight.deal is not None and sight.deal.turn_no >= 3)
        async with house.tables(), house.person(table_id, "ada") as ada:
            await ada.play(until=lambda sight: sight.closed)
            await house.fact("match_ended", table_id)


class Stuck(Greedy):
    """Plays a while, then thinks for ever."""

    def __init__(self) -> None:
        self.choices = 0
        self.released = threading.Event()

    def choose(self, view: View) -> SeatAction:
        self.choices += 1
        if self.choices > 20:
            self.released.wait()
        return super().choose(view)


async def test_scenario_14_a_policy_that_hangs_holds_up_no_table(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = Stuck()
    for module in ("policies.registry", "app"):
        monkeypatch.setattr(f"services.bots.{module}.POLICIES", {"stuck": stuck})
    few_turns = make_options({"preset": "sahrat", "mode": "duel", **QUICK, "max_reshuffles": 0})
    async with house.tables(), house.bots(policy="stuck", budget_ms=5) as app:
        tables = [await house.create(few_turns) for _ in range(2)]
        try:
            for table_id in tables:
                await house.fact("deal_ended", table_id)
        finally:
            stuck.released.set()
    assert (app.metrics.registry.get_sample_value("banakil_bots_fallbacks_total") or 0) > 20


async def test_a_seat_whose_table_is_gone_is_forgotten(house: House) -> None:
    async with house.tables():
        async with house.bots():
            table_id = await house.create(SAHRAT, "ada")
            await house.fact("match_started", table_id)
        seats = await kept_seats(house)
        gone = seats[0]._replace(vacancy_id="gone", table_id="00000000-0000-4000-8000-000000000000")
        async with open_database(f"sqlite:///{house.data}/bots.db") as database, database.transaction() as connection:
            await SeatStore(database, RealClock()).add(connection, gone, SOLE)
        async with house.bots() as app:
            await eventually(lambda: playing(app) == 4)
            await eventually(lambda: playing(app) == 3)
    assert await kept_seats(house) == seats


async def test_a_seat_that_is_watched_by_another_in_its_name_is_soon_watched_again(house: House) -> None:
    async with house.tables(), house.bots() as app:
        table_id = await house.create(SAHRAT, "ada")
        await house.fact("match_started", table_id)
        vacancy = (await house.fact("seat_vacated", table_id)).seat_vacated
        account = house_seat(table_id, vacancy.vacancy_id, vacancy.seat, 3).account

        async def watch(other: Person) -> None:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    await other.see()

        async with house.house_bot(table_id, account) as other:
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await watch(other)
        assert api_error(ended.value).code == "WATCH_SUPERSEDED"
        assert playing(app) == 3


async def test_without_its_lease_a_process_plays_nothing_and_with_it_goes_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = make_options({"preset": "sahrat", **QUICK, "turn_seconds": 30, "discard_seconds": 10})
    async with house.tables(), house.bots() as app:
        table_id = await house.create(brief)
        await house.fact("match_started", table_id)
        with monkeypatch.context() as lost:
            lost.setattr(SoleLease, "holds", False)
            await eventually(lambda: playing(app) == 0)  # each as its turn comes, which the clock ends
        await eventually(lambda: playing(app) == 4)
        await house.fact("match_ended", table_id)


async def test_vacancies_that_there_is_no_room_for_wait_until_there_is(house: House) -> None:
    async with house.tables(), house.bots(most_seats=2):
        first, second = [await house.create(DUEL) for _ in range(2)]
        for table_id in (first, second):
            await house.fact("table_closed", table_id)
