"""The state that a policy thinks in: its own seat's, at a moment when there is something to choose."""

from shared.rules.state import DealState, Phase
from shared.rules.views import View, seat_state


def seat_to_act(view: View) -> DealState:
    """The state as the seat to act knows it: of the others' hands and of the stock nothing but what a view says.

    Raises ``ValueError`` where the view is not that of the seat to act, or nobody may act.
    """
    state = seat_state(view)
    if view.viewer != state.turn or state.phase is Phase.OVER or state.reshuffle_due:
        raise ValueError("there is nothing for this seat to choose")
    return state
