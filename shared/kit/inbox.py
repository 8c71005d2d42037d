"""Facts are taken in once: the fact's id is stored in the transaction that does its work, and only then acknowledged.

A fact that comes again finds its id and is acknowledged without effect. A handler that fails is tried again after
growing waits; after five attempts the fact goes to the dead-letter stream, with an error line to alert on, and the
ones behind it go on. What is merely away (the database, a service that the handler calls, or whatever it says so of
by raising :class:`AwayError`) uses up no attempts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import grpc
import structlog
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig
from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.kit.bus import DEAD_LETTERS, MESSAGE_ID, Bus, BusAwayError, Stream, dead_letter_subject
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.limits import BoundedDict
from shared.kit.metrics import Metrics
from shared.kit.status import AwayError
from shared.kit.tables import INBOX

MOST_UNACKNOWLEDGED: Final = 1_000
FETCH_TIMEOUT_S: Final = 2.0
ACK_WAIT_S: Final = 30
MOST_ATTEMPTS: Final = 5
RETRY_FIRST_MS: Final = 200
RETRY_MOST_MS: Final = 10_000
AWAY_RETRY_MS: Final = 2_000
PRUNE_EVERY_MS: Final = 10 * 60_000
PRUNE_BATCH: Final = 1_000
REMEMBERED_FAILURES: Final = 10_000
KEEP_MARGIN_MS: Final = 24 * 3_600_000

_log = structlog.get_logger("kit.inbox")


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it arrived. ``message_id`` is the sender's."""

    subject: str
    message_id: str
    payload: bytes


AfterCommit = Callable[[], None]
Handler = Callable[[AsyncConnection, Fact], Awaitable[AfterCommit | None]]


