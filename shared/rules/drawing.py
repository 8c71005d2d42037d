"""The draw of a turn (R5.2): from the stock, or from the pile; and declining the last card (R6.2)."""

from shared.rules.actions import Draw, Pass, Take
from shared.rules.events import DealEnded, Drew, Event, Passed, Took
from shared.rules.refusal import Code, RefusedError
from shared.rules.state import DealState, Phase
from shared.rules.usable import can_use


def require_draw_phase(state: DealState) -> None:
    """Raise ``RefusedError`` where the turn is past its draw."""
    if state.phase is not Phase.DRAW:
        raise RefusedError(Code.TIME_IS_UP if state.time_up else Code.ALREADY_DRAWN)


def decide_draw(state: DealState, action: Draw) -> tuple[Event, ...]:
    """R5.2: the front card of the stock."""
    require_draw_phase(state)
    if not state.stock:
        raise RefusedError(Code.STOCK_EMPTY)
    return (Drew(action.seat),)


def decide_take(state: DealState, action: Take) -> tuple[Event, ...]:
    """R5.2: the top card if it can be used (``top_must_meld``), or any card and all above it (``any_depth``)."""
    require_draw_phase(state)
    if not state.pile:
        raise RefusedError(Code.PILE_EMPTY)
    if state.options.pile_take == "top_must_meld":
        if action.depth != 1:
            raise RefusedError(Code.TOP_CARD_ONLY)
        if not can_use(state, state.pile[-1]):
            raise RefusedError(Code.CARD_NOT_USABLE)
    elif not 1 <= action.depth <= len(state.pile):
        raise RefusedError(Code.BAD_COUNT)
    return (Took(action.seat, action.depth),)


def takeable_depths(state: DealState) -> range:
    """The depths that ``Take`` accepts now (R5.2)."""
    if state.phase is not Phase.DRAW or not state.pile:
        return range(0)
    if state.options.pile_take == "any_depth":
        return range(1, len(state.pile) + 1)
    return range(1, 2) if can_use(state, state.pile[-1]) else range(0)


def may_pass(state: DealState) -> bool:
    """Whether the turn stands before the pile's last card with no stock to draw from (R6.2)."""
    return state.phase is Phase.DRAW and not state.stock and not state.reshuffle_due


def decide_pass(state: DealState, action: Pass) -> tuple[Event, ...]:
    """R6.2: the last card is declined, and the deal is dead."""
    require_draw_phase(state)
    if not may_pass(state):
        raise RefusedError(Code.PASS_NOT_ALLOWED)
    return Passed(action.seat), DealEnded("dead", None, False)
