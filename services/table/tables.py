"""The tables of this process: made, loaded when asked for, resumed at the start, let go when closed."""

import asyncio
import os
from typing import Final

import structlog

from services.table.actor import Asker, TableActor
from services.table.commands import Create, Presence, Resume
from services.table.decide import create
from services.table.events import Created, Dealt
from services.table.evolve import created, evolve
from services.table.facts import facts_of
from services.table.journal import CommandTakenError, Entry, Journal, JournalError, StoredTable
from services.table.refusals import CommandReusedError, OverloadedError, UnknownTableError
from services.table.ring import Step
from services.table.state import Occupant, Stage, TableState
from services.table.watching import HEARTBEAT_MS, Watchers
from shared.kit.clock import Clock, Pace

MOST_TABLES: Final = 20_000
BEAT_MS: Final = 1_000
MATCH_ID_BYTES: Final = 16

_log = structlog.get_logger("table.tables")


class LiveTable:
    """A table with those who watch it."""

    def __init__(self, actor: TableActor, clock: Clock) -> None:
        self.actor = actor
        self._presences = 0
        self.watchers = Watchers(clock, self._note_presence)
        actor.listeners.append(self.watchers.tell)

    @property
    def state(self) -> TableState:
        """The table now."""
        return self.actor.state

    def _note_presence(self, seat: int, away: bool) -> None:
        if self.state.seats[seat].occupant is Occupant.PERSON and self.state.stage is not Stage.CLOSED:
            self._presences += 1
            self.actor.tell(Presence(seat, away), f"presence:{self.state.revision}:{os.urandom(8).hex()}")


class Tables:
    """All tables that this process runs."""

    def __init__(self, journal: Journal, clock: Clock, pace: Pace, ask: Asker) -> None:
        self._journal = journal
        self._clock = clock
        self._pace = pace
        self._ask = ask
        self._live: dict[str, LiveTable] = {}
        self._loading: dict[str, asyncio.Lock] = {}

    async def create(self, table_id: str, command: Create, digest: bytes) -> int:
        """Make a table; its revision. A resend finds it made.

        Raises ``CommandReusedError`` where the id has another table, ``OverloadedError`` where there are too many.
        """
        events = create(table_id, command)
        if len(self._live) >= MOST_TABLES:
            raise OverloadedError(5_000)
        made = events[0]
        assert isinstance(made, Created)
        states = [created(made)] * 2
        for event in events[1:]:
            states.append(evolve(states[-1], event))
        states[-1] = states[-1]._replace(revision=1)
        step = Step(events, tuple(states))
        at_ms = self._clock.now_ms()
        entry = Entry(table_id, 1, "create", digest, at_ms, "", events, b"", step.after, facts_of(step, at_ms))
        try:
            await self._journal.append(entry)
        except (CommandTakenError, JournalError):
            stored = await self._journal.find_command(table_id, "create")
            if stored is None:
                raise
            if stored.command_digest != digest:
                raise CommandReusedError from None
            return stored.revision
        self._run(TableActor(step.after, self._journal, self._clock, self._pace, self._ask, _new_id))
        return 1

    async def get(self, table_id: str) -> LiveTable:
        """The table, loaded if need be. Raises ``UnknownTableError``."""
        table = self._live.get(table_id)
        if table is not None and not table.actor.broken:
            return table
        async with self._loading.setdefault(table_id, asyncio.Lock()):
            table = self._live.get(table_id)
            if table is None or table.actor.broken:
                table = await self._load(table_id, table)
        self._loading.pop(table_id, None)
        return table

    async def resume_all(self) -> None:
        """Go on with every live table; the clocks get the outage back (R9.4)."""
        last_beat_ms = await self._journal.last_beat_ms()
        table_ids = await self._journal.live_tables()
        for table_id in table_ids:
            stored = await self._journal.load(table_id)
            if stored is None or table_id in self._live:
                continue
            outage_ms = max(0, self._clock.now_ms() - max(stored.last_ms, last_beat_ms))
            table = self._run(self._actor_of(stored))
            table.actor.tell(Resume(outage_ms), f"resume:{table.state.revision}:{os.urandom(8).hex()}")
        _log.info("tables.resumed", count=len(table_ids))

    async def beat(self) -> None:
        """Say every second that this process is alive, and every five that its streams are."""
        beats = 0
        while True:
            await self._journal.beat(self._clock.now_ms())
            if beats * BEAT_MS % HEARTBEAT_MS == 0:
                self._sweep()
            beats += 1
            await self._clock.sleep_ms(BEAT_MS)

    async def stop(self) -> None:
        """Let all tables go; the journal has them."""
        await asyncio.gather(*(table.actor.stop() for table in self._live.values()))
        self._live.clear()

    def _sweep(self) -> None:
        for table_id, table in list(self._live.items()):
            if table.state.stage is Stage.CLOSED and not table.state.unrevealed:
                del self._live[table_id]
            else:
                table.watchers.beat(table.state)

    async def _load(self, table_id: str, broken: LiveTable | None) -> LiveTable:
        if broken is not None:
            await broken.actor.stop()
        stored = await self._journal.load(table_id)
        if stored is None:
            raise UnknownTableError
        table = self._run(self._actor_of(stored))
        if broken is not None:
            broken.watchers.end_all(OverloadedError(100))
        return table

    def _actor_of(self, stored: StoredTable) -> TableActor:
        actor = TableActor(_replayed(stored), self._journal, self._clock, self._pace, self._ask, _new_id)
        actor.remember(stored.commands)
        return actor

    def _run(self, actor: TableActor) -> LiveTable:
        table = LiveTable(actor, self._clock)
        self._live[actor.state.table_id] = table
        actor.start()
        return table


def _replayed(stored: StoredTable) -> TableState:
    """The table that its journal tells."""
    state = stored.start
    if state is not None:
        assert state.fair is not None
        assert state.starter is not None
        state = evolve(state, Dealt(state.fair, state.starter), stored.deck)
    for entry in stored.entries:
        for event in entry.events:
            if isinstance(event, Created):
                state = created(event)
            else:
                assert state is not None
                state = evolve(state, event, entry.hidden)
        assert state is not None
        state = state._replace(revision=entry.revision)
    assert state is not None
    return state


def _new_id() -> bytes:
    return os.urandom(MATCH_ID_BYTES)
