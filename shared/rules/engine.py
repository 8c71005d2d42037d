"""The engine: ``decide(state, action) -> events`` or a refusal, and ``evolve(state, event) -> state``."""

from collections.abc import Callable
from typing import Any, Final

from shared.rules.actions import Action, Amend, Discard, Draw, Lay, Pass, Take, Timeout, Undo
from shared.rules.clock import decide_timeout
from shared.rules.drawing import decide_draw, decide_pass, decide_take
from shared.rules.duties import decide_undo
from shared.rules.events import Event
from shared.rules.evolve import evolve
from shared.rules.laying import decide_amend, decide_lay
from shared.rules.refusal import Code, RefusedError
from shared.rules.state import DealState, Phase
from shared.rules.turn_end import decide_discard

__all__ = ["apply", "decide", "evolve"]

_DECIDE: Final[dict[type, Callable[[DealState, Any], tuple[Event, ...]]]] = {
    Draw: decide_draw,
    Take: decide_take,
    Pass: decide_pass,
    Lay: decide_lay,
    Amend: decide_amend,
    Undo: decide_undo,
    Discard: decide_discard,
}


def decide(state: DealState, action: Action) -> tuple[Event, ...]:
    """The events that an action makes (R5).

    Raises ``RefusedError`` with the rule's code; the state is a value and stays as it is (R5.9). Raises
    ``ValueError`` while a reshuffle is due: its new stock comes from the fair shuffle, not from a player (R6.1).
    """
    if state.phase is Phase.OVER:
        raise RefusedError(Code.DEAL_OVER)
    if state.reshuffle_due:
        raise ValueError("a reshuffle is due before any action (R6.1)")
    if type(action) is Timeout:
        return decide_timeout(state, action)
    if action.seat != state.turn:  # type: ignore[union-attr]  # only Timeout has no seat
        raise RefusedError(Code.NOT_YOUR_TURN)
    return _DECIDE[type(action)](state, action)


def apply(state: DealState, action: Action) -> tuple[tuple[Event, ...], DealState]:
    """``decide``, and the state after all its events."""
    events = decide(state, action)
    for event in events:
        state = evolve(state, event)
    return events, state
