"""What is done in place of a policy that gives no answer: legal, found in no time, as good as the clock's own moves."""

from services.bots.policies.seat import seat_to_act
from shared.rules.actions import Discard, Draw, Pass, SeatAction, Undo
from shared.rules.discard_choice import least_useful_card
from shared.rules.drawing import may_pass
from shared.rules.state import Phase
from shared.rules.views import View


class Fallback:
    """Draws, takes back what cannot be finished, throws the card that the server would throw (R9.2, R9.3)."""

    def choose(self, view: View) -> SeatAction:
        """See :class:`services.bots.policies.policy.Policy`."""
        state = seat_to_act(view)
        seat = state.turn
        if state.phase is Phase.DRAW:
            return Pass(seat) if may_pass(state) else Draw(seat)
        if state.duties:
            return Undo(seat)
        return Discard(seat, least_useful_card(state))
