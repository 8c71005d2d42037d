"""One table, one actor: a bounded mailbox, and one command at a time through
validate, decide, **journal**, evolve, answer, publish, in that order.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from logging import DEBUG
from typing import Any, Final, NamedTuple

import structlog

from services.table.alarms import Alarms
from services.table.ceremony import CeremonyStep
from services.table.commands import Command, CutDue, NextMatch, Play, Presence, Resume
from services.table.decide import decide, match_is_due
from services.table.due import Due, due_id, may_cut, what_is_due
from services.table.gathering import Gathered, Gathering
from services.table.journal import CommandTakenError, FencedError, Journal, JournalError, StoredCommand
from services.table.mail import Answer, Envelope, own_id
from services.table.moment import Now
from services.table.refusals import DrainingError, NothingToDoError, OverloadedError, PausedError, TableFrozenError
from services.table.ring import Ring, Step
from services.table.state import TableState
from services.table.stepping import entry_of, make_step
from shared.kit.clock import Clock, Pace
from shared.kit.limits import BoundedDict
from shared.kit.tasks import drive, spawn

MAILBOX: Final = 64
"""Commands of others that wait to be applied, and as many again that wait for a new stock."""
REMEMBERED_COMMANDS: Final = 32
"""The last ones; what is older is looked up in the journal."""
RETRY_AFTER_MS: Final = 250
ASK_AGAIN_MS: Final = 5_000

_log = structlog.get_logger("table.actor")

Asker = Callable[[TableState, Due, int], Awaitable[Command]]
"""Gets what a table waits for from another service, which tells its owners apart by epoch; tries until it has it."""
Listener = Callable[[Step], None]


class World(NamedTuple):
    """What every table of a process needs of the rest."""

    journal: Journal
    clock: Clock
    pace: Pace
    ask: Asker
    new_match_id: Callable[[], bytes]
    log: Any = _log
    """Tells each step. Bound beforehand: to look for where a line goes costs more than one that is not written."""


class TableActor:
    """Runs one table, from ``start`` until it is stopped or nobody knows any more what its journal holds."""

    def __init__(self, state: TableState, world: World, epoch: int) -> None:
        """``epoch``: under which this process owns the table."""
        self.state = state
        self.epoch = epoch
        self.ring = Ring()
        self.listeners: list[Listener] = []
        self.broken_ms: int | None = None
        """Since when the table stands still (Unix ms), once an append's outcome is not known: load it anew."""
        self.is_fenced = False
        """Whether it is broken because another owns the table by now, or has gone on with it."""
        self.on_broken: Callable[[], None] = _nobody_minds
        self._world = world
        self._mail: deque[Envelope] = deque()
        self._settling: asyncio.Future[None] | None = None
        self._is_busy = False
        self._waiting: list[Envelope] = []
        self._known: BoundedDict[str, StoredCommand] = BoundedDict(REMEMBERED_COMMANDS)
        self._alarms = Alarms(world.clock, self.tell, self._gathering_over)
        self._gathering = Gathering(state)
        self._asking: tuple[str, asyncio.Task[None]] | None = None
        self._ended: Exception | None = None

    def start(self, since_ms: int | None = None) -> None:
        """Keep the clock, and ask for what is due. ``since_ms``: the table has stood still since then."""
        if since_ms is not None:
            self.tell(Resume(since_ms), own_id("resume"))  # before the clock can ring: its time is given back first
        self._follow_up()

    async def stop(self, why: Exception) -> None:
        """Take no more mail. A command being applied is answered; who still waits, and who comes, is told ``why``."""
        asking = self._asking
        self._end(why)
        await self.settled()
        if asking is not None:
            await asyncio.wait([asking[1]])

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being applied."""
        return not self._is_busy

    async def settled(self) -> None:
        """Returns once what is in the mailbox has been applied or refused."""
        if self._is_busy:
            if self._settling is None:
                self._settling = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._settling])

    async def submit(self, command: Command, command_id: str, digest: bytes) -> int:
        """As ``take``, awaited."""
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.take(command, command_id, digest, answer)
        return await answer

    def take(self, command: Command, command_id: str, digest: bytes, answer: Answer) -> None:
        """Have a command applied, and tell the table's revision that it made.

        Raises, or tells, what ``decide`` raises, ``CommandReusedError`` where the id was given to another command,
        ``OverloadedError`` where the mailbox is full, ``DrainingError`` where another owns the table by now (nothing
        was applied), ``JournalError`` where the outcome is not known.
        """
        if self._ended is not None:
            raise self._ended
        if len(self._mail) >= MAILBOX:
            raise OverloadedError(RETRY_AFTER_MS)
        self._put(Envelope(command, command_id, digest, answer))

    def tell(self, command: Command, command_id: str) -> None:
        """Give the table a command of its own process, and wait for nothing. Of a seat's presence the last counts."""
        if self._ended is not None:
            return
        envelope = Envelope(command, command_id, b"", None)
        if isinstance(command, Presence):
            for at, waiting in enumerate(self._mail):
                if isinstance(waiting.command, Presence) and waiting.command.account == command.account:
                    self._mail[at] = envelope
                    return
        self._put(envelope)

    def gather(self, step: CeremonyStep, seat: int, value: bytes) -> None:
        """Take in what a seat sends for a step of the shuffle; raises as ``Gathering.take`` does."""
        if self._ended is not None:
            raise self._ended
        if self.state.standstill is not None:
            raise TableFrozenError if self.state.is_frozen else PausedError
        if self._gathering.take(step, seat, value):
            self._ask()

    def remember(self, commands: dict[str, StoredCommand]) -> None:
        """Take over the commands that a loaded table has applied."""
        for command_id, stored in commands.items():
            self._known[command_id] = stored

    def _put(self, envelope: Envelope) -> None:
        self._mail.append(envelope)
        if not self._is_busy:
            self._is_busy = True
            drive(self._work())

    async def _work(self) -> None:
        """Awaits futures alone: see ``drive``."""
        while self._mail:
            await self._handle(self._mail.popleft())
        self._is_busy = False
        if self._settling is not None:
            self._settling.set_result(None)
            self._settling = None

    async def _handle(self, envelope: Envelope) -> None:
        if self._ended is None and self._must_wait(envelope):
            if len(self._waiting) < MAILBOX:
                self._waiting.append(envelope)
            else:
                envelope.fail(OverloadedError(RETRY_AFTER_MS))
            return
        try:
            if self._ended is not None:
                raise self._ended
            revision = await self._apply(envelope)
        except Exception as error:
            envelope.fail(error)
        else:
            envelope.answer_with(revision)

    def _must_wait(self, envelope: Envelope) -> bool:
        """Whether it is a new move while the pile is being shuffled (R6.1)."""
        return self.state.awaits_stock and isinstance(envelope.command, Play) and envelope.command_id not in self._known

    async def _apply(self, envelope: Envelope) -> int:
        """Apply a command once; the revision it made, now or when it first came."""
        known = self._known.get(envelope.command_id)
        if known is not None:
            return envelope.as_before(known)
        world = self._world
        now = Now(world.clock.now_ms(), world.pace)
        try:
            events = decide(self.state, envelope.command, now)
        except NothingToDoError:
            # A clock that was early is due again; one that was overtaken has been replaced.
            self._alarms.set_again(self.state)
            return self.state.revision
        except Exception:
            # It may be a resend of one that is long past, which then was right.
            stored = await self._find(envelope)
            if stored is None:
                raise
            return envelope.as_before(stored)
        step = make_step(self.state, events, envelope.command)
        known = await self._journal(step, envelope, now.ms)
        if known is not None:
            return envelope.as_before(known)
        self.state = step.after
        self._known[envelope.command_id] = StoredCommand(envelope.digest, step.revision)
        self._follow_up()
        self._publish(step)
        return step.revision

    async def _journal(self, step: Step, envelope: Envelope, now_ms: int) -> StoredCommand | None:
        """Have a step kept. Where its command id was used before, what is remembered of that command instead."""
        journal, command = self._world.journal, envelope.command
        try:
            await journal.append(entry_of(step, command, envelope.command_id, envelope.digest, now_ms, self.epoch))
        except CommandTakenError:
            stored = await self._find(envelope)
            if stored is None:
                raise JournalError("a command id is taken by nothing") from None
            return stored
        except JournalError as error:
            self.broken_ms = command.since_ms if isinstance(command, Resume) else now_ms
            self.is_fenced = isinstance(error, FencedError)
            why = DrainingError() if self.is_fenced else error
            self._end(why)
            self.on_broken()
            raise why from error
        return None

    def _find(self, envelope: Envelope) -> "asyncio.Future[StoredCommand | None]":
        return asyncio.ensure_future(self._world.journal.find_command(self.state.table_id, envelope.command_id))

    def _publish(self, step: Step) -> None:
        self.ring.add(step)
        if self._world.log.is_enabled_for(DEBUG):
            events = [type(event).__name__ for event in step.events]
            self._world.log.debug("step.applied", table=step.after.table_id, revision=step.revision, events=events)
        for listener in self.listeners:
            try:
                listener(step)
            except Exception:
                _log.exception("step.not_told", table=step.after.table_id, revision=step.revision)

    def _follow_up(self) -> None:
        """After each step: the clock, what is due, and those who waited for a new stock."""
        state = self.state
        if self._ended is None:
            self._alarms.set(state)
        self._go_on_gathering()
        if match_is_due(state):
            self.tell(NextMatch(self._world.new_match_id()), f"match:{sum(state.series.wins)}")
        self._ask()
        if self._waiting and not state.awaits_stock:
            self._mail.extendleft(reversed(self._waiting))
            self._waiting.clear()

    @property
    def gathered(self) -> Gathered:
        """What clients have sent for the step that the shuffle is at."""
        return self._gathering.gathered

    def _go_on_gathering(self) -> None:
        """Begin with what clients send for the shuffle's next step, once it is there."""
        if not self._gathering.is_of(self.state.next_fair):
            self._gathering = Gathering(self.state)

    def _ask(self) -> None:
        """Ask for what is due now."""
        state, gathered = self.state, self._gathering.gathered
        ceremony = state.next_fair
        if self._ended is not None:
            self._ask_for(None)
            return
        at_promises = ceremony is not None and ceremony.step is CeremonyStep.PROMISING and state.standstill is None
        if ceremony is not None and at_promises and gathered.is_over and may_cut(ceremony, gathered):
            ctx = ceremony.context
            self.tell(CutDue(ctx, gathered.values), f"cut due:{ctx.match.hex()}:{ctx.deal_no}:{ctx.attempt}")
        self._ask_for(what_is_due(state, gathered))

    def _ask_for(self, due: Due | None) -> None:
        command_id = None if due is None else due_id(due)
        if self._asking is not None:
            if self._asking[0] == command_id:
                return
            self._asking[1].cancel()
            self._asking = None
        if due is not None and command_id is not None:
            self._asking = command_id, spawn(self._fetch(due, command_id), f"table {self.state.table_id} asks")

    async def _fetch(self, due: Due, command_id: str) -> None:
        """Get what is due and have it applied. Who gets it applied, or ends the table, cancels this."""
        world = self._world
        while True:
            command = await world.ask(self.state, due, self.epoch)
            try:
                answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
                self._put(Envelope(command, command_id, b"", answer))
                await answer
            except Exception as error:
                _log.exception("answer.refused", table=self.state.table_id, due=type(due).__name__, exc_info=error)
            await world.clock.sleep_ms(ASK_AGAIN_MS)

    def _gathering_over(self) -> None:
        self._gathering.end()
        self._ask()

    def _end(self, why: Exception) -> None:
        if self._ended is not None:
            return
        self._ended = why
        self._alarms.stop()
        self._ask_for(None)
        for envelope in self._waiting:
            envelope.fail(why)
        self._waiting.clear()


def _nobody_minds() -> None:
    """Until who runs the table says otherwise."""
