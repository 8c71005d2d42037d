"""One who hears all that is said on a platform's bus: facts, news, and the services' talk with JetStream."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from banakil.events.v1.facts_pb2 import Fact
from nats.aio.client import Client
from nats.aio.msg import Msg

from shared.codec.facts import read_fact
from tests.support.kit import PATIENCE_S
from tests.support.up import EAR, Up

FACTS = "banakil.facts."


class Heard(NamedTuple):
    """One message."""

    subject: str
    payload: bytes
    headers: str

    @property
    def everything(self) -> bytes:
        return b"\n".join((self.subject.encode(), self.headers.encode(), self.payload))


class Ear:
    """What has been heard so far."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self._more = asyncio.Condition()

    async def hear(self, message: Msg) -> None:
        async with self._more:
            self.heard.append(Heard(message.subject, message.data, str(message.headers or "")))
            self._more.notify_all()

    def facts(self) -> list[Fact]:
        return [read_fact(heard.payload) for heard in self.heard if heard.subject.startswith(FACTS)]

    async def match_ended(self, match_id: str) -> Fact:
        """The fact that this match has ended, once it is told."""
        return await self._fact(lambda fact: fact.match_ended.match_id == match_id)

    async def table_closed(self, table_id: str) -> Fact:
        """The fact that this table is closed, once it is told."""
        return await self._fact(lambda fact: fact.HasField("table_closed") and fact.table_id == table_id)

    async def _fact(self, wanted: Callable[[Fact], bool]) -> Fact:
        async with asyncio.timeout(PATIENCE_S), self._more:
            while True:
                for fact in self.facts():
                    if wanted(fact):
                        return fact
                await self._more.wait()


@asynccontextmanager
async def open_ear(up: Up) -> AsyncIterator[Ear]:
    """Hears everything from here on."""
    ear, client, password = Ear(), Client(), secrets.token_hex(16)
    url = await up.open_bus_to_ear(password)
    await client.connect(url, user=EAR, password=password)
    await client.subscribe(">", cb=ear.hear)
    await client.flush()
    try:
        yield ear
    finally:
        await client.close()
