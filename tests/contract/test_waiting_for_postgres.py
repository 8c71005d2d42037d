"""A service that starts before its Postgres, or with one that will not have it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import make_url

from shared.kit.clock import RealClock
from shared.kit.database import DatabaseAddressError, open_database
from shared.kit.migrations import PATIENCE_MS, migrate
from shared.kit.ports import free_port
from tests.support.postgres import PostgresServer

MIGRATIONS: Final = Path(__file__).parents[2] / "services/wallet/migrations"
STARTING: Final = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"


class Steps(RealClock):
    """A clock on which something happens in place of each wait; after the last, time is over."""

    def __init__(self, *steps: Callable[[], Awaitable[object]]) -> None:
        self.left = list(steps)
        self.passed_ms = 0

    def monotonic_ms(self) -> int:
        return self.passed_ms

    async def sleep_ms(self, duration_ms: int) -> None:
        if self.left:
            await self.left.pop(0)()
        else:
            self.passed_ms += PATIENCE_MS


async def pretend_to_start(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Says what Postgres says while it starts."""
    asked = await reader.read(8)
    if asked.endswith(b"\x04\xd2\x16\x2f"):  # may we speak TLS?
        writer.write(b"N")
        await reader.read(1)
    writer.write(b"E" + (4 + len(STARTING)).to_bytes(4, "big") + STARTING)
    await writer.drain()
    writer.close()


@pytest.mark.needs_postgres
async def test_a_postgres_that_is_not_there_or_starts_is_waited_for(postgres: PostgresServer) -> None:
    url, port, servers = make_url(postgres.new_database()), free_port(), list[asyncio.Server]()

    async def starts() -> None:
        servers.append(await asyncio.start_server(pretend_to_start, "127.0.0.1", port))

    async def is_there() -> None:
        servers.pop().close()
        servers.append(await asyncio.start_server(passed_on, "127.0.0.1", port))

    async def passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", postgres.port)
        await asyncio.gather(passing(reader, back), passing(there, writer))

    async def passing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    clock = Steps(starts, is_there)
    async with open_database(str(url.set(port=port))) as database:
        await migrate(database, MIGRATIONS, clock)
        assert await database.answers()
    assert clock.left == []
    servers.pop().close()


async def test_one_that_does_not_come_is_given_up() -> None:
    async with open_database(f"postgresql://wallet@127.0.0.1:{free_port()}/wallet") as database:
        with pytest.raises(ConnectionRefusedError):
            await migrate(database, MIGRATIONS, Steps())


@pytest.mark.needs_postgres
async def test_one_that_will_not_have_us_is_not_waited_for(postgres: PostgresServer) -> None:
    url = make_url(postgres.new_database()).set(database="nowhere")
    async with open_database(str(url)) as database:
        with pytest.raises(DatabaseAddressError, match="nowhere"):
            await migrate(database, MIGRATIONS, Steps())
