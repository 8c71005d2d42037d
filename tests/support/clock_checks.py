"""What must hold of a table's clocks from one journal entry to the next (R9)."""

from collections.abc import Iterator

from services.table.events import ClockSet, Moved
from services.table.state import Stage, TableState
from shared.rules import events as rules
from tests.support.books import Appended, Book


def is_resumed(entry: Appended) -> bool:
    """Whether an outage is given back with it."""
    return entry.command_id.startswith("resume:")


def is_rung(entry: Appended) -> bool:
    """Whether a clock has run out with it."""
    ran_out = any(isinstance(event, Moved) and isinstance(event.event, rules.TimeRanOut) for event in entry.events)
    return ran_out or entry.command_id.startswith("clock:")


def stands_or_goes_on(entry: Appended) -> bool:
    """Whether an operator, or the players' break, has the table stand still, go on, or end."""
    before = entry.before
    changes = before is not None and (before.standstill is None) != (entry.after.standstill is None)
    return changes or entry.command_id.startswith("operator:")


def standstill_faults(entry: Appended) -> Iterator[str]:
    """A table that goes on with other clocks than it had when it began to stand still; one that is ended has none."""
    assert entry.before is not None
    before, after = entry.before.standstill, entry.after.standstill
    if before is not None and after is not None:
        if before != after:
            yield "it stands still with other clocks than before"
    elif after is not None:
        if (after.since_ms, after.deadline_ms) != (entry.at_ms, entry.before.deadline_ms):
            yield f"it stands still with {after} instead of {entry.before.deadline_ms}"
    elif before is not None and before.deadline_ms is not None and entry.after.stage is not Stage.CLOSED:
        left_ms, had_ms = (entry.after.deadline_ms or 0) - entry.at_ms, before.deadline_ms - before.since_ms
        if left_ms != had_ms:
            yield f"it goes on with {left_ms} ms instead of {had_ms}"


def clock_faults(entry: Appended, turn_ms: int) -> Iterator[str]:
    """A clock that rings early or twice, or a turn that is shortened. ``turn_ms``: what a turn has there."""
    before, after, at_ms = entry.before, entry.after, entry.at_ms
    assert before is not None
    if before.standstill is not None and any(isinstance(event, Moved | ClockSet) for event in entry.events):
        yield "something happened at a table that stands still"
    was_ms, is_ms = before.deadline_ms, after.deadline_ms
    if is_rung(entry):
        if was_ms is None or at_ms < was_ms:
            yield f"a clock set to {was_ms} rang at {at_ms}"
        if is_ms == was_ms:
            yield "a clock rang and is set to the same moment again"
    elif _same_turn(before, after) and was_ms is not None and is_ms != was_ms:
        yield f"the clock was set from {was_ms} to {is_ms} within a turn"
    is_new_turn = after.deal is not None and after.stage is Stage.DEAL and not _same_turn(before, after)
    if is_new_turn and is_ms is not None and is_ms != at_ms + turn_ms:
        yield f"a turn has {is_ms - at_ms} ms instead of {turn_ms}"


def credit_faults(book: Book, entry: Appended, *, least_unsure_ms: int, most_unsure_ms: int) -> Iterator[str]:
    """An outage that has cost somebody more than ``least_unsure_ms``, or of which more than ``most_unsure_ms`` too much
    is given back."""
    assert entry.before is not None
    was_ms, is_ms, down_ms = entry.before.deadline_ms, entry.after.deadline_ms, book.down_since_ms
    if was_ms is None:
        return
    if is_ms is None or is_ms < was_ms:
        yield f"an outage moved a clock from {was_ms} to {is_ms}"
        return
    short_ms = 0 if down_ms is None else was_ms - down_ms - is_ms + entry.at_ms
    if short_ms > least_unsure_ms:
        yield f"an outage has cost somebody {short_ms} ms"
    elif is_ms - was_ms > entry.at_ms - book.last_ms + most_unsure_ms:
        yield "more was given back than has passed since the entry before"


def _same_turn(before: TableState, after: TableState) -> bool:
    """Whether the clock of one turn runs before and after."""
    if before.stage is not Stage.DEAL or after.stage is not Stage.DEAL or before.deal is None or after.deal is None:
        return False
    return (before.match_id, before.deal_no, before.deal.turn_no) == (after.match_id, after.deal_no, after.deal.turn_no)
