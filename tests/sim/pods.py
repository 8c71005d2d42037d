"""What several processes of the table service share in Postgres, on the SQLite of the world: sessions whose lock shows
that they live, the rows of pods, and claims. The statements are this file's; what is made of them is the real code.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from services.table.ownership import Claim
from services.table.pod_rows import KEPT_MS, Owned
from services.table.pods import Pod
from shared.kit.pod_lease import LEASE_MS
from tests.sim.loop import Process
from tests.sim.world import World

NOTICED_MS: Final = 2_000
"""The longest until the database notices that a session is gone."""
_ID: Final = re.compile(r"'([0-9a-f]+)'")
_T = TypeVar("_T")
Work = Callable[[sqlite3.Connection], _T]


class Sessions:
    """Which pods' locks are held."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.held: set[str] = set()
        self._rng = world.rng("sessions")

    def gone(self, pod_id: str) -> None:
        """The session that held the lock is gone, which is noticed some time later."""
        self.world.later(self._rng.randrange(NOTICED_MS), lambda: self.held.discard(pod_id))

    def is_lost(self) -> bool:
        """Whether a session ends here."""
        return self._rng.random() < self.world.chances.commit / 2


class SharedRows:
    """A process's connection to the database that all share; a transaction of it is a step."""

    def __init__(self, process: Process, sessions: Sessions, path: Path) -> None:
        self.process = process
        self.sessions = sessions
        self._path = path
        self._connection: sqlite3.Connection | None = None

    async def run(self, work: Work[_T]) -> _T:
        """Does it in a transaction. Raises `ConnectionError`; what became of it is then not known."""
        return await self.process.run_in_executor(self, partial(self._transaction, work))  # type: ignore[no-any-return]

    def _transaction(self, work: Work[_T]) -> _T:
        try:
            if self._connection is None:
                self._connection = sqlite3.connect(self._path, isolation_level=None)
            self._connection.execute("BEGIN IMMEDIATE")
            result = work(self._connection)
            self._connection.execute("COMMIT")
        except sqlite3.Error as fault:
            if self._connection is not None and not self.process.dead:
                self._connection.close()
            self._connection = None
            raise ConnectionError(str(fault)) from fault
        return result

    @property
    def now_ms(self) -> int:
        """The database's clock."""
        return self.process.world.clock.now_ms()


class WorldDatabase:
    """What `PodLease` needs of a database: sessions."""

    def __init__(self, rows: SharedRows) -> None:
        self._rows = rows

    async def connect_driver(self) -> "Session":
        """See `Database`."""
        return Session(self._rows)


class Session:
    """A session that holds a pod's lock, and understands the statements of `PodLease`."""

    def __init__(self, rows: SharedRows) -> None:
        self._rows = rows
        self._pod_id = ""
        self._is_over = False

    async def execute(self, query: str) -> None:
        """Takes the lock, or has the lease run out."""
        self._check()
        found = _ID.search(query)
        assert found is not None
        if "pg_advisory_lock" in query:
            self._pod_id = found[1]
            self._rows.sessions.held.add(self._pod_id)
            self._rows.process.on_death[self] = self.terminate
        else:
            assert query.startswith("UPDATE pods SET renewed_ms = now, expires_ms = now,")
            now_ms, resign = self._rows.now_ms, "renewed_ms = ?, expires_ms = ?, live_tables = 0"
            update = f"UPDATE pods SET {resign} WHERE pod_id = ? AND expires_ms > ?"
            await self._rows.run(lambda rows: rows.execute(update, (now_ms, now_ms, found[1], now_ms)).rowcount)

    async def fetchval(self, query: str, pod_id: str, *values: Any) -> int | None:
        """Makes the pod's row, or renews the lease."""
        self._check()

        def insert(rows: sqlite3.Connection) -> int | None:
            now_ms = self._rows.now_ms
            columns = "pod_id, address, renewed_ms, expires_ms, draining, live_tables"
            row = (pod_id, values[0], now_ms, now_ms + LEASE_MS)
            rows.execute(f"INSERT INTO pods ({columns}) VALUES (?, ?, ?, ?, FALSE, 0)", row)
            return now_ms

        def renew(rows: sqlite3.Connection) -> int | None:
            now_ms = self._rows.now_ms
            update = "UPDATE pods SET renewed_ms = ?, expires_ms = ?, live_tables = ?, draining = ?"
            found = rows.execute(
                f"{update} WHERE pod_id = ? AND expires_ms > ?", (now_ms, now_ms + LEASE_MS, *values, pod_id, now_ms)
            )
            return now_ms if found.rowcount else None

        return await self._rows.run(insert if query.startswith("INSERT") else renew)

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109  # asyncpg's
        """See asyncpg."""
        self.terminate()

    def terminate(self) -> None:
        """See asyncpg."""
        if not self._is_over:
            self._is_over = True
            self._rows.process.on_death.pop(self, None)
            self._rows.sessions.gone(self._pod_id)

    def _check(self) -> None:
        if not self._is_over and self._rows.sessions.is_lost():
            self._rows.process.world.counts["sessions lost"] += 1
            self.terminate()
        if self._is_over:
            raise ConnectionError("the session is gone")


