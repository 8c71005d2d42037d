"""Facts leave with the work that made them: a row in the same transaction, published afterwards until NATS has it.

A fact is never lost and may be published twice (a process that dies between NATS' word and the row's deletion); its
message id makes JetStream and the receiver's inbox take it once. No fact is ever dropped for age: one that waits
long is reported and counted, and :meth:`Outbox.has_room` lets a service stop taking on new work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import structlog
from sqlalchemy import Row, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.kit.bus import MAX_PAYLOAD_BYTES, Bus, BusAwayError
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.metrics import Metrics
from shared.kit.tables import OUTBOX

BATCH: Final = 100
IDLE_MS: Final = 1_000
RETRY_FIRST_MS: Final = 100
RETRY_MOST_MS: Final = 5_000
MOST_ROWS: Final = 100_000

_log = structlog.get_logger("kit.outbox")


class Outbox:
    """One service's facts on their way out. :meth:`run` is its background work."""

    def __init__(self, database: Database, bus: Bus, clock: Clock, metrics: Metrics) -> None:
        self._database = database
        self._bus = bus
        self._clock = clock
        self._metrics = metrics
        self._woken = asyncio.Event()
        self._bus_returned = asyncio.Event()
        self._waiting = 0
        bus.wake_on_return(self._bus_returned)

    async def add(self, connection: AsyncConnection, subject: str, message_id: str, payload: bytes) -> None:
        """Writes a fact within the caller's transaction; once per ``message_id``.

        Call :meth:`wake` after the commit. Raises ValueError for a fact that could never be published.
        """
        if len(payload) > MAX_PAYLOAD_BYTES or not 0 < len(message_id) <= 200 or not message_id.isascii():
            raise ValueError("a fact has a plain id of 1 to 200 characters and a payload of at most 64 KiB")
        if not self._bus.carries(subject):
            raise ValueError(f"no declared stream keeps the subject {subject}")
        insert = (sqlite if self._database.is_sqlite else postgresql).insert(OUTBOX)
        row = {
            "message_id": message_id,
            "subject": subject,
            "payload": payload,
            "created_ms": self._clock.now_ms(),
        }
        await connection.execute(insert.values(row).on_conflict_do_nothing())

    def wake(self) -> None:
        """Has the facts that were committed published at once rather than within a second."""
        self._woken.set()

    def has_room(self) -> bool:
        """Whether fewer than 100,000 facts wait. False: take on nothing that makes more of them."""
        return self._waiting < MOST_ROWS

    async def run(self) -> None:
        """Publishes for ever. While NATS is away it waits, and goes on as soon as it is back."""
        retry_ms = RETRY_FIRST_MS
        while True:
            self._woken.clear()
            self._bus_returned.clear()
            try:
                sent = await self.drain()
            except BusAwayError as fault:
                _log.warning("outbox.delayed", reason=str(fault), waiting=self._waiting, retry_ms=retry_ms)
                await self._wait(self._bus_returned, retry_ms)
                retry_ms = min(retry_ms * 2, RETRY_MOST_MS)
                continue
            retry_ms = RETRY_FIRST_MS
            if sent < BATCH:
                await self._wait(self._woken, IDLE_MS)

    async def drain(self) -> int:
        """Publishes up to 100 facts in the order in which they were written; the number that NATS took.

        Raises :class:`BusAwayError` if it did not take all; those it took are gone from the outbox all the same.
        """
        async with self._database.turn("outbox") as has_turn:
            if not has_turn:
                return 0
            rows = await self._oldest()
            taken, fault = await self._publish(rows)
            if taken:
                async with self._database.transaction() as connection:
                    await connection.execute(delete(OUTBOX).where(OUTBOX.c.id.in_(taken)))
            await self._count(len(rows), len(taken))
        if fault is not None:
            raise fault
        return len(taken)

    async def _oldest(self) -> Sequence[Row[Any]]:
        async with self._database.reading() as connection:
            return (await connection.execute(select(OUTBOX).order_by(OUTBOX.c.id).limit(BATCH))).all()

    async def _publish(self, rows: Sequence[Row[Any]]) -> tuple[list[int], BusAwayError | None]:
        sent = [self._bus.publish(row.subject, row.payload, row.message_id) for row in rows]
        outcomes = await asyncio.gather(*sent, return_exceptions=True)
        taken, fault = [], None
        for row, outcome in zip(rows, outcomes, strict=True):
            if outcome is None:
                taken.append(row.id)
            elif isinstance(outcome, BusAwayError):
                fault = outcome
            else:
                raise outcome
        return taken, fault

    async def _count(self, seen: int, taken: int) -> None:
        self._waiting = seen - taken
        if seen == BATCH:
            async with self._database.reading() as connection:
                self._waiting = await connection.scalar(select(func.count()).select_from(OUTBOX)) or 0
        self._metrics.outbox_rows.set(self._waiting)

    async def _wait(self, event: asyncio.Event, most_ms: int) -> None:
        timer = self._clock.call_at(self._clock.monotonic_ms() + most_ms, event.set)
        try:
            await event.wait()
        finally:
            timer.cancel()
