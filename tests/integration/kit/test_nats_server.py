"""The embedded nats-server: who may do what on it, and how it lives and dies."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

import nats
import pytest

from shared.kit.bus import BusAwayError, Stream, open_bus
from shared.kit.clock import RealClock
from shared.kit.nats_server import BusUser, NatsServer, running_nats_server
from tests.integration.kit.conftest import Lines
from tests.support.kit import PATIENCE_S

FACTS: Final = Stream("FACTS", ("facts.>",))
TABLE: Final = BusUser("table", owns=(FACTS,), tells=("news.table.>", "$JS.API.STREAM.INFO.FACTS"))
WALLET: Final = BusUser("wallet", consumes=(("FACTS", "wallet"),), hears=("news.>",))
CLOCK: Final = RealClock()


async def is_refused(server: NatsServer, user: str, subject: str, *, listen: bool = False) -> bool:
    """Whether the server refuses `user` publishing, or listening, to `subject`."""
    said: asyncio.Queue[str] = asyncio.Queue()

    async def reported(fault: Exception) -> None:
        await said.put(str(fault))

    client = await nats.connect(server.url, user=user, password=server.passwords[user], error_cb=reported)
    try:
        if listen:
            await client.subscribe(subject)
        else:
            await client.publish(subject, b"x")
        # NATS says nothing of what it takes, so something that it refuses for sure comes after it.
        await client.publish("never.allowed", b"x")
        return "never.allowed" not in await asyncio.wait_for(said.get(), PATIENCE_S)
    finally:
        await client.close()


async def test_each_user_may_do_what_it_declared_and_nothing_else(tmp_path: Path) -> None:
    async with running_nats_server(tmp_path, [TABLE, WALLET], CLOCK) as server:
        assert not await is_refused(server, "table", "facts.match_ended")
        assert not await is_refused(server, "table", "news.table.7")
        assert not await is_refused(server, "wallet", "news.>", listen=True)
        for user, subject, listen in [
            ("table", "news.lobby.7", False),
            ("table", "facts.>", True),
            ("table", ">", True),
            ("table", "_INBOX_wallet.>", True),
            ("table", "$JS.API.STREAM.DELETE.FACTS", False),
            ("wallet", "facts.match_ended", False),
            ("wallet", "$JS.API.STREAM.CREATE.FACTS", False),
            ("wallet", "$JS.API.CONSUMER.DURABLE.CREATE.FACTS.lobby", False),
        ]:
            assert await is_refused(server, user, subject, listen=listen), subject


async def test_a_wrong_password_gets_nowhere(tmp_path: Path, lines: Lines) -> None:
    async with running_nats_server(tmp_path, [TABLE], CLOCK) as server:
        async with open_bus(server.url, name="table", password="wrong", wait_s=0.3) as bus:
            assert not bus.is_connected
            with pytest.raises(BusAwayError):
                await bus.publish("facts.x", b"x", "m1")
        assert lines.events("bus.away")
        assert server.passwords["table"] not in lines.getvalue() + repr(server)


async def test_its_files_are_closed_to_others_and_it_syncs_every_write(tmp_path: Path) -> None:
    async with running_nats_server(tmp_path / "nats", [TABLE], CLOCK) as server:
        assert (tmp_path / "nats").stat().st_mode & 0o777 == 0o700
        config = tmp_path / "nats" / "nats.conf"
        assert config.stat().st_mode & 0o777 == 0o600
        first = server.passwords["table"]
    assert '"sync_interval": "always"' in config.read_text()
    async with running_nats_server(tmp_path / "nats", [TABLE], CLOCK) as server:
        assert server.passwords["table"] != first


async def test_it_comes_back_after_a_fault_on_the_same_port_with_what_it_kept(tmp_path: Path, lines: Lines) -> None:
    async with (
        running_nats_server(tmp_path, [TABLE], CLOCK) as server,
        open_bus(server.url, name="table", password=server.passwords["table"]) as bus,
    ):
        await bus.declare(FACTS)
        await bus.publish("facts.x", b"kept", "m1")
        watching = asyncio.create_task(server.keep_running(CLOCK))
        returned = asyncio.Event()
        bus.wake_on_return(returned)
        assert server.process is not None
        server.process.kill()
        await asyncio.wait_for(returned.wait(), PATIENCE_S)
        kept = await bus._js.stream_info("FACTS")
        assert kept.state.messages == 1
        watching.cancel()
    assert [line["code"] for line in lines.events("nats.died")] == [-signal.SIGKILL]


PROGRAM: Final = """
import asyncio, os, sys
from pathlib import Path
from shared.kit.clock import RealClock
from shared.kit.nats_server import running_nats_server

async def main():
    async with running_nats_server(Path(sys.argv[1]), [], RealClock()) as server:
        print(server.process.pid, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_it_dies_with_its_parent_even_by_kill_9(tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, str(tmp_path), stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    assert parent.stdout is not None
    child = int(await asyncio.wait_for(parent.stdout.readline(), PATIENCE_S))
    gone = os.pidfd_open(child)
    parent.kill()
    await parent.wait()
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(gone, ended.set)
    await asyncio.wait_for(ended.wait(), PATIENCE_S)
    asyncio.get_running_loop().remove_reader(gone)
    os.close(gone)


async def test_a_server_that_cannot_start_says_where_to_look(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("no folder")
    with pytest.raises(TimeoutError, match=r"nats\.log"):
        await running_nats_server(tmp_path, [TABLE], CLOCK).__aenter__()
