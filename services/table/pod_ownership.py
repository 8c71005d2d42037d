"""Several processes (pods) that share a Postgres and own its tables between them.

Who owns a table is in its row, with an epoch that every claim raises; appends and calls to the shuffle service bear the
epoch, so that an owner who does not know yet that it is none changes nothing. A pod that dies, or cannot renew its
lease, loses its tables to whoever claims them first.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import structlog
from asyncpg.exceptions import InternalClientError
from sqlalchemy.exc import SQLAlchemyError

from services.table.journal import JournalError
from services.table.ownership import Claim, Host
from services.table.pod_rows import PodRows
from services.table.pods import Pod, addresses, dead, fewest, others, still_placed
from services.table.refusals import DrainingError, ElsewhereError, UnknownTableError
from shared.kit.clock import Clock
from shared.kit.limits import BoundedDict
from shared.kit.pod_lease import RENEW_MS, LeaseLostError, PodLease
from shared.rules.version import KNOWN_VERSIONS

LOOK_MS: Final = 500
MOST_CLAIMS: Final = 200
"""At once; others may want some too."""
MOST_KNOWN: Final = 20_000
"""Tables of others of which it is remembered where they are."""
TIDY_EVERY: Final = 60
"""Rounds."""
WAKE_S: Final = 0.3

# The last is asyncpg's, for what is asked at the moment in which a connection dies.
_AWAY: Final = (SQLAlchemyError, OSError, TimeoutError, InternalClientError)
_log = structlog.get_logger("table.ownership")


class PodOwnership:
    """See ``Ownership``. ``wake_peer`` has the pod at an address look for tables at once."""

    def __init__(
        self, rows: PodRows, lease: PodLease, clock: Clock, wake_peer: Callable[[str], Awaitable[None]]
    ) -> None:
        self._rows = rows
        self._lease = lease
        self._clock = clock
        self._wake_peer = wake_peer
        self._host: Host | None = None
        self._pods: list[Pod] = []
        self._placed: dict[str, int] = {}
        self._strays: set[str] = set()
        self._owners: BoundedDict[str, str] = BoundedDict(MOST_KNOWN)
        self._woken = asyncio.Event()
        self._draining = False

    @property
    def name(self) -> str | None:
        """See ``Ownership``."""
        return self._lease.pod_id

    @property
    def address(self) -> str:
        """See ``Ownership``."""
        return self._lease.address

    async def begin(self, host: Host) -> None:
        """See ``Ownership``. Without a lease nothing is owned, and ``run`` tries again."""
        self._host = host
        try:
            await self._lease.take()
        except LeaseLostError as lost:
            _log.warning("lease.not_taken", reason=str(lost))

    async def run(self) -> None:
        """See ``Ownership``."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_lease())
            group.create_task(self._look_for_tables())

    async def owner_of(self, table_id: str) -> str:
        """See ``Ownership``."""
        known = self._owners.get(table_id)
        if known is not None:
            return known
        owned = await self._rows.owned(table_id, self._lease.pod_id)
        if owned is None or not owned.live or owned.is_free or owned.owner == self._lease.pod_id:
            return ""
        self._owners[table_id] = owned.address
        return owned.address

    async def claim(self, table_id: str) -> Claim:
        """See ``Ownership``."""
        try:
            return await self._claim(table_id)
        except _AWAY as fault:
            raise JournalError(type(fault).__name__) from fault

    async def _claim(self, table_id: str) -> Claim:
        known, mine = self._owners.get(table_id), self._lease.pod_id
        if known is not None:
            raise ElsewhereError(known)
        owned = await self._rows.owned(table_id, mine)
        if owned is None:
            raise UnknownTableError
        if not owned.live:
            return Claim(table_id, owned.epoch, 0)  # nothing more is written about it, whoever shows it
        if not owned.is_free and owned.owner != mine:
            self._owners[table_id] = owned.address
            raise ElsewhereError(owned.address)
        if not self._lease.holds or self._draining or owned.rules_version not in KNOWN_VERSIONS:
            raise DrainingError
        claimed = await self._rows.claim(table_id, owned.epoch, mine)
        if claimed is None:
            raise DrainingError  # another was quicker
        _log.info("table.claimed", table=table_id, epoch=claimed.epoch, pod=mine)
        return claimed

    def forget(self, table_id: str) -> None:
        """See ``Ownership``."""
        self._owners.pop(table_id, None)

    def wake(self) -> None:
        """See ``Ownership``."""
        self._woken.set()

    def place(self) -> str:
        """See ``Ownership``."""
        mine = self._lease.pod_id
        pods = [pod._replace(live_tables=self._tables()) if pod.pod_id == mine else pod for pod in self._pods]
        if self._draining:
            pods = [pod for pod in others(pods, mine) if pod.address != self._lease.address]
        pod = fewest(pods, mine, self._placed)
        if pod is None or pod.pod_id == mine:
            return ""
        self._placed[pod.pod_id] = self._placed.get(pod.pod_id, 0) + 1
        return pod.address

    async def pods(self) -> list[Pod]:
        """See ``Ownership``. Raises ``JournalError``."""
        try:
            return await self._rows.pods(self._lease.pod_id)
        except _AWAY as fault:
            raise JournalError(type(fault).__name__) from fault

    async def hand_over(self, stop: Callable[[], Awaitable[None]]) -> None:
        """See ``Ownership``. The tables are free as soon as the lease is resigned; others need not wait for more."""
        self._draining = True
        mine, began_ms = self._lease.pod_id, self._clock.monotonic_ms()
        try:
            await self._lease.renew(self._tables(), draining=True)
        except LeaseLostError:
            mine = ""
        await stop()
        await self._lease.resign()
        await asyncio.gather(*(self._wake_other(pod.address) for pod in others(self._pods, mine)))
        _log.info("tables.handed_over", pod=mine, ms=self._clock.monotonic_ms() - began_ms)

    async def _keep_lease(self) -> None:
        while not (self._draining and not self._lease.pod_id):
            try:
                if self._lease.pod_id:
                    await self._lease.renew(self._tables(), draining=self._draining)
                else:
                    await self._lease.take()
                    self.wake()
            except LeaseLostError as lost:
                _log.warning("lease.lost", reason=str(lost))
                self._owners.clear()
                if self._host is not None:
                    self._host.let_go()
            await self._clock.sleep_ms(RENEW_MS)

    async def _look_for_tables(self) -> None:
        for round_no in itertools.count():
            self._woken.clear()
            full = False
            try:
                if self._lease.holds and not self._draining:
                    full = await self._look(round_no)
                elif self._draining:
                    self._pods = await self._rows.pods(self._lease.pod_id)  # where tables may be made instead
            except _AWAY as fault:
                _log.warning("tables.not_looked_for", reason=type(fault).__name__)
            except JournalError as fault:
                _log.warning("tables.not_taken_over", reason=type(fault).__name__)
            if not full:
                await self._wait()

    async def _look(self, round_no: int) -> bool:
        """One round; whether there may be more to claim at once."""
        mine, host = self._lease.pod_id, self._host
        pods = await self._rows.pods(mine)
        self._placed = still_placed(self._placed, self._pods, pods)
        if gone := addresses(self._pods) - addresses(pods):
            for table_id in [table_id for table_id, owner in self._owners.items() if owner in gone]:
                del self._owners[table_id]
        self._pods = pods
        if host is not None and round_no % TIDY_EVERY == TIDY_EVERY - 1:
            await self._rows.purge()
            await self._take_strays(host)
        if host is None or (most := min(MOST_CLAIMS, host.room())) <= 0:
            return False
        claims = await self._rows.claim_some(most, dead(pods), KNOWN_VERSIONS, mine)
        if claims:
            _log.info("tables.claimed", count=len(claims), pod=mine)
            for claim in claims:
                self._owners.pop(claim.table_id, None)
            await host.take_over(claims)
        return len(claims) == most

    async def _take_strays(self, host: Host) -> None:
        """Tables that are owned here and do not run, since the answer to their claim was lost, or the lease was in
        doubt when they were to be loaded anew. One that was not there the last time is only on its way."""
        strays = {table_id for table_id in await self._rows.mine(self._lease.pod_id) if not host.runs(table_id)}
        late, self._strays = sorted(strays & self._strays), strays
        for table_id in late:
            with suppress(ElsewhereError, DrainingError, UnknownTableError):
                await host.take_over([await self.claim(table_id)])

    async def _wait(self) -> None:
        timer = self._clock.call_at(self._clock.monotonic_ms() + LOOK_MS, self._woken.set)
        try:
            await self._woken.wait()
        finally:
            timer.cancel()

    async def _wake_other(self, address: str) -> None:
        try:
            async with asyncio.timeout(WAKE_S):
                await self._wake_peer(address)
        except Exception as fault:
            _log.info("peer.not_woken", reason=type(fault).__name__)

    def _tables(self) -> int:
        return 0 if self._host is None else self._host.count()
