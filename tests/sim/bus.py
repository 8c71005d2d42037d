"""NATS in memory: a stream that keeps each fact once, consumers that get each until they acknowledge it."""

import asyncio
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Final

from nats.js.api import ConsumerConfig

from shared.codec.facts import FACTS_STREAM
from shared.kit.bus import ACK_TIMEOUT_S, DEAD_LETTERS, MESSAGE_ID, BusAwayError, Stream, _matches
from shared.kit.inbox import ACK_WAIT_S
from tests.sim.loop import Process
from tests.sim.network import Network

AWAY_MS: Final = 4_000


class Nats:
    """The server, which never forgets what it said that it has. It may be away for a while."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.is_away = False
        self.facts: list[Kept] = []
        """All that were published, each once."""
        self.buried: list[bytes] = []
        self.hears: Callable[[bytes], None] = lambda _payload: None
        """Told of each fact as it is published."""
        self._known: set[str] = set()
        self._consumers: dict[str, Consumer] = {}
        self._clients: list[BusClient] = []

    def client(self, process: Process) -> "BusClient":
        """A connection of a process."""
        client = BusClient(self, process)
        self._clients.append(client)
        process.on_death[client] = lambda: self._clients.remove(client)
        return client

    def go_away(self) -> None:
        """Be away for a while."""
        if not self.is_away:
            self.is_away = True
            self.network.world.counts["bus away"] += 1
            self.network.world.note("nats goes")
            self.network.world.later(AWAY_MS, self._return)

    def keep(self, subject: str, payload: bytes, message_id: str) -> None:
        """Take a message in, once by its id."""
        if message_id in self._known:
            return
        self._known.add(message_id)
        if subject.startswith("dead."):
            self.buried.append(payload)
            return
        self.facts.append(Kept(len(self.facts) + 1, subject, payload, message_id))
        for consumer in self._consumers.values():
            consumer.wake()
        self.hears(payload)

    def consumer(self, name: str) -> "Consumer":
        """The durable consumer of this name."""
        if name not in self._consumers:
            self._consumers[name] = Consumer(self, name)
        return self._consumers[name]

    @property
    def is_idle(self) -> bool:
        """Whether all consumers have acknowledged all facts."""
        return all(consumer.is_idle for consumer in self._consumers.values())

    def _return(self) -> None:
        self.is_away = False
        self.network.world.note("nats returns")
        for client in self._clients:
            client.returned()


class Kept:
    """A message of the stream."""

    def __init__(self, number: int, subject: str, payload: bytes, message_id: str) -> None:
        self.number = number
        self.subject = subject
        self.payload = payload
        self.message_id = message_id
        self.deliveries = 0


class Consumer:
    """Gives each message until it is acknowledged."""

    def __init__(self, nats: Nats, name: str) -> None:
        self.name = name
        self._nats = nats
        self._at = 0
        self._unacknowledged: dict[int, int] = {}
        """By number: when it is due again."""
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def is_idle(self) -> bool:
        """Whether all has been acknowledged."""
        return self._at == len(self._nats.facts) and not self._unacknowledged

    def wake(self) -> None:
        """There may be something for those who wait."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)

    def next(self) -> Kept | None:
        """The next to give, which then is due again in half a minute."""
        now_ms = self._nats.network.world.clock.monotonic_ms()
        again = next((number for number, due in self._unacknowledged.items() if due <= now_ms), None)
        if again is None:
            if self._at == len(self._nats.facts):
                return None
            again = self._at = self._at + 1
        self.put_off(again, ACK_WAIT_S * 1000)
        kept = self._nats.facts[again - 1]
        kept.deliveries += 1
        if kept.deliveries > 1:
            self._nats.network.world.counts["facts delivered again"] += 1
        return kept

    def put_off(self, number: int, wait_ms: int) -> None:
        """Give it again after a while."""
        self._unacknowledged[number] = self._nats.network.world.clock.monotonic_ms() + wait_ms
        self._nats.network.world.later(wait_ms, self.wake)

    def rewind(self) -> None:
        """Give everything again."""
        self._at, self._unacknowledged = 0, {}
        self.wake()

    def acknowledged(self, number: int) -> None:
        """Give it no more."""
        self._unacknowledged.pop(number, None)

    async def wait(self, process: Process, wait_ms: int) -> None:
        """Until there may be something, or for so long."""
        woken = process.create_future()
        self._waiting.append(woken)
        timer = process.clock.call_at(process.clock.monotonic_ms() + wait_ms, lambda: _wake(woken))
        try:
            await woken
        finally:
            timer.cancel()


