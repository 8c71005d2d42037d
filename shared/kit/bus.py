"""NATS: facts by JetStream, which keeps them, and passing news by core NATS, which does not.

A :class:`Bus` connects and reconnects for ever; a service starts and plays on without it. While NATS is away,
:meth:`Bus.tell` drops (its news would be stale) and :meth:`Bus.publish` raises :class:`BusAwayError` (its caller, the
outbox, keeps the fact and tries again). Streams that were declared are made whenever a server is found without them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import BadRequestError, NoStreamResponseError

MAX_PAYLOAD_BYTES: Final = 64 * 1024
PENDING_BYTES: Final = 4 * 1024 * 1024
MOST_UNREAD: Final = 10_000
MOST_UNREAD_BYTES: Final = 16 * 1024 * 1024
FIRST_WAIT_S: Final = 5.0
CANCEL_AGAIN_S: Final = 0.5
ACK_TIMEOUT_S: Final = 2.0
RECONNECT_WAIT_S: Final = 0.25
MESSAGE_ID: Final = "Nats-Msg-Id"
_STREAM_EXISTS_OTHERWISE: Final = 10058

_log = structlog.get_logger("kit.bus")

Handler = Callable[[Msg], Awaitable[None]]


class BusAwayError(Exception):
    """NATS did not take it, or not for sure: it may be tried again under the same message id."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream and its limits. A message id is known as seen before for ``duplicate_window_s``."""

    name: str
    subjects: tuple[str, ...]
    max_age_s: int = 7 * 24 * 3600
    max_bytes: int = 256 * 1024 * 1024
    max_msgs: int = 1_000_000
    duplicate_window_s: int = 3600

    def config(self, replicas: int) -> StreamConfig:
        """What NATS is asked for."""
        return StreamConfig(
            name=self.name,
            subjects=list(self.subjects),
            retention=RetentionPolicy.LIMITS,
            storage=StorageType.FILE,
            max_age=self.max_age_s,
            max_bytes=self.max_bytes,
            max_msgs=self.max_msgs,
            max_msg_size=MAX_PAYLOAD_BYTES,
            duplicate_window=self.duplicate_window_s,
            num_replicas=replicas,
        )


DEAD_LETTERS: Final = Stream("DEAD", ("dead.>",), max_age_s=30 * 24 * 3600, max_msgs=100_000)


