"""One table, one actor: a bounded mailbox, and one command at a time through
validate, decide, **journal**, evolve, answer, publish, in that order.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import structlog

from services.table.commands import ClockOut, Command, NextMatch, Play
from services.table.decide import Now, decide, match_is_due
from services.table.due import Due, what_is_due
from services.table.events import Dealt, Moved, TableEvent
from services.table.evolve import evolve
from services.table.facts import facts_of
from services.table.journal import CommandTakenError, Entry, Journal, JournalError, StoredCommand
from services.table.refusals import CommandReusedError, NothingToDoError, OverloadedError
from services.table.ring import Ring, Step
from services.table.state import Stage, TableState
from shared.kit.clock import Clock, Pace, Timer
from shared.kit.limits import BoundedDict
from shared.kit.tasks import spawn
from shared.rules.action_text import action_text
from shared.rules.actions import TIMEOUT, at_seat
from shared.rules.events import Reshuffled

MAILBOX: Final = 64
REMEMBERED_COMMANDS: Final = 512
RETRY_AFTER_MS: Final = 250

_log = structlog.get_logger("table.actor")

Asker = Callable[[TableState, Due], Awaitable[Command]]
"""Gets what a table waits for from another service; tries until it has it."""
Listener = Callable[[Step], None]


class Envelope(NamedTuple):
    """A command on its way, with who waits for its revision."""

    command: Command
    command_id: str
    digest: bytes
    answer: "asyncio.Future[int] | None"


class TableActor:
    """Runs one table.

    ``broken`` is set once it is not known what the journal holds: whoever has the actor then loads the table anew.
    """

    def __init__(
        self,
        state: TableState,
        journal: Journal,
        clock: Clock,
        pace: Pace,
        ask: Asker,
        new_match_id: Callable[[], bytes],
    ) -> None:
        self.state = state
        self.ring = Ring()
        self.listeners: list[Listener] = []
        self.broken = False
        self._journal = journal
        self._clock = clock
        self._pace = pace
        self._ask = ask
        self._new_match_id = new_match_id
        self._mail: asyncio.Queue[Envelope] = asyncio.Queue()
        self._waiting: deque[Envelope] = deque()
        self._known: BoundedDict[str, StoredCommand] = BoundedDict(REMEMBERED_COMMANDS)
        self._timer: Timer | None = None
        self._asking: tuple[Due, asyncio.Task[None]] | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to take mail, to keep the clock and to ask for what is due."""
        self._task = spawn(self._run(), f"table {self.state.table_id}")
        self._follow_up()

    async def stop(self) -> None:
        """Take no more mail. What was accepted is in the journal; who still waits is told to try again."""
        self._stop_waiting()
        for task in (self._asking[1] if self._asking else None, self._task):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        self._fail_all(OverloadedError(RETRY_AFTER_MS))

    async def submit(self, command: Command, command_id: str, digest: bytes) -> int:
        """Have a command applied; the table's revision that it made.

        Raises what ``decide`` raises, ``CommandReusedError`` where the id was given to another command,
        ``OverloadedError`` where the mailbox is full, ``JournalError`` where the outcome is not known.
        """
        if self.broken:
            raise JournalError("the table is loaded anew")
        if self._mail.qsize() >= MAILBOX:
            raise OverloadedError(RETRY_AFTER_MS)
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._mail.put_nowait(Envelope(command, command_id, digest, answer))
        return await answer

    def tell(self, command: Command, command_id: str) -> None:
        """Give the table a command of its own process, and wait for nothing. There are a few of these at a time."""
        if not self.broken:
            self._mail.put_nowait(Envelope(command, command_id, b"", None))

    def remember(self, commands: dict[str, StoredCommand]) -> None:
        """Take over the commands that a loaded table has applied."""
        for command_id, stored in commands.items():
            self._known[command_id] = stored

    async def _run(self) -> None:
        while not self.broken and not self._is_done():
            await self._handle(await self._mail.get())
        self._stop_waiting()
        while not self._mail.empty():
            await self._handle(self._mail.get_nowait())

    def _is_done(self) -> bool:
        """Closed, and every secret revealed."""
        return self.state.stage is Stage.CLOSED and not self.state.unrevealed

    async def _handle(self, envelope: Envelope) -> None:
        if self.broken:
            _fail(envelope, JournalError("the table is loaded anew"))
            return
        if isinstance(envelope.command, Play) and self.state.deal is not None and self.state.deal.reshuffle_due:
            if len(self._waiting) < MAILBOX:
                self._waiting.append(envelope)
            else:
                _fail(envelope, OverloadedError(RETRY_AFTER_MS))
            return
        try:
            revision = await self._apply(envelope)
        except JournalError as error:
            self.broken = True
            _fail(envelope, error)
            self._fail_all(error)
        except Exception as error:
            _fail(envelope, error)
        else:
            if envelope.answer is not None and not envelope.answer.done():
                envelope.answer.set_result(revision)

    async def _apply(self, envelope: Envelope) -> int:
        """Apply a command once; the revision it made, now or when it first came."""
        known = self._known.get(envelope.command_id)
        if known is not None:
            return _same(known, envelope)
        now = Now(self._clock.now_ms(), self._pace)
        try:
            events = decide(self.state, envelope.command, now)
        except NothingToDoError:
            return self.state.revision
        except Exception:
            # It may be a resend of one that is long past, which then was right.
            stored = await self._journal.find_command(self.state.table_id, envelope.command_id)
            if stored is None:
                raise
            return _same(stored, envelope)
        step = self._step(events, envelope.command)
        try:
            await self._journal.append(self._entry(envelope, step, now.ms))
        except CommandTakenError:
            stored = await self._journal.find_command(self.state.table_id, envelope.command_id)
            if stored is None:
                raise JournalError("a command id is taken by nothing") from None
            return _same(stored, envelope)
        self.state = step.after
        self._known[envelope.command_id] = StoredCommand(envelope.digest, step.revision)
        self.ring.add(step)
        for listener in self.listeners:
            listener(step)
        self._follow_up()
        return step.revision

    def _step(self, events: tuple[TableEvent, ...], command: Command) -> Step:
        deck = getattr(command, "deck", b"")
        states = [self.state]
        for event in events:
            states.append(evolve(states[-1], event, deck))
        states[-1] = states[-1]._replace(revision=self.state.revision + 1)
        return Step(events, tuple(states))

    def _entry(self, envelope: Envelope, step: Step, at_ms: int) -> Entry:
        command = envelope.command
        return Entry(
            table_id=self.state.table_id,
            revision=step.revision,
            command_id=envelope.command_id,
            command_digest=envelope.digest,
            at_ms=at_ms,
            action=_action_of(self.state, command),
            events=step.events,
            hidden=_hidden_of(step, command),
            state=step.after,
            facts=facts_of(step, at_ms),
        )

    def _follow_up(self) -> None:
        """After each step: the clock, what is due, and those who waited for a new stock."""
        state = self.state
        self._set_timer(state.deadline_ms)
        if match_is_due(state):
            self.tell(NextMatch(self._new_match_id()), f"match:{len(state.series.wins)}:{sum(state.series.wins)}")
        due = what_is_due(state)
        if due is not None and (self._asking is None or self._asking[0] != due):
            self._asking = (due, spawn(self._fetch(due), f"table {state.table_id} asks"))
        if self._waiting and not (state.deal is not None and state.deal.reshuffle_due):
            waiting, self._waiting = self._waiting, deque()
            for envelope in waiting:
                self._mail.put_nowait(envelope)

    async def _fetch(self, due: Due) -> None:
        command = await self._ask(self.state, due)
        ctx = due.context
        number = getattr(due, "number", 0)
        self.tell(command, f"{type(due).__name__}:{ctx.match.hex()}:{ctx.deal_no}:{ctx.attempt}:{number}")
        self._asking = None

    def _set_timer(self, deadline_ms: int | None) -> None:
        self._stop_waiting()
        if deadline_ms is None or self.state.stage is Stage.CLOSED:
            return
        wait_ms = max(0, deadline_ms - self._clock.now_ms())
        self._timer = self._clock.call_at(self._clock.monotonic_ms() + wait_ms, lambda: self._ring_out(deadline_ms))

    def _ring_out(self, deadline_ms: int) -> None:
        if self._clock.now_ms() < deadline_ms:  # the wall's clock was set back meanwhile
            self._set_timer(deadline_ms)
            return
        state = self.state
        turn = 0 if state.deal is None else state.deal.turn_no
        moment = f"{state.match_id.hex()}:{state.deal_no}:{turn}:{deadline_ms}"
        self.tell(ClockOut(deadline_ms), f"clock:{state.stage}:{moment}")

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fail_all(self, error: Exception) -> None:
        while not self._mail.empty():
            _fail(self._mail.get_nowait(), error)
        while self._waiting:
            _fail(self._waiting.popleft(), error)


def _same(stored: StoredCommand, envelope: Envelope) -> int:
    if stored.command_digest != envelope.digest:
        raise CommandReusedError
    return stored.revision


def _fail(envelope: Envelope, error: Exception) -> None:
    if envelope.answer is None:
        if not isinstance(error, OverloadedError | JournalError):
            _log.error("table.refused_itself", command=type(envelope.command).__name__, exc_info=error)
    elif not envelope.answer.done():
        envelope.answer.set_exception(error)


def _action_of(state: TableState, command: Command) -> str:
    """The record's text of a move (docs/record.md)."""
    if isinstance(command, ClockOut):
        return action_text(TIMEOUT) if state.stage is Stage.DEAL else ""
    if isinstance(command, Play):
        seat = state.seat_of(command.account)
        return "" if seat is None else action_text(at_seat(command.action, seat))
    return ""


def _hidden_of(step: Step, command: Command) -> bytes:
    for event in step.events:
        if isinstance(event, Dealt):
            return bytes(getattr(command, "deck", b""))
        if isinstance(event, Moved) and isinstance(event.event, Reshuffled):
            return event.event.stock
    return b""
