"""The tables of this process: made, loaded when asked for or when nobody else runs them, let go when closed."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, Final
from weakref import WeakValueDictionary

import structlog

from services.table.actor import Asker, TableActor, World
from services.table.commands import Command, Create
from services.table.journal import FIRST_EPOCH, CommandTakenError, FencedError, Journal, JournalError, StoredTable
from services.table.live import LiveTable
from services.table.moment import Now
from services.table.ownership import Claim, Ownership
from services.table.refusals import (
    CommandReusedError,
    DrainingError,
    ElsewhereError,
    OverloadedError,
    TableClosedError,
    UnknownTableError,
)
from services.table.replaying import replayed
from services.table.sole_ownership import SoleOwnership
from services.table.spectating import Spectating
from services.table.state import TableState
from services.table.stepping import CREATE_ID, entry_of, first_step
from services.table.watching import HEARTBEAT_MS
from shared.kit.clock import Clock, Pace
from shared.kit.tasks import spawn
from shared.rules.version import KNOWN_VERSIONS

MOST_TABLES: Final = 20_000
LOAD_AGAIN_MS: Final = 250
LOADS_AT_ONCE: Final = 16
LINGER_MS: Final = 300
"""How long a process whose tables others have goes on answering for them."""
MATCH_ID_BYTES: Final = 16

_log = structlog.get_logger("table.tables")


class Tables:
    """All tables that this process runs."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        pace: Pace,
        ask: Asker,
        has_room: Callable[[], bool] = lambda: True,
        ownership: Ownership | None = None,
    ) -> None:
        """``has_room``: whether the facts of new tables can be told to others, or pile up already. ``ownership``: which
        tables this process may run; all, where it is the only one."""
        self._journal = journal
        self._clock = clock
        self._has_room = has_room
        self.ownership: Ownership = ownership or SoleOwnership(journal, clock)
        self._world = World(journal, clock, pace, ask, _new_match_id, structlog.get_logger("table.steps").bind())
        self._spectating = Spectating()
        self._live: dict[str, LiveTable] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._loading = asyncio.Semaphore(LOADS_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        """Those that load a table anew, or let some go."""
        self._stopping = False
        self._draining = False
        self._times_let_go = 0

    def all(self) -> list[LiveTable]:
        """Those that are live now."""
        return list(self._live.values())

    def count(self) -> int:
        """See ``Host``."""
        return len(self._live)

    def room(self) -> int:
        """See ``Host``."""
        return MOST_TABLES - len(self._live)

    def runs(self, table_id: str) -> bool:
        """See ``Host``."""
        return table_id in self._live

    async def create(self, table_id: str, command: Create, digest: bytes) -> int:
        """Make a table; its revision. A resend finds it made, whoever runs it.

        Raises ``CommandReusedError`` where the id has another table, ``TableClosedError`` where that one is archived,
        ``OverloadedError`` where there are too many, ``DrainingError`` while this process may own none.
        """
        async with self._lock_of(table_id):
            owner = self.ownership.name
            if self._stopping or owner == "":
                raise DrainingError
            if self.room() <= 0 or not self._has_room():
                raise OverloadedError(5_000)
            now = Now(self._clock.now_ms(), self._world.pace)
            step = first_step(table_id, command, now)
            entry = entry_of(step, command, CREATE_ID, digest, now.ms, FIRST_EPOCH)
            try:
                await self._journal.append(entry._replace(owner=owner))
            except (CommandTakenError, JournalError) as fault:
                stored = await self._journal.find_command(table_id, CREATE_ID)
                if stored is None and isinstance(fault, FencedError):
                    raise TableClosedError from None  # for so long that its entries are gone
                if stored is None:
                    raise
                if stored.command_digest != digest:
                    raise CommandReusedError from None
                with suppress(ElsewhereError):
                    await self._get(table_id)  # an append of unknown outcome may have made it, and nobody runs it yet
                return stored.revision
            if self.ownership.name == owner:  # else others may own it by now
                self._run(TableActor(step.after, self._world, FIRST_EPOCH))
            return step.revision

    async def get(self, table_id: str) -> LiveTable:
        """The table, loaded if need be.

        Raises ``UnknownTableError``, ``ElsewhereError``, ``DrainingError``, ``JournalError``.
        """
        if (table := self.running(table_id)) is not None:
            return table
        async with self._lock_of(table_id):
            return await self._get(table_id)

    async def state_of(self, table_id: str, *, wherever: bool = False) -> TableState:
        """The table to look at, which need not be live for that; ``wherever``: even if another process runs it.

        Raises ``UnknownTableError``, ``ElsewhereError``, ``JournalError``.
        """
        table = self._live.get(table_id)
        if table is not None:
            return table.state
        if not wherever and (address := await self.ownership.owner_of(table_id)):
            raise ElsewhereError(address)
        if self._stopping:
            raise DrainingError
        return replayed(await self._load(table_id))

    async def submit(self, table_id: str, command: Command, command_id: str, digest: bytes) -> int:
        """Have a command applied, see ``TableActor.submit``.

        Where nobody knows whether it was, or another has the table by now, it is looked for anew and asked again: the
        command's id tells.
        """
        table = await self.get(table_id)
        try:
            return await table.actor.submit(command, command_id, digest)
        except JournalError:
            pass
        except DrainingError:
            if not table.actor.is_fenced:
                raise
        return await (await self.get(table_id)).actor.submit(command, command_id, digest)

    async def resume_all(self) -> None:
        """Begin, and go on with the tables that are this process's already; the clocks get the outage back (R9.4).

        Raises ``JournalError``.
        """
        await self.ownership.begin(self)
        _log.info("tables.resumed", count=len(self._live))

    async def beat(self) -> None:
        """Keep what is owned, and say every five seconds that its streams are alive."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.ownership.run())
            group.create_task(self._look_after())

    async def take_over(self, claims: list[Claim]) -> None:
        """See ``Host``. Returns once the outage is in the journal."""
        fault, times = None, self._times_let_go
        for outcome in await asyncio.gather(*(self._take_over(claim, times) for claim in claims)):
            fault = fault or outcome
        for claim in claims:
            if (table := self._live.get(claim.table_id)) is not None:
                await table.actor.settled()
        if fault is not None:
            raise fault

    def let_go(self) -> None:
        """See ``Host``."""
        self._times_let_go += 1
        gone, self._live = list(self._live.values()), {}
        for table in gone:
            table.watchers.end_all(DrainingError())
        self._spawn(_stop(gone, DrainingError()), "tables are let go")

    def drain(self) -> int:
        """Hand all tables over to other processes, in the background, and take none any more; how many they are."""
        count = len(self._live)
        if not self._draining:
            self._draining = True
            self._spawn(self._hand_over(), "tables are handed over")
        return count

    async def stop(self) -> None:
        """Let all tables go; others, or the next process, go on with them. Who still asks is told to ask elsewhere."""
        self._stopping = True
        for task in self._tasks:
            task.cancel()
        await self._hand_over()
        if self.ownership.name is not None:
            # Calls that were on their way are passed on: gRPC cancels those that come in the moment its server stops.
            await self._clock.sleep_ms(LINGER_MS)

    async def _hand_over(self) -> None:
        await self.ownership.hand_over(lambda: _stop(self.all(), DrainingError()))
        gone, self._live = self.all(), {}
        for table in gone:
            table.watchers.end_all(DrainingError())

    async def _look_after(self) -> None:
        while True:
            await self._sweep()
            await self._clock.sleep_ms(HEARTBEAT_MS)

    async def _take_over(self, claim: Claim, times: int) -> JournalError | None:
        async with self._loading, self._lock_of(claim.table_id):
            if self._stopping:
                return None  # the next owner finds it as it was
            try:
                if self.running(claim.table_id) is None:
                    await self._load_and_run(claim, times)
            except JournalError as error:
                self._recover_later(claim.table_id)
                return error
            except DrainingError:
                pass  # it is for others to go on with
            except Exception:
                # One that makes no sense must not keep the others from going on.
                _log.exception("table.not_resumed", table=claim.table_id)
        return None

    async def _sweep(self) -> None:
        for table_id, table in list(self._live.items()):
            if table.is_over:
                del self._live[table_id]
                await table.actor.stop(OverloadedError(LOAD_AGAIN_MS))
            else:
                table.look_after()

    async def _get(self, table_id: str) -> LiveTable:
        """As ``get``, by who holds the table's lock."""
        if (table := self.running(table_id)) is not None:
            return table
        times = self._times_let_go
        try:
            claim = await self.ownership.claim(table_id)
        except (ElsewhereError, DrainingError):
            self._forget(table_id)
            raise
        return await self._load_and_run(claim, times)

    async def _load_and_run(self, claim: Claim, times: int) -> LiveTable:
        """``times``: how often all had been let go before the claim, which has lapsed if that happened again."""
        stored = await self._load(claim.table_id)
        if times != self._times_let_go:
            raise DrainingError
        broken = self._live.get(claim.table_id)
        actor = TableActor(replayed(stored), self._world, claim.epoch or stored.epoch)
        actor.remember(stored.commands)
        broken_ms = None if broken is None else broken.actor.broken_ms
        known_alive_ms = claim.alive_ms if broken_ms is None else broken_ms
        fresh = self._run(actor, since_ms=max(stored.last_ms, known_alive_ms))
        if broken is not None:
            broken.watchers.end_all(OverloadedError(LOAD_AGAIN_MS))
        return fresh

    def running(self, table_id: str) -> LiveTable | None:
        """The table, where it runs here and nothing is wrong with it."""
        table = self._live.get(table_id)
        return table if table is not None and table.actor.broken_ms is None and not self._stopping else None

    def _forget(self, table_id: str) -> None:
        """A broken table that is not to be gone on with here."""
        table = self._live.get(table_id)
        if table is not None and table.actor.broken_ms is not None:
            del self._live[table_id]
            table.watchers.end_all(DrainingError())

    async def _load(self, table_id: str) -> StoredTable:
        stored = await self._journal.load(table_id)
        if stored is None:
            raise UnknownTableError
        if stored.rules_version not in KNOWN_VERSIONS:
            _log.warning("table.of_other_rules", table=table_id, rules_version=stored.rules_version)
            raise DrainingError  # to who asks: a process of another release plays it
        return stored

    def _run(self, actor: TableActor, since_ms: int | None = None) -> LiveTable:
        table = LiveTable(actor, self._clock, self._spectating)
        table_id = actor.state.table_id
        self._live[table_id] = table
        actor.on_broken = lambda: self._recover_later(table_id)
        actor.start(since_ms)
        return table

    def _recover_later(self, table_id: str) -> None:
        if not self._stopping:
            self._spawn(self._recover(table_id), f"table {table_id} recovers")

    async def _recover(self, table_id: str) -> None:
        """Load a table anew whose journal's last word is not known, whether or not anybody asks for it."""
        while True:
            await self._clock.sleep_ms(LOAD_AGAIN_MS)
            try:
                await self.get(table_id)
            except JournalError as error:
                _log.warning("table.not_loaded", table=table_id, reason=type(error).__name__)
            except (ElsewhereError, DrainingError):
                return  # it is another's, or will be
            else:
                return

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = spawn(work, name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _lock_of(self, table_id: str) -> asyncio.Lock:
        """One for each table that somebody is making or loading; gone with the last who holds it."""
        lock = self._locks.get(table_id)
        if lock is None:
            lock = self._locks[table_id] = asyncio.Lock()
        return lock


async def _stop(tables: Iterable[LiveTable], why: Exception) -> None:
    await asyncio.gather(*(table.actor.stop(why) for table in tables))


def _new_match_id() -> bytes:
    return os.urandom(MATCH_ID_BYTES)