def _wake(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)


class BusClient:
    """A process's connection, with the part of `Bus` that outbox and inbox use."""

    def __init__(self, nats: Nats, process: Process) -> None:
        self._nats = nats
        self._process = process
        self._woken: list[asyncio.Event] = []

    @property
    def is_connected(self) -> bool:
        """See `Bus`."""
        return not self._nats.is_away

    def returned(self) -> None:
        """NATS is there again."""
        for event in self._woken:
            event.set()

    def wake_on_return(self, event: asyncio.Event) -> None:
        """See `Bus`."""
        self._woken.append(event)

    async def declare(self, *streams: Stream) -> None:
        """See `Bus`."""

    def carries(self, subject: str) -> bool:
        """See `Bus`."""
        return any(_matches(pattern, subject) for one in (FACTS_STREAM, DEAD_LETTERS) for pattern in one.subjects)

    async def publish(
        self, subject: str, payload: bytes, message_id: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """See `Bus`."""
        if self._nats.is_away:
            raise BusAwayError("not connected")
        network, done = self._nats.network, self._process.create_future()

        def arrive() -> None:
            if not self._nats.is_away:
                self._nats.keep(subject, payload, message_id)
                network.send(f"nats>{self._process.name} kept", b"", lambda: _wake(done))

        network.send(f"{self._process.name}>nats {subject}", payload, arrive)

        def give_up() -> None:
            if not done.done():
                done.set_exception(BusAwayError("no answer"))

        clock = self._process.clock
        timer = clock.call_at(clock.monotonic_ms() + round(ACK_TIMEOUT_S * 1000), give_up)
        try:
            await done
        finally:
            timer.cancel()

    async def pull(self, stream: str, consumer: ConsumerConfig) -> "Subscription":
        """See `Bus`."""
        if self._nats.is_away:
            raise BusAwayError("not connected")
        assert consumer.durable_name is not None
        return Subscription(self._nats, self._nats.consumer(consumer.durable_name), self._process)


class Subscription:
    """What `pull` gives, as far as the inbox uses it."""

    def __init__(self, nats: Nats, consumer: Consumer, process: Process) -> None:
        self._nats = nats
        self._consumer = consumer
        self._process = process

    async def fetch(self, batch: int, timeout_s: float) -> list[Any]:
        """One message. Raises `TimeoutError`."""
        assert batch == 1
        clock = self._process.clock
        until_ms = clock.monotonic_ms() + round(timeout_s * 1000)
        while True:
            kept = None if self._nats.is_away else self._consumer.next()
            if kept is not None and not self._is_lost():
                return [_Delivered(self, kept)]
            if clock.monotonic_ms() >= until_ms:
                raise TimeoutError
            await self._consumer.wait(self._process, until_ms - clock.monotonic_ms())

    async def unsubscribe(self) -> None:
        """Nothing is kept of it."""

    def tell(self, what: str, then: Any) -> None:
        """Send word of a message, which may get lost."""
        network = self._nats.network

        def arrive() -> None:
            if not self._nats.is_away:
                then()

        if not self._process.dead:
            network.send(f"{self._process.name}>nats {what}", b"", arrive)

    def _is_lost(self) -> bool:
        rng = self._nats.network._rng
        lost = rng.random() < self._nats.network.world.chances.drop
        self._nats.network.world.counts["drops"] += lost
        return lost


class _Delivered:
    """A message as the inbox has it."""

    def __init__(self, subscription: Subscription, kept: Kept) -> None:
        self.subject = kept.subject
        self.data = kept.payload
        self.headers = {MESSAGE_ID: kept.message_id}
        self.metadata = SimpleNamespace(sequence=SimpleNamespace(stream=kept.number))
        self._number = kept.number
        self._subscription = subscription

    async def ack(self) -> None:
        consumer = self._subscription._consumer
        self._subscription.tell("ack", lambda: consumer.acknowledged(self._number))

    async def nak(self, delay: float) -> None:
        consumer = self._subscription._consumer
        self._subscription.tell("nak", lambda: consumer.put_off(self._number, round(delay * 1000)))

    async def term(self) -> None:
        await self.ack()
