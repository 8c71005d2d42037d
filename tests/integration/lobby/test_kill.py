"""A lobby killed in the middle, as a process of its own (`python -m services.lobby`)."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from banakil.lobby.v1.accounts_pb2 import CreateGuestRequest
from banakil.lobby.v1.accounts_pb2_grpc import AccountServiceStub

from shared.kit.clients import Channels, answer
from shared.kit.ports import free_port
from tests.support.lobby import Guest, LobbyWorld, eventually

ROOT = Path(__file__).resolve().parents[3]


@asynccontextmanager
async def process(world: LobbyWorld, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """The lobby, killed at the block's end if it still runs."""
    settings = world.settings(listen=f"127.0.0.1:{port}")
    given = {name: str(value) for name, value in settings.model_dump(exclude_defaults=True).items()}
    env = {name: value for name, value in os.environ.items() if not name.startswith("BANAKIL_")}
    env |= {f"BANAKIL_LOBBY_{name.upper()}": value for name, value in given.items()}
    env["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(ROOT / "shared" / "genproto")))
    running = await asyncio.create_subprocess_exec(sys.executable, "-m", "services.lobby", cwd=world.folder, env=env)
    try:
        yield running
    finally:
        if running.returncode is None:
            running.kill()
        await running.wait()


async def test_a_table_under_way_at_a_kill_is_made_once_by_the_next_process(world: LobbyWorld) -> None:
    port = free_port()
    world.peer.answers.clear()
    async with Channels(None, deadline_ms=20_000) as channels:
        channel = channels.to(f"127.0.0.1:{port}", "lobby")
        async with process(world, port):
            request = CreateGuestRequest(display_name="نور")
            made = await answer(AccountServiceStub(channel).CreateGuest(request, wait_for_ready=True))
            guest = Guest(made, channel)
            asking = asyncio.create_task(guest.quick(bots=True, command_id=COMMAND))
            await world.peer.asked.wait()
        await asyncio.wait([asking])
        assert asking.exception() is not None
        world.peer.answers.set()
        async with process(world, port):
            await channel.channel_ready()

            async def has_table() -> bool:
                return bool((await guest.tables()).tables)

            await eventually(has_table, "the table")
            room = await guest.quick(bots=True, command_id=COMMAND)
    assert list(world.peer.made) == [room.table_id]
    assert all(call == world.peer.calls[0] for call in world.peer.calls)


COMMAND = "0b4f7a52-0000-4000-8000-000000000001"
