"""One command on its way into the journal: the step that it makes, and the entry that keeps it. Pure."""

from services.table.commands import ClockOut, Command, Create, Deal, Outcome, Play, Reveal
from services.table.decide import create
from services.table.events import Created, Dealt, Moved, TableEvent
from services.table.evolve import created, evolve
from services.table.facts import facts_of
from services.table.journal import Entry
from services.table.moment import Now
from services.table.ring import Step
from services.table.state import Stage, TableState
from shared.rules.action_text import action_text
from shared.rules.actions import TIMEOUT, at_seat
from shared.rules.events import Reshuffled

CREATE_ID = "create"
"""The command id of a table's making."""


def first_step(table_id: str, command: Create, now: Now) -> Step:
    """The step that makes a table."""
    events = create(table_id, command, now)
    made = events[0]
    assert isinstance(made, Created)
    table = created(made)
    return _step((table, table), events)


def make_step(state: TableState, events: tuple[TableEvent, ...], command: Command) -> Step:
    """The step of the events that ``decide`` gave for a command. Raises ``RecordError`` for a deck that is none."""
    return _step((state,), events, _deck_of(command))


def _step(begun: tuple[TableState, ...], events: tuple[TableEvent, ...], deck: bytes = b"") -> Step:
    states = list(begun)
    for event in events[len(begun) - 1 :]:
        states.append(evolve(states[-1], event, deck))
    states[-1] = states[-1]._replace(revision=begun[0].revision + 1)
    return Step(events, tuple(states))


def entry_of(step: Step, command: Command, command_id: str, digest: bytes, at_ms: int, epoch: int) -> Entry:
    """What the journal keeps of a step, written by who owns the table under this epoch."""
    before, after = step.states[0], step.after
    about = (command.match_id, command.deal_no) if isinstance(command, Reveal) else (after.match_id, after.deal_no)
    return Entry(
        table_id=after.table_id,
        epoch=epoch,
        revision=step.revision,
        command_id=command_id,
        command_digest=digest,
        at_ms=at_ms,
        match_id=about[0],
        deal_no=about[1],
        action=_action_of(before, command),
        events=step.events,
        hidden=_hidden_of(step.events, command),
        state=after,
        facts=facts_of(step, at_ms),
    )


def _action_of(state: TableState, command: Command) -> str:
    """The record's text of a move (docs/record.md)."""
    if isinstance(command, ClockOut):
        return action_text(TIMEOUT) if state.stage is Stage.DEAL else ""
    if isinstance(command, Play):
        return "" if state.deal is None else action_text(at_seat(command.action, state.deal.turn))
    return ""


def _deck_of(command: Command) -> bytes:
    return command.deck if isinstance(command, Deal | Outcome) else b""


def _hidden_of(events: tuple[TableEvent, ...], command: Command) -> bytes:
    for event in events:
        if isinstance(event, Dealt):
            return _deck_of(command)
        if isinstance(event, Moved) and isinstance(event.event, Reshuffled):
            return event.event.stock
    return b""
