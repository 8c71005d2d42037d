"""The greedy policy: lays whatever is ready, takes from the pile what it can lay, throws what links least."""

from collections.abc import Sequence
from typing import Final

from services.bots.policies.laying import after, laid_out, next_lay_down, played_out, worth
from services.bots.policies.seat import seat_to_act
from shared.rules.actions import Discard, Draw, Pass, SeatAction, Take, Undo
from shared.rules.discard_choice import least_useful_card
from shared.rules.drawing import may_pass, takeable_depths
from shared.rules.state import DealState, Phase
from shared.rules.views import View

DEEPEST_TAKE: Final = 4
"""Cards taken at the most under ``any_depth``: one to lay, and few that come along."""


class Greedy:
    """Plays every card as soon as it can be played. Going out needs no last discard (R7.1), so none is kept for it."""

    def choose(self, view: View) -> SeatAction:
        """See :class:`services.bots.policies.policy.Policy`."""
        state = seat_to_act(view)
        if state.phase is Phase.DRAW:
            return _draw(state)
        action = None if state.time_up else next_lay_down(state)
        if action is not None:
            return action
        if state.duties:
            return Undo(state.turn)
        return Discard(state.turn, least_useful_card(state))


def _draw(state: DealState) -> SeatAction:
    """From the pile where more comes to lie on the table by it than without, else from the stock (R5.2)."""
    seat = state.turn
    best: SeatAction = Pass(seat) if may_pass(state) else Draw(seat)
    depths: Sequence[int] = takeable_depths(state)[:DEEPEST_TAKE]
    if not depths:
        return best
    most = worth(laid_out(state._replace(phase=Phase.PLAY)), seat)
    for depth in depths:
        end = played_out(after(state, Take(seat, depth)))
        value = worth(end, seat)
        if not end.duties and value > most:
            best, most = Take(seat, depth), value
    return best
