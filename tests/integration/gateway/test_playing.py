"""Playing through sockets, against real services: nats-server, shuffle, table."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from socket import AF_INET, SO_RCVBUF, SOCK_STREAM, SOL_SOCKET, socket
from typing import Any

import pytest

from services.bots.policies.greedy import Greedy
from services.bots.sight import Sight
from services.gateway import connection, outgoing
from shared.kit.app import App
from shared.kit.clock import RealClock, VirtualClock
from shared.rules.actions import Discard, Draw
from shared.rules.cards import bag_cards
from shared.rules.options import make_options
from tests.support.gateway import Socket, Tab, World, byes, open_socket, open_world, sockets
from tests.support.kit import eventually

SLOWLY = {"target": 50, "turn_seconds": 300, "discard_seconds": 30}
SAHRAT = make_options({"preset": "sahrat", **SLOWLY})
LONG = make_options({"preset": "sahrat", **SLOWLY, "target": 1_000})
DUEL = make_options({"preset": "sahrat", "mode": "duel", **SLOWLY})
FOUR = ("ada", "bea", "cem", "dia")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_world(tmp_path) as world:
        yield world


@pytest.fixture
async def app(world: World) -> AsyncIterator[App]:
    async with world.tables(), world.gateway() as app:
        yield app


async def pair(world: World) -> tuple[Tab, Tab]:
    """The tab whose turn it is in a duel that has begun, and the other one."""
    table_id = await world.create(DUEL, "ada", "bea")
    tabs = [world.tab(table_id, account) for account in ("ada", "bea")]
    for tab in tabs:
        await tab.open()
    for tab in tabs:
        await tab.until(dealt)
    first, second = tabs if tabs[0].turn is not None else reversed(tabs)
    return first, second


def move(tab: Tab) -> dict[str, Any]:
    """A frame with something that the tab may do now."""
    assert tab.turn is not None
    return tab.act_fields(Greedy().choose(tab.turn))


def dealt(sight: Sight) -> bool:
    return sight.deal is not None


async def test_four_tabs_play_a_match(world: World, app: App) -> None:
    table_id = await world.create(SAHRAT, *FOUR)
    tabs = [world.tab(table_id, account) for account in FOUR]
    async with asyncio.TaskGroup() as group:
        for tab in tabs:
            group.create_task(tab.play(until=lambda sight: sight.closed))
    assert {(await tab.step())["code"] for tab in tabs} == {"TABLE_CLOSED"}
    assert {tab.sight.revision for tab in tabs} == {tabs[0].sight.revision}
    first_deal = tabs[0].texts[: next(at for at, text in enumerate(tabs[0].texts) if '"dealEnded"' in text)]
    assert sum(map(len, first_deal)) < 60_000  # UX.md, acceptance 5


async def test_ux_38_an_action_sent_again_is_played_once_and_answered_alike(world: World, app: App) -> None:
    first, second = await pair(world)
    asked = move(first)
    answers = [await first.ask(asked) for _ in range(3)]
    assert [answer["t"] for answer in answers] == ["done"] * 3
    assert len({answer["revision"] for answer in answers}) == 1
    other = await first.ask({**asked, "action": {"undo": {}}})
    assert (other["t"], other["code"]) == ("refused", "DUPLICATE_COMMAND_BODY")
    deal = (await first.until(lambda sight: sight.revision == answers[0]["revision"])).deal
    assert deal is not None
    laid = sum(len(meld.cards) for meld in deal.melds)
    assert sum(deal.hand_sizes) + deal.stock_size + len(deal.pile) + laid == 106
    await second.until(lambda sight: sight.revision == answers[0]["revision"])


async def test_a_double_click_discards_once(world: World, app: App) -> None:
    first, _ = await pair(world)
    assert first.turn is not None
    assert first.turn.hand is not None
    card = bag_cards(first.turn.hand)[0]  # the first turn begins with a card more, and no draw
    clicks = [first.act_fields(Discard(0, card)) for _ in range(2)]
    for click in clicks:
        await first.send("act", **click)
    answers = [await first.ask(click) for click in clicks]
    assert answers[0]["t"] == "done"
    assert (answers[1]["t"], answers[1]["code"]) == ("refused", "STALE_TURN")


async def test_refusals_say_why_and_change_nothing(world: World, app: App) -> None:
    first, second = await pair(world)
    revision = second.sight.revision
    assert (await second.act(Draw(0)))["code"] == "NOT_YOUR_TURN"
    fields = move(first)
    for spoilt, code in (
        ({"action": {"dance": {}}}, "BAD_ACTION"),
        ({"action": {"discard": {"card": "ZZ"}}}, "BAD_ACTION"),
        ({"action": {"discard": {"card": "\ud800"}}}, "BAD_ACTION"),
        ({"action": {}}, "BAD_ACTION"),
        ({"action": 7}, "BAD_ACTION"),
        ({"dealNo": -1}, "BAD_ACTION"),
        ({"seat": 0}, "BAD_ACTION"),
        ({"turnNo": 99}, "STALE_TURN"),
        ({"commandId": "no-uuid"}, "BAD_REQUEST"),
        ({"tableId": str(uuid.uuid4())}, "NO_SUCH_TABLE"),
    ):
        assert (await first.ask({"commandId": str(uuid.uuid4()), **fields, **spoilt}))["code"] == code, spoilt
    await second.send("ping", n=1)
    while (pong := await second.step())["t"] != "pong":
        pass
    assert pong["headRevision"] == revision == second.sight.revision


async def test_hints_are_the_own_hands(world: World, app: App) -> None:
    first, _ = await pair(world)
    await first.send("hints", tableId=first.table_id, n=5)
    while (hints := await first.step())["t"] != "hints":
        pass
    assert (hints["n"], hints["revision"]) == (5, first.sight.revision)
    async with open_socket(world.web) as stranger:
        await stranger.hello(world.token("zoe"))
        await stranger.send("hints", tableId=first.table_id, n=6)
        assert (await stranger.receive())["code"] == "NOT_SEATED"


@pytest.mark.parametrize(("table_id", "code"), [("", "NOT_SEATED"), (str(uuid.uuid4()), "NO_SUCH_TABLE")])
async def test_who_may_not_watch_is_told_why(world: World, app: App, table_id: str, code: str) -> None:
    table_id = table_id or await world.create(DUEL, "ada", "bea")
    async with open_socket(world.web) as stranger:
        await stranger.hello(world.token("zoe"))
        await stranger.send("watch", tableId=table_id)
        assert await stranger.receive() == {"t": "ended", "tableId": table_id, "code": code}
        await stranger.send("ping", n=1)
        assert "headRevision" not in await stranger.expect("pong")


async def test_the_newer_tab_takes_over_and_the_older_is_told(world: World, app: App) -> None:
    first, second = await pair(world)
    await take_over(world, first, second)


async def test_scenario_3_who_comes_back_through_another_gateway_has_its_seat(world: World, app: App) -> None:
    first, second = await pair(world)
    async with world.gateway():
        await take_over(world, first, second)


async def take_over(world: World, first: Tab, second: Tab) -> None:
    """A newer tab of the first player's, through the gateway that there is now."""
    newer = Tab(world.web, first.table_id, first.ticket)
    await newer.open()
    await newer.until(dealt)
    while not first.ended:
        await first.step()
    assert first.ended == "WATCH_SUPERSEDED"
    answer = await newer.ask(move(newer))
    assert answer["t"] == "done"
    await second.until(lambda sight: sight.revision == answer["revision"])
    await first.send("ping", n=1)
    assert (await first.step())["t"] == "pong"


