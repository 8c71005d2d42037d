"""The end of a turn (R5.7), and of a deal by it (R6.2, R6.3, R7.1)."""

from shared.rules.actions import Discard
from shared.rules.cards import FIRST, Face
from shared.rules.events import DealEnded, Discarded, Event
from shared.rules.evolve import evolve
from shared.rules.refusal import Code, RefusedError
from shared.rules.scoring import all_in_one_turn
from shared.rules.state import LAST_TURN, DealState, Phase
from shared.rules.stock import dead_at_turn_start


def decide_discard(state: DealState, action: Discard) -> tuple[Event, ...]:
    """R5.7: any card of the hand, once no duty is unmet."""
    if state.phase is not Phase.PLAY:
        raise RefusedError(Code.MUST_DRAW_FIRST)
    if state.duties:
        raise RefusedError(Code.DUTY_UNMET)
    if not state.hands[action.seat] & FIRST[action.card]:
        raise RefusedError(Code.CARD_NOT_IN_HAND)
    return end_turn(state, action.card, by_clock=False)


def end_turn(state: DealState, card: Face, *, by_clock: bool) -> tuple[Event, ...]:
    """The events of throwing this card of the acting seat's hand."""
    seat = state.turn
    discarded = Discarded(seat, card, by_clock)
    if state.hands[seat] == FIRST[card]:
        return discarded, DealEnded("out", seat, all_in_one_turn(state))
    if state.turn_no >= LAST_TURN or (not state.stock and dead_at_turn_start(evolve(state, discarded))):
        return discarded, DealEnded("dead", None, False)
    return (discarded,)
