"""The lease of a process that shares a Postgres with others of its kind (a pod): a row that says until when it is
believed to live, and a session whose lock shows that it died.

The lease is renewed every second and runs for five, by the database's clock. The lock goes with the session: it is free
as soon as Postgres notices that the process, or its network, is gone. Either is enough for others to take what it has:
tables, or seats. The rows are in the service's own table ``pods``.
"""

import asyncio
import secrets
from typing import Any, Final

import structlog

from shared.kit.database import Database
from shared.kit.database_clock import DatabaseClock

LEASE_MS: Final = 5_000
RENEW_MS: Final = 1_000
ANSWER_S: Final = 3.0
"""A database that takes longer to renew a lease is as good as away."""
NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
LOCK_KEY: Final = "hashtextextended(pod_id, 0)"
IS_DEAD: Final = f"(expires_ms <= {NOW} OR pg_try_advisory_xact_lock_shared({LOCK_KEY}))"
"""Of a row of ``pods``. The shared lock goes with the transaction, and is in nobody's way who finds out the same."""

_log = structlog.get_logger("kit.lease")


class LeaseLostError(Exception):
    """Others may have taken this pod for dead, or it cannot know: whatever the driver has to say, there is no lease."""


class PodLease:
    """The lease of this process; each time that it is taken it is another pod.

    ``address``: where others reach it. ``held``: the column that says how much it has.
    """

    def __init__(self, database: Database, clock: DatabaseClock, address: str, held: str = "live_tables") -> None:
        self._database = database
        self._clock = clock
        self.address = address
        self._held = held
        self._session: Any = None
        self._asking = asyncio.Lock()
        self._until_ms = 0
        self.pod_id = ""
        """Empty while there is none."""

    @property
    def holds(self) -> bool:
        """Whether nobody can have taken this pod for dead yet, but for its session's loss."""
        return bool(self.pod_id) and self._clock.monotonic_ms() < self._until_ms

    async def take(self) -> None:
        """Become a pod. Raises ``LeaseLostError`` where the database cannot be asked."""
        pod_id = secrets.token_hex(8)
        try:
            async with asyncio.timeout(2 * ANSWER_S):
                self._session = await self._database.connect_driver()
                await self._session.execute(f"SELECT pg_advisory_lock({LOCK_KEY}) FROM (SELECT '{pod_id}' AS pod_id) p")
                await self._write(
                    f"INSERT INTO pods (pod_id, address, renewed_ms, expires_ms, draining, {self._held})"
                    f" SELECT $1, $2, now, now + {LEASE_MS}, FALSE, 0 FROM (SELECT {NOW} AS now) n"
                    " RETURNING renewed_ms",
                    pod_id,
                    self.address,
                )
        except Exception as fault:
            await self.drop()
            raise LeaseLostError(type(fault).__name__) from fault
        self.pod_id = pod_id
        _log.info("lease.taken", pod=pod_id)

    async def renew(self, held: int, *, draining: bool = False) -> None:
        """Say that this process is alive, and how much it has. Raises ``LeaseLostError``; it has no lease then."""
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._write(
                    f"UPDATE pods SET renewed_ms = now, expires_ms = now + {LEASE_MS}, {self._held} = $2, draining = $3"
                    f" FROM (SELECT {NOW} AS now) n WHERE pod_id = $1 AND expires_ms > now RETURNING renewed_ms",
                    self.pod_id,
                    held,
                    draining,
                )
        except Exception as fault:
            await self.drop()
            raise LeaseLostError(type(fault).__name__) from fault

    async def resign(self) -> None:
        """Have the lease run out now: whoever claims its tables credits no more time than from here on."""
        if self._session is None:
            return
        try:
            async with asyncio.timeout(ANSWER_S), self._asking:
                await self._session.execute(
                    f"UPDATE pods SET renewed_ms = now, expires_ms = now, {self._held} = 0"
                    f" FROM (SELECT {NOW} AS now) n WHERE pod_id = '{self.pod_id}' AND expires_ms > now"
                )
        except Exception as fault:
            _log.warning("lease.not_resigned", reason=type(fault).__name__)
        await self.drop()

    async def drop(self) -> None:
        """End the session, and the lock with it."""
        session, self._session, self.pod_id = self._session, None, ""
        if session is not None:
            try:
                await session.close(timeout=0.5)
            except Exception:
                session.terminate()

    async def _write(self, query: str, *values: object) -> None:
        async with self._asking:
            if self._session is None:
                raise LeaseLostError("there is none")
            asked_ms = self._clock.monotonic_ms()
            now_ms = await self._session.fetchval(query, *values)
        if now_ms is None:
            raise LeaseLostError("it has run out")
        self._clock.measured(asked_ms, now_ms, self._clock.monotonic_ms())
        self._until_ms = asked_ms + LEASE_MS
