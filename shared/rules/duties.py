"""Duties and undo (R5.6, R5.8): cards that must be on the table before the turn ends."""

from collections.abc import Iterable

from shared.rules.actions import Undo
from shared.rules.cards import FIRST, JOKER, Bag, Face, bag_add, bag_remove
from shared.rules.events import Event, Undone
from shared.rules.options import Options
from shared.rules.refusal import Code, RefusedError
from shared.rules.state import DealState


def met_by(duties: Bag, laid: Iterable[Face]) -> Bag:
    """The duties left once these cards are on the table; any card of the face meets one (R5.6, R2.3)."""
    if duties:
        for face in laid:
            if duties & FIRST[face]:
                duties = bag_remove(duties, face)
    return duties


def after_release(duties: Bag, joker_released: bool, options: Options) -> Bag:
    """The duties with a released joker's, where it must be laid (R5.6)."""
    if joker_released and options.released_joker_must_be_laid:
        return bag_add(duties, JOKER)
    return duties


def fallback_for(state: DealState, duties: Bag) -> DealState | None:
    """Where an undo leads once an action has left these duties (R5.8)."""
    if not duties:
        return None
    return state.fallback if state.duties else state


def decide_undo(state: DealState, action: Undo) -> tuple[Event, ...]:
    """R5.8: while a duty is unmet, back to the last moment of the turn at which none was."""
    if state.fallback is None:
        raise RefusedError(Code.NOTHING_TO_UNDO)
    return (Undone(action.seat),)
