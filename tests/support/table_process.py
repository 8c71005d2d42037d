"""A process's tables on a real journal, with a clock that moves when told to; it may be killed, and another go on."""

import asyncio
import random
import uuid
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any

from services.table.actor import TableActor
from services.table.ceremony import CeremonyStep
from services.table.commands import Cut, Play
from services.table.journal import Entry, Journal, JournalError
from services.table.live import LiveTable
from services.table.shuffling import awaited_seats
from services.table.state import Stage, TableState
from services.table.tables import Tables
from services.table.watching import StreamWatcher
from shared.kit.clock import Pace, VirtualClock
from shared.kit.status import ApiError
from shared.kit.tasks import cancel_and_wait, spawn
from shared.rules.actions import Discard, SeatAction
from shared.rules.cards import bag_faces
from shared.rules.notation import parse_notation
from shared.rules.options import SAHRAT, Options, make_options
from shared.rules.state import DealState
from shared.rules.views import Viewer
from tests.support.client_values import sent_for
from tests.support.journals import Kept
from tests.support.local_shuffle import NOW_MS, LocalShuffle
from tests.support.play import next_action
from tests.support.tables import QUICK, TABLE_ID, creation, match_of, seated


class TableProcess:
    """One process. Use it as a context manager: then it goes on with the journal's live tables.

    With ``beats`` it says every second that it is alive, which costs a write each time. ``answers_lost``: of its first
    appends, how many are written and seem to fail.
    """

    def __init__(
        self,
        kept: Kept,
        shuffle: LocalShuffle | None = None,
        *,
        now_ms: int = NOW_MS,
        beats: bool = False,
        answers_lost: int = 0,
    ) -> None:
        self.clock = VirtualClock(now_ms)
        self.shuffle = shuffle or LocalShuffle()
        self.tables: Tables
        self.journal: Journal
        self._kept = kept
        self._stack = AsyncExitStack()
        self._others = asyncio.all_tasks()
        self._beats = beats
        self.answers_lost = answers_lost
        self._is_over = False
        self.clients = frozenset(range(4))
        """The seats whose clients take part in shuffles."""
        self.cuts = True
        """Whether a host cuts at once."""

    async def __aenter__(self) -> "TableProcess":
        self.journal = await self._stack.enter_async_context(self._kept.opened())
        self.tables = Tables(_LosingAnswers(self), self.clock, Pace(), self.shuffle.ask)
        await self.tables.resume_all()
        self._beat = spawn(self.tables.beat() if self._beats else _nothing(), "beat")
        await self.settle()
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _at: TracebackType | None
    ) -> None:
        if not self._is_over:
            await self.stop()

    async def stop(self) -> None:
        """Stops as a service does."""
        self._is_over = True
        await self.tables.stop()
        await cancel_and_wait(self._beat)
        await self._stack.aclose()

    async def kill(self) -> None:
        """Ends everything where it stands: what the journal's thread has in hand is written or not."""
        self._is_over = True
        mine = asyncio.all_tasks() - self._others - {asyncio.current_task()}
        for task in mine:
            task.cancel()
        if hasattr(self, "journal"):
            self.journal.end()  # type: ignore[attr-defined]  # SQLite's threads
        if mine:
            await asyncio.wait(mine)

    async def make(self, options: Options = SAHRAT, *people: str, table_id: str = TABLE_ID) -> TableActor:
        """A table, played as far as it goes by itself."""
        create = creation(options, seated(*people, options=options), match_of(table_id))
        await self.tables.create(table_id, create, b"made")
        await self.settle()
        return await self.actor(table_id)

    async def live(self, table_id: str = TABLE_ID) -> LiveTable:
        return await self.tables.get(table_id)

    async def actor(self, table_id: str = TABLE_ID) -> TableActor:
        return (await self.live(table_id)).actor

    async def state(self, table_id: str = TABLE_ID) -> TableState:
        return await self.tables.state_of(table_id)

    async def act(
        self, action: SeatAction, *, command_id: str = "", digest: bytes = b"", table_id: str = TABLE_ID
    ) -> int:
        """Plays an action of the seat that it names, for the turn being played."""
        state = await self.state(table_id)
        assert state.deal is not None
        command = Play(state.seats[action.seat].account, state.deal_no, state.deal.turn_no, action)
        return await self.tables.submit(table_id, command, command_id or f"test:{uuid.uuid4()}", digest)

    async def settle(self) -> None:
        """Returns once nothing moves any more before the clock does, or an answer comes that is held back."""
        while True:
            await _turns()
            for thread in (self.journal._reader, self.journal._writer):  # type: ignore[attr-defined]  # SQLite's
                await thread.run(lambda _: None)
            await _turns()
            busy = [table.actor for table in self.tables.all() if not table.actor.is_idle]
            if not busy and not sum(self._contribute(table.actor) for table in self.tables.all()):
                return
            for actor in busy:
                await actor.settled()

    def _contribute(self, actor: TableActor) -> bool:
        """Every seat's client sends what the shuffle waits for; whether it waited for any."""
        ceremony = actor.state.next_fair
        awaited = awaited_seats(actor.state) & self.clients
        if self.cuts and ceremony is not None and ceremony.step is CeremonyStep.CUTTING and ceremony.host is not None:
            ctx = ceremony.context
            cut = Cut(actor.state.seats[ceremony.host].account, ctx.match, ctx.deal_no, ctx.attempt, 53)
            actor.tell(cut, f"cut:{ctx.match.hex()}")
            return True
        if ceremony is None or ceremony.step not in (CeremonyStep.PROMISING, CeremonyStep.OPENING):
            return False
        if actor.gathered.is_over or not awaited or actor.broken_ms is not None:
            return False
        sending = [seat for seat in awaited if not actor.gathered.values[seat]]
        for seat in sending:
            actor.gather(ceremony.step, seat, sent_for(ceremony, seat))
        return bool(sending)

    async def pass_time(self, duration_ms: int) -> None:
        """Moves the clock on, and lets everything happen that it makes happen."""
        until_ms = self.clock.monotonic_ms() + duration_ms
        while self.clock.step(until_ms):
            await self.settle()
        self.clock.advance(until_ms - self.clock.monotonic_ms())

    async def ring(self, table_id: str = TABLE_ID) -> None:
        """Moves the clock to the moment at which the table's is out."""
        deadline_ms = (await self.state(table_id)).deadline_ms
        assert deadline_ms is not None
        await self.pass_time(max(0, deadline_ms - self.clock.now_ms()))


