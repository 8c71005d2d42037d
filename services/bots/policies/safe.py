"""The safe policy: greedy, but it minds what it will miss and who could use what it throws."""

from services.bots.policies.greedy import Greedy
from services.bots.policies.seat import seat_to_act
from services.bots.policies.throwing import throws
from shared.rules.actions import Discard, SeatAction
from shared.rules.views import View


class Safe(Greedy):
    """Draws and lays as :class:`Greedy` does, and throws by ``throwing.py``."""

    def choose(self, view: View) -> SeatAction:
        """See :class:`services.bots.policies.policy.Policy`."""
        action = super().choose(view)
        if not isinstance(action, Discard):
            return action
        return Discard(action.seat, throws(view, seat_to_act(view))[0][1])
