"""The stock run out (R6): looked at when a turn begins."""

from shared.rules.refusal import Code, RecordError
from shared.rules.state import DealState, Phase
from shared.rules.usable import can_use


def dead_at_turn_start(state: DealState) -> bool:
    """Whether the turn that begins can't be played, so that the deal is dead (R6.2)."""
    if state.phase is not Phase.DRAW or state.stock or state.may_reshuffle:
        return False
    if state.options.pile_take != "top_must_meld" or len(state.pile) != 1:
        return True
    return not can_use(state, state.pile[0])


def check_new_stock(state: DealState, stock: bytes) -> None:
    """Raise ``RecordError`` unless the new stock is the pile's cards but its top one (R6.1)."""
    if not state.reshuffle_due:
        raise RecordError("no reshuffle is due (R6.1)")
    if sorted(stock) != sorted(state.pile[:-1]):
        raise RecordError("the new stock is not the pile without its top card (R6.1)", Code.BAD_RECORD)
