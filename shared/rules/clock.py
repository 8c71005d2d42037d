"""The clock's moves (R9.2): what happens when a turn's time runs out."""

from shared.rules.actions import Timeout
from shared.rules.discard_choice import least_useful_card
from shared.rules.events import DealEnded, Drew, Event, Passed, TimeRanOut, Undone
from shared.rules.state import DealState, Phase
from shared.rules.turn_end import end_turn


def decide_timeout(state: DealState, action: Timeout) -> tuple[Event, ...]:
    """First an unmet duty is undone and a card drawn, so that only a discard is left; then the server discards."""
    if state.time_up:
        return end_turn(state, least_useful_card(state), by_clock=True)
    seat = state.turn
    events: list[Event] = []
    if state.fallback is not None:
        events.append(Undone(seat))
        state = state.fallback
    if state.phase is Phase.DRAW:
        if not state.stock:
            return *events, Passed(seat), DealEnded("dead", None, False)
        events.append(Drew(seat))
    return *events, TimeRanOut(seat)