class Bus:
    """A connection to NATS. ``replicas`` is how many servers of a cluster keep each stream."""

    def __init__(self, client: Client, replicas: int) -> None:
        self._client = client
        self._js: JetStreamContext = client.jetstream(timeout=ACK_TIMEOUT_S)
        self._replicas = replicas
        self._streams: dict[str, Stream] = {}
        self._unsure_of_streams = True
        self._listeners: list[tuple[str, str, Handler]] = []
        self._attached = False
        self._woken: list[asyncio.Event] = []

    @property
    def is_connected(self) -> bool:
        """Whether NATS is there now."""
        return self._client.is_connected

    async def answers(self) -> bool:
        """Whether NATS is there now; for readiness."""
        return self.is_connected

    def wake_on_return(self, event: asyncio.Event) -> None:
        """Sets ``event`` each time that the connection is there again."""
        self._woken.append(event)

    async def tell(self, subject: str, payload: bytes) -> bool:
        """Publishes news that nobody keeps; false if NATS is away or its buffer is full."""
        if not self.is_connected:
            return False
        try:
            await self._client.publish(subject, payload)
        except NatsError:
            return False
        return True

    async def listen(self, subject: str, handler: Handler, *, queue: str = "") -> None:
        """Gives each message of ``subject`` to ``handler``; of those who share a ``queue``, to one."""
        self._listeners.append((subject, queue, handler))
        if self._attached:
            await self._attach(subject, queue, handler)

    async def declare(self, *streams: Stream) -> None:
        """Makes or updates ``streams``, now or as soon as NATS is there."""
        self._streams.update((stream.name, stream) for stream in streams)
        self._unsure_of_streams = True
        await self._ensure_streams()

    def carries(self, subject: str) -> bool:
        """Whether a declared stream keeps ``subject``."""
        return any(_matches(pattern, subject) for stream in self._streams.values() for pattern in stream.subjects)

    async def publish(
        self, subject: str, payload: bytes, message_id: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Has JetStream keep a fact, once per ``message_id``. Raises :class:`BusAwayError` without its word for it."""
        if not self.is_connected:
            raise BusAwayError("not connected")
        await self._ensure_streams()
        try:
            sent = {**(headers or {}), MESSAGE_ID: message_id}
            await self._js.publish(subject, payload, timeout=ACK_TIMEOUT_S, headers=sent)
        except NoStreamResponseError as fault:
            self._unsure_of_streams = True
            raise BusAwayError("no stream answered") from fault
        except (NatsError, OSError, TimeoutError) as fault:
            raise BusAwayError(type(fault).__name__) from fault

    async def pull(self, stream: str, consumer: ConsumerConfig) -> JetStreamContext.PullSubscription:
        """A durable pull consumer of ``stream``, made if it is not there. Raises :class:`BusAwayError`."""
        if not self.is_connected:
            raise BusAwayError("not connected")
        try:
            await self._js.add_consumer(stream, consumer)
            return await self._js.pull_subscribe_bind(consumer.durable_name, stream)
        except (NatsError, OSError, TimeoutError) as fault:
            raise BusAwayError(type(fault).__name__) from fault

    async def _came(self) -> None:
        self._unsure_of_streams = True
        await self._ensure_streams()
        for event in self._woken:
            event.set()

    async def _ensure_streams(self) -> None:
        if not self._unsure_of_streams or not self.is_connected:
            return
        self._unsure_of_streams = False
        for stream in self._streams.values():
            try:
                await self._ensure(stream.config(self._replicas))
            except (NatsError, OSError, TimeoutError) as fault:
                self._unsure_of_streams = True
                _log.warning("stream.refused", stream=stream.name, exc_info=fault)

    async def _ensure(self, config: StreamConfig) -> None:
        try:
            await self._js.add_stream(config)
        except BadRequestError as refusal:
            if refusal.err_code != _STREAM_EXISTS_OTHERWISE:
                raise
            await self._js.update_stream(config)

    async def _attach(self, subject: str, queue: str, handler: Handler) -> None:
        await self._client.subscribe(
            subject, queue, handler, pending_msgs_limit=MOST_UNREAD, pending_bytes_limit=MOST_UNREAD_BYTES
        )

    async def _connect(self, url: str, name: str, password: str) -> None:
        async def lost() -> None:
            if not self._client.is_closed:  # by ourselves
                _log.warning("bus.lost")

        async def returned() -> None:
            _log.info("bus.returned")
            await self._came()

        async def reported(fault: Exception) -> None:
            # A connection refused, four times a second while NATS is away, has been told of once already.
            if not isinstance(fault, OSError):
                _log.error("bus.reported", reason=str(fault) if isinstance(fault, NatsError) else "", exc_info=fault)

        await self._client.connect(
            url,
            name=name,
            user=name if password else None,
            password=password or None,
            inbox_prefix=inbox_prefix(name),
            max_reconnect_attempts=-1,
            reconnect_time_wait=RECONNECT_WAIT_S,  # type: ignore[arg-type]  # seconds to sleep: a fraction does
            pending_size=PENDING_BYTES,
            disconnected_cb=lost,
            reconnected_cb=returned,
            error_cb=reported,
        )
        for subject, queue, handler in self._listeners:
            await self._attach(subject, queue, handler)
        self._attached = True
        _log.info("bus.connected")
        await self._came()


@asynccontextmanager
async def open_bus(
    url: str, *, name: str, password: str = "", replicas: int = 1, wait_s: float = FIRST_WAIT_S
) -> AsyncIterator[Bus]:
    """Connects to ``url`` (no password in it) as the user ``name``; if NATS is not there in ``wait_s``, later."""
    client = Client()
    bus = Bus(client, replicas)
    connecting = asyncio.create_task(bus._connect(url, name, password))
    done, _ = await asyncio.wait([connecting], timeout=wait_s)
    if done:
        await connecting
    else:
        _log.warning("bus.away", waited_s=wait_s)
    try:
        yield bus
    finally:
        # The client may swallow a cancellation that comes as one of its attempts ends (`wait_for`, before Python 3.12).
        while not connecting.done():
            connecting.cancel()
            await asyncio.wait([connecting], timeout=CANCEL_AGAIN_S)
        await client.close()


def inbox_prefix(user: str) -> str:
    """Where answers to ``user`` go; no other user may listen there."""
    return f"_INBOX_{user}"


def dead_letter_subject(stream: str, consumer: str) -> str:
    """Where ``consumer`` puts the messages of ``stream`` that it cannot take in."""
    return f"dead.{stream}.{consumer}"


def _matches(pattern: str, subject: str) -> bool:
    parts, names = pattern.split("."), subject.split(".")
    for place, part in enumerate(parts):
        if part == ">":
            return len(names) > place
        if place >= len(names) or part not in {"*", names[place]}:
            return False
    return len(parts) == len(names)