class WorldPodRows:
    """See `PodRows`."""

    def __init__(self, rows: SharedRows) -> None:
        self._rows = rows

    async def pods(self, mine: str) -> list[Pod]:
        """See `PodRows`."""

        def work(rows: sqlite3.Connection) -> list[Pod]:
            found = rows.execute(
                "SELECT pod_id, expires_ms, address, renewed_ms, live_tables, draining FROM pods ORDER BY pod_id"
            ).fetchall()
            return [
                Pod(pod_id, address, at_ms, tables, bool(draining), pod_id == mine or self._lives(pod_id, until_ms))
                for pod_id, until_ms, address, at_ms, tables, draining in found
            ]

        return await self._rows.run(work)

    async def owned(self, table_id: str, mine: str) -> Owned | None:
        """See `PodRows`."""

        def work(rows: sqlite3.Connection) -> Owned | None:
            found = rows.execute(
                "SELECT epoch, live, rules_version, coalesce(owner, ''), coalesce(address, ''), pod_id, expires_ms"
                " FROM tables LEFT JOIN pods ON pod_id = owner WHERE table_id = ?",
                (table_id,),
            ).fetchall()
            if not found:
                return None
            epoch, live, version, owner, address, pod_id, until_ms = found[0]
            is_free = pod_id is None or (pod_id != mine and not self._lives(pod_id, until_ms))
            return Owned(epoch, bool(live), version, owner, address, is_free)

        return await self._rows.run(work)

    async def claim(self, table_id: str, epoch: int, mine: str) -> Claim | None:
        """See `PodRows`."""
        claimed = await self._rows.run(partial(self._claim, mine, "table_id = ? AND epoch = ?", (table_id, epoch)))
        return claimed[0] if claimed else None

    async def claim_some(self, most: int, dead: Iterable[str], versions: Iterable[int], mine: str) -> list[Claim]:
        """See `PodRows`."""
        gone, known = list(dead), list(versions)
        which = (
            f"live AND (pod_id IS NULL OR pod_id IN ({_marks(gone)})) AND rules_version IN ({_marks(known)})"
            " ORDER BY table_id LIMIT ?"
        )
        return await self._rows.run(partial(self._claim, mine, which, (*gone, *known, most)))

    async def mine(self, mine: str) -> set[str]:
        """See `PodRows`."""
        query = "SELECT table_id FROM tables WHERE owner = ? AND live ORDER BY table_id"
        return await self._rows.run(lambda rows: {row[0] for row in rows.execute(query, (mine,))})

    async def purge(self) -> None:
        """See `PodRows`."""
        await self._rows.run(
            lambda rows: (
                rows.execute(
                    "DELETE FROM pods WHERE expires_ms < ?"
                    " AND NOT EXISTS (SELECT 1 FROM tables WHERE owner = pod_id AND live)",
                    (self._rows.now_ms - KEPT_MS,),
                ).rowcount
            )
        )

    def _claim(self, mine: str, which: str, values: tuple[object, ...], rows: sqlite3.Connection) -> list[Claim]:
        picked = rows.execute(
            "SELECT table_id, epoch, CASE WHEN since_revision = revision THEN since_ms ELSE renewed_ms END"
            f" FROM tables LEFT JOIN pods ON pod_id = owner WHERE {which}",
            values,
        ).fetchall()
        for table_id, _, alive_ms in picked:
            rows.execute(
                "UPDATE tables SET owner = ?, epoch = epoch + 1, since_ms = ?, since_revision = revision"
                " WHERE table_id = ?",
                (mine, alive_ms, table_id),
            )
        self._rows.process.world.counts["claims"] += len(picked)
        return [Claim(table_id, epoch + 1, alive_ms or 0) for table_id, epoch, alive_ms in picked]

    def _lives(self, pod_id: str, until_ms: int) -> bool:
        return until_ms > self._rows.now_ms and pod_id in self._rows.sessions.held


def _marks(values: list[Any]) -> str:
    return ", ".join("?" * len(values))
