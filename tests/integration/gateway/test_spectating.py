"""Looking on and saying something through sockets, against real services."""

import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from services.table.spectating import MOST_SPECTATORS
from shared.kit.app import App
from shared.rules.options import make_options
from tests.support.gateway import Socket, Tab, World, open_socket, open_world

DUEL = make_options({"preset": "sahrat", "mode": "duel", "target": 50, "turn_seconds": 300})
NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with open_world(tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture(scope="module")
async def app(world: World) -> AsyncIterator[App]:
    async with world.tables(), world.gateway() as app:
        yield app


async def player_of(world: World, table_id: str, account: str) -> Tab:
    tab = world.tab(table_id, account)
    await tab.open()
    await tab.until(lambda sight: sight.deal is not None)
    return tab


async def onlooker(stack: AsyncExitStack, world: World, account: str) -> Socket:
    socket = await stack.enter_async_context(open_socket(world.web))
    await socket.hello(world.token(account))
    return socket


async def test_who_looks_on_sees_no_hand_hears_what_is_said_and_is_counted(world: World, app: App) -> None:
    table_id = await world.create(DUEL, "ada", "bea")
    ada, bea = [await player_of(world, table_id, account) for account in ("ada", "bea")]
    async with AsyncExitStack() as stack:
        eve = await onlooker(stack, world, "eve")
        await eve.send("spectate", tableId=table_id, lastRevision=0)
        first = await eve.expect("update")
        assert first["spectators"] == 1
        assert "viewerSeat" not in first["snapshot"]
        assert "hand" not in first["snapshot"]["deal"]
        command_id = str(uuid.uuid4())
        await ada.send("say", commandId=command_id, tableId=table_id, phraseId="rose")
        while "said" not in (heard := await eve.expect("update")):
            pass  # who has come, for one
        assert heard["said"] == {"phraseId": "rose"}  # seat 0
        while (await ada.step()) != {"t": "done", "commandId": command_id}:
            pass
        while "said" not in (await bea.step()):
            pass
        await eve.send("say", commandId=command_id, tableId=table_id, phraseId="rose")
        assert (await eve.expect("refused"))["code"] == "NOT_SEATED"
        await ada.send("say", commandId=command_id, tableId=table_id, phraseId="an insult")
        while (answer := await ada.step())["t"] != "refused":
            pass
        assert answer["code"] == "NO_SUCH_PHRASE"
        await eve.send("ping", n=1)
        assert (await eve.expect("pong"))["spectators"] == 1
        await eve.send("spectate", tableId=NOBODY, lastRevision=0)
        assert await eve.expect("ended") == {"t": "ended", "tableId": NOBODY, "code": "NO_SUCH_TABLE"}
    for tab in (ada, bea):
        await tab.close()


async def test_one_who_plays_may_look_on_in_another_tab_and_plays_on_in_the_first(world: World, app: App) -> None:
    table_id = await world.create(DUEL, "ada", "bea")
    ada = await player_of(world, table_id, "ada")
    async with AsyncExitStack() as stack:
        for _ in range(2):  # the second takes the place of the first
            other = await onlooker(stack, world, "ada")
            await other.send("spectate", tableId=table_id, lastRevision=0)
            assert "viewerSeat" not in (await other.expect("update"))["snapshot"]
        await ada.send("ping", n=1)
        while (frame := await ada.step())["t"] != "pong":
            assert frame["t"] != "ended"
    await ada.close()


async def test_one_too_many_is_told_so_at_once(world: World, app: App) -> None:
    table_id = await world.create(DUEL, "ada", "bea")
    async with AsyncExitStack() as stack:
        frames = []
        for number in range(MOST_SPECTATORS + 1):
            socket = await onlooker(stack, world, f"eye-{number}")
            await socket.send("spectate", tableId=table_id, lastRevision=0)
            frames.append(await socket.receive())
    *updates, refused = frames
    assert {frame["t"] for frame in updates} == {"update"}
    assert refused == {"t": "ended", "tableId": table_id, "code": "TOO_MANY_SPECTATORS"}