def throw(state: TableState) -> Discard:
    assert state.deal is not None
    return Discard(state.deal.turn, bag_faces(state.deal.hands[state.deal.turn])[0])


class _LosingAnswers:
    """The process's journal, but that the answers of some appends get lost."""

    def __init__(self, process: TableProcess) -> None:
        self._process = process

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process.journal, name)

    async def append(self, entry: Entry) -> None:
        await self._process.journal.append(entry)
        if self._process.answers_lost:
            self._process.answers_lost -= 1
            raise JournalError("the answer was lost")


async def put(process: TableProcess, position: str) -> DealState:
    """Goes on from a position, which the journal knows nothing of."""
    actor = await process.actor()
    deal = parse_notation(position)
    actor.state = actor.state._replace(deal=deal)
    return deal


def watch(table: LiveTable, viewer: Viewer, last_revision: int = 0, *, spectator: str = "") -> StreamWatcher:
    """Opens a Watch as the service does, or a Spectate."""
    watcher = StreamWatcher(viewer, spectator if viewer is None else table.state.seats[viewer].account)
    table.watchers.open(table.state, table.actor.ring, watcher, last_revision)
    return watcher


async def sent(watcher: StreamWatcher) -> list[bytes]:
    """What waits to be sent."""
    updates = watcher.updates()
    received = []
    while not watcher.is_idle:
        received.append(await anext(updates))
    return received


async def play_to_the_end(process: TableProcess, rng: random.Random) -> None:
    """Plays a short duel, made if need be, until its table is closed."""
    await process.make(make_options({"preset": "sahrat", "target": 50, "mode": "duel"}))
    while (state := await process.state()).stage is not Stage.CLOSED:
        if state.stage is Stage.RESULT:
            await process.ring()
            continue
        assert state.deal is not None
        await process.act(next_action(rng, state.deal, QUICK))  # type: ignore[arg-type]  # never the clock's
        await process.settle()


async def _nothing() -> None:
    """Who does not beat."""


async def _turns() -> None:
    """Gives every task that can go on the chance to."""
    for _ in range(4):
        await asyncio.sleep(0)


async def end_of(watcher: StreamWatcher) -> str | None:
    """The code that a Watch ends with; waits for its end."""
    try:
        async for _ in watcher.updates():
            pass
    except ApiError as error:
        return error.code
    return None
