"""The tables of this process: made, loaded when asked for, resumed at the start, let go when closed."""

import asyncio
import os
from collections.abc import Callable
from typing import Final
from weakref import WeakValueDictionary

import structlog

from services.table.actor import Asker, TableActor, World
from services.table.commands import Command, Create
from services.table.journal import FIRST_EPOCH, CommandTakenError, Journal, JournalError, StoredTable
from services.table.live import LiveTable
from services.table.refusals import CommandReusedError, DrainingError, OverloadedError, UnknownTableError
from services.table.replaying import replayed
from services.table.state import TableState
from services.table.stepping import CREATE_ID, entry_of, first_step
from services.table.watching import HEARTBEAT_MS
from shared.kit.clock import Clock, Pace
from shared.kit.tasks import spawn
from shared.rules.version import KNOWN_VERSIONS

MOST_TABLES: Final = 20_000
BEAT_MS: Final = 1_000
LOAD_AGAIN_MS: Final = 250
MATCH_ID_BYTES: Final = 16

_log = structlog.get_logger("table.tables")


class Tables:
    """All tables that this process runs."""

    def __init__(
        self, journal: Journal, clock: Clock, pace: Pace, ask: Asker, has_room: Callable[[], bool] = lambda: True
    ) -> None:
        """``has_room``: whether the facts of new tables can be told to others, or pile up already."""
        self._journal = journal
        self._clock = clock
        self._has_room = has_room
        self._world = World(journal, clock, pace, ask, _new_match_id)
        self._live: dict[str, LiveTable] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._recoveries: set[asyncio.Task[None]] = set()
        self._stopping = False
        self._last_beat_ms = 0
        """The last sign of life of the process before this one."""

    def all(self) -> list[LiveTable]:
        """Those that are live now."""
        return list(self._live.values())

    async def create(self, table_id: str, command: Create, digest: bytes) -> int:
        """Make a table; its revision. A resend finds it made.

        Raises ``CommandReusedError`` where the id has another table, ``OverloadedError`` where there are too many.
        """
        async with self._lock_of(table_id):
            self._require_running()
            if len(self._live) >= MOST_TABLES or not self._has_room():
                raise OverloadedError(5_000)
            step = first_step(table_id, command)
            try:
                entry = entry_of(step, command, CREATE_ID, digest, self._clock.now_ms(), FIRST_EPOCH)
                await self._journal.append(entry)
            except (CommandTakenError, JournalError):
                stored = await self._journal.find_command(table_id, CREATE_ID)
                if stored is None:
                    raise
                if stored.command_digest != digest:
                    raise CommandReusedError from None
                await self._get(table_id)  # an append of unknown outcome may have made it, and nobody runs it yet
                return stored.revision
            self._run(TableActor(step.after, self._world, FIRST_EPOCH))
            return step.revision

    async def get(self, table_id: str) -> LiveTable:
        """The table, loaded if need be. Raises ``UnknownTableError``, ``DrainingError``, ``JournalError``."""
        table = self._live.get(table_id)
        if table is not None and table.actor.broken_ms is None:
            return table
        async with self._lock_of(table_id):
            return await self._get(table_id)

    async def state_of(self, table_id: str) -> TableState:
        """The table to look at, which need not be live for that. Raises ``UnknownTableError``, ``JournalError``."""
        table = self._live.get(table_id)
        if table is not None:
            return table.state
        return replayed(await self._load(table_id))

    async def submit(self, table_id: str, command: Command, command_id: str, digest: bytes) -> int:
        """Have a command applied, see ``TableActor.submit``.

        Where nobody knows whether it was, the table is loaded anew and asked again: the command's id tells.
        """
        try:
            return await (await self.get(table_id)).actor.submit(command, command_id, digest)
        except JournalError:
            return await (await self.get(table_id)).actor.submit(command, command_id, digest)

    async def resume_all(self) -> None:
        """Go on with every live table; the clocks get the outage back (R9.4).

        Returns once that is in the journal: ``beat`` must not begin before, or another outage would hide this one.
        Raises ``JournalError``.
        """
        self._last_beat_ms = await self._journal.last_beat_ms()
        for table_id in await self._journal.live_tables():
            try:
                await self.get(table_id)
            except JournalError:
                raise
            except Exception:
                # One that makes no sense must not keep the others from going on.
                _log.exception("table.not_resumed", table=table_id)
        for table in self.all():
            await table.actor.settled()
        _log.info("tables.resumed", count=len(self._live))

    async def beat(self) -> None:
        """Say every second that this process is alive, and every five that its streams are."""
        beats = 0
        while True:
            await self._journal.beat(self._clock.now_ms())
            if beats * BEAT_MS % HEARTBEAT_MS == 0:
                await self._sweep()
            beats += 1
            await self._clock.sleep_ms(BEAT_MS)

    async def stop(self) -> None:
        """Let all tables go; the journal has them. Who still asks is told to ask elsewhere."""
        self._stopping = True
        for task in self._recoveries:
            task.cancel()
        await asyncio.gather(*(table.actor.stop(DrainingError()) for table in self._live.values()))

    async def _sweep(self) -> None:
        for table_id, table in list(self._live.items()):
            if table.is_over:
                del self._live[table_id]
                await table.actor.stop(OverloadedError(LOAD_AGAIN_MS))
            else:
                table.watchers.beat(table.state)

    async def _get(self, table_id: str) -> LiveTable:
        """As ``get``, by who holds the table's lock."""
        self._require_running()
        table = self._live.get(table_id)
        if table is not None and table.actor.broken_ms is None:
            return table
        stored = await self._load(table_id)
        actor = TableActor(replayed(stored), self._world, stored.epoch)
        actor.remember(stored.commands)
        broken_ms = None if table is None else table.actor.broken_ms
        known_alive_ms = self._last_beat_ms if broken_ms is None else broken_ms
        fresh = self._run(actor, since_ms=max(stored.last_ms, known_alive_ms))
        if table is not None:
            table.watchers.end_all(OverloadedError(LOAD_AGAIN_MS))
        return fresh

    async def _load(self, table_id: str) -> StoredTable:
        stored = await self._journal.load(table_id)
        if stored is None:
            raise UnknownTableError
        if stored.rules_version not in KNOWN_VERSIONS:
            _log.warning("table.of_other_rules", table=table_id, rules_version=stored.rules_version)
            raise DrainingError  # to who asks: a process of another release plays it
        return stored

    def _run(self, actor: TableActor, since_ms: int | None = None) -> LiveTable:
        table = LiveTable(actor, self._clock)
        table_id = actor.state.table_id
        self._live[table_id] = table
        actor.on_broken = lambda: self._recover_later(table_id)
        actor.start(since_ms)
        return table

    def _recover_later(self, table_id: str) -> None:
        if not self._stopping:
            task = spawn(self._recover(table_id), f"table {table_id} recovers")
            self._recoveries.add(task)
            task.add_done_callback(self._recoveries.discard)

    async def _recover(self, table_id: str) -> None:
        """Load a table anew whose journal's last word is not known, whether or not anybody asks for it."""
        while True:
            await self._clock.sleep_ms(LOAD_AGAIN_MS)
            try:
                await self.get(table_id)
            except JournalError as error:
                _log.warning("table.not_loaded", table=table_id, reason=type(error).__name__)
            else:
                return

    def _lock_of(self, table_id: str) -> asyncio.Lock:
        """One for each table that somebody is making or loading; gone with the last who holds it."""
        lock = self._locks.get(table_id)
        if lock is None:
            lock = self._locks[table_id] = asyncio.Lock()
        return lock

    def _require_running(self) -> None:
        if self._stopping:
            raise DrainingError


def _new_match_id() -> bytes:
    return os.urandom(MATCH_ID_BYTES)