class InboxConsumer:
    """A durable consumer of ``stream`` called ``name``; :meth:`run` is its background work.

    ``handler`` works in the transaction that it is given, and may return what is to be done once that has committed.
    """

    def __init__(
        self,
        database: Database,
        bus: Bus,
        clock: Clock,
        metrics: Metrics,
        *,
        stream: Stream,
        name: str,
        handler: Handler,
    ) -> None:
        self.name = name
        self._database = database
        self._bus = bus
        self._clock = clock
        self._metrics = metrics
        self._stream = stream
        self._handler = handler
        self._failures: BoundedDict[str, int] = BoundedDict(REMEMBERED_FAILURES)
        self._bus_returned = asyncio.Event()
        # An id may be forgotten only when its fact can come no more.
        self._keep_ms = stream.max_age_s * 1000 + KEEP_MARGIN_MS
        bus.wake_on_return(self._bus_returned)

    async def run(self) -> None:
        """Takes in facts for ever. While NATS is away it waits, and goes on as soon as it is back."""
        await self._bus.declare(DEAD_LETTERS)
        retry_ms = RETRY_FIRST_MS
        while True:
            self._bus_returned.clear()
            try:
                subscription = await self._subscribe()
                retry_ms = RETRY_FIRST_MS
                await self._consume(subscription)
            except (BusAwayError, NatsError) as fault:
                _log.warning("inbox.delayed", consumer=self.name, reason=type(fault).__name__, retry_ms=retry_ms)
            await self._wait(retry_ms)
            retry_ms = min(retry_ms * 2, RETRY_MOST_MS)

    async def prune(self) -> None:
        """Forgets, now and every ten minutes, ids whose facts the stream no longer holds; a background task."""
        while True:
            before_ms = self._clock.now_ms() - self._keep_ms
            while await self.prune_some(before_ms) == PRUNE_BATCH:
                pass
            await self._clock.sleep_ms(PRUNE_EVERY_MS)

    async def prune_some(self, before_ms: int) -> int:
        """Forgets up to 1,000 ids received before ``before_ms`` (Unix time); how many."""
        mine = (INBOX.c.consumer == self.name) & (INBOX.c.received_ms < before_ms)
        some = select(INBOX.c.message_id).where(mine).limit(PRUNE_BATCH).scalar_subquery()
        async with self._database.transaction() as connection:
            gone = await connection.execute(
                delete(INBOX).where((INBOX.c.consumer == self.name) & INBOX.c.message_id.in_(some))
            )
        return gone.rowcount

    async def take(self, fact: Fact) -> bool:
        """Does a fact's work, unless it has been done; whether it was done now. Raises what the handler raises."""
        insert = (sqlite if self._database.is_sqlite else postgresql).insert(INBOX)
        row = {"consumer": self.name, "message_id": fact.message_id, "received_ms": self._clock.now_ms()}
        async with self._database.transaction() as connection:
            stored = await connection.execute(insert.values(row).on_conflict_do_nothing())
            if stored.rowcount == 0:
                return False
            after = await self._handler(connection, fact)
        if after is not None:
            after()
        return True

    async def _subscribe(self) -> JetStreamContext.PullSubscription:
        config = ConsumerConfig(
            durable_name=self.name,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=ACK_WAIT_S,
            max_deliver=-1,  # this side decides when to give up: only it knows why it failed
            max_ack_pending=MOST_UNACKNOWLEDGED,
        )
        return await self._bus.pull(self._stream.name, config)

    async def _consume(self, subscription: JetStreamContext.PullSubscription) -> None:
        try:
            while not self._bus_returned.is_set():
                try:
                    # One at a time: a fetch of many holds those that have come until the rest does, or the time is up.
                    (message,) = await subscription.fetch(1, FETCH_TIMEOUT_S)
                except TimeoutError:
                    continue
                await self._receive(message)
        finally:
            with suppress(NatsError):
                await subscription.unsubscribe()

    async def _receive(self, message: Msg) -> None:
        headers = message.headers or {}
        fact = Fact(message.subject, headers.get(MESSAGE_ID) or f"seq-{message.metadata.sequence.stream}", message.data)
        try:
            outcome = "done" if await self.take(fact) else "repeated"
        except Exception as fault:
            if _is_away(fault):
                _log.warning("fact.delayed", consumer=self.name, message_id=fact.message_id, exc_info=fault)
                await message.nak(delay=AWAY_RETRY_MS / 1000)
            else:
                await self._failed(message, fact, fault)
            return
        self._failures.pop(fact.message_id, None)
        self._metrics.facts.labels(self.name, outcome).inc()
        await message.ack()

    async def _failed(self, message: Msg, fact: Fact, fault: Exception) -> None:
        failures = self._failures.get(fact.message_id, 0) + 1
        self._failures[fact.message_id] = failures
        told = {"consumer": self.name, "message_id": fact.message_id, "subject": fact.subject, "attempt": failures}
        if failures < MOST_ATTEMPTS:
            _log.warning("fact.failed", **told, exc_info=fault)
            self._metrics.facts.labels(self.name, "failed").inc()
            await message.nak(delay=min(RETRY_FIRST_MS * 2**failures, RETRY_MOST_MS) / 1000)
            return
        await self._bus.publish(
            dead_letter_subject(self._stream.name, self.name),
            fact.payload,
            f"{self.name}/{fact.message_id}",
            {"Banakil-Subject": fact.subject, "Banakil-Message-Id": fact.message_id},
        )
        _log.error("fact.buried", **told, exc_info=fault)
        self._metrics.facts.labels(self.name, "buried").inc()
        self._failures.pop(fact.message_id, None)
        await message.term()

    async def _wait(self, most_ms: int) -> None:
        timer = self._clock.call_at(self._clock.monotonic_ms() + most_ms, self._bus_returned.set)
        try:
            await self._bus_returned.wait()
        finally:
            timer.cancel()


def _is_away(fault: Exception) -> bool:
    """Whether something could not be asked at all, rather than refused what it was asked."""
    if isinstance(fault, DBAPIError):
        return fault.connection_invalidated
    if isinstance(fault, grpc.aio.AioRpcError):
        return fault.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}
    return isinstance(fault, AwayError | PoolTimeoutError | OSError)