async def test_a_table_service_that_restarts_is_a_pause(world: World) -> None:
    async with AsyncExitStack() as tables, AsyncExitStack() as rest:
        await tables.enter_async_context(world.tables())
        await rest.enter_async_context(world.gateway())
        first, second = await pair(world)
        revision = first.sight.revision
        asked = move(first)
        await tables.aclose()
        await first.send("act", **asked)
        async with world.tables():
            answer = await first.ask(asked)
            assert answer["t"] == "done"
            for tab in (first, second):
                await tab.until(lambda sight: sight.revision >= answer["revision"])
                assert tab.sight.deal is not None
                assert tab.sight.revision > revision
                assert tab.ended == ""


async def test_a_tab_that_stops_watching_hears_no_more(world: World, app: App) -> None:
    first, second = await pair(world)
    await second.send("unwatch")
    await second.send("ping", n=1)
    while (await second.step())["t"] != "pong":
        pass
    await first.ask(move(first))
    await second.send("ping", n=2)
    assert (await second.step())["n"] == 2


@asynccontextmanager
async def reads_nothing(world: World, table_id: str, account: str) -> AsyncIterator[Socket]:
    """A socket at a table that takes in a few frames, and then nothing more unless it is asked to."""
    host, _, port = world.web.rpartition(":")
    raw = socket(AF_INET, SOCK_STREAM)
    raw.setsockopt(SOL_SOCKET, SO_RCVBUF, 4_096)
    raw.connect((host, int(port)))
    async with open_socket(world.web, sock=raw, max_queue=1, close_timeout=0) as slow:
        await slow.hello(world.token(account))
        await slow.send("watch", tableId=table_id)
        yield slow


@pytest.fixture
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a slow client's frames fill before it is noticed; else a match would not be enough."""
    monkeypatch.setattr(outgoing, "MOST_FRAMES", 8)
    monkeypatch.setattr(connection, "KERNEL_BUFFER_BYTES", 4_096)
    monkeypatch.setattr(connection, "WRITE_BUFFER_BYTES", 1_024)


@pytest.mark.usefixtures("small_buffers")
@pytest.mark.parametrize("reads_on", [True, False])
async def test_a_slow_client_is_dropped_and_the_others_feel_nothing(world: World, reads_on: bool) -> None:
    world.pace = 1_000
    clock = VirtualClock(RealClock().now_ms())
    async with world.tables(), world.gateway(clock=clock) as app:
        table_id = await world.create(LONG, *FOUR)
        tabs = [world.tab(table_id, account) for account in FOUR[:3]]
        async with reads_nothing(world, table_id, "dia") as slow:

            async def play_on(until: Callable[[Sight], bool]) -> None:
                async with asyncio.TaskGroup() as group:
                    for tab in tabs:
                        group.create_task(tab.play(until))

            await play_on(lambda _: byes(app, "SLOW_CLIENT") == 1)
            head = max(tab.sight.revision for tab in tabs)
            await play_on(lambda sight: sight.revision > head + 20)
            assert not any(tab.ended for tab in tabs)
            assert sockets(app) == 4
            if reads_on:
                assert await slow.bye() == "SLOW_CLIENT"
            clock.advance(2_000)
            await eventually(lambda: sockets(app) == 3)
