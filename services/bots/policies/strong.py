"""The strong policy: it waits for all in one turn where that pays, takes deep, and weighs what it throws."""

from typing import Final

from services.bots.policies.laying import after, laid_out, next_lay_down, played_out, worth
from services.bots.policies.seat import seat_to_act
from services.bots.policies.waiting import ends_with_a_throw, left_over, spared, waits
from services.bots.policies.weighing import weighed
from shared.rules.actions import Discard, Draw, Pass, SeatAction, Take, Undo
from shared.rules.cards import bag_size
from shared.rules.drawing import may_pass, takeable_depths
from shared.rules.scoring import OUT_BONUS
from shared.rules.state import DealState, Phase
from shared.rules.views import View

DEEPEST_TAKE: Final = 7
CARD_TAKEN: Final = 2
"""What each card more in the hand costs where many come along, in half-points, besides what ``worth`` takes for it."""


class Strong:
    """Its first candidate."""

    def choose(self, view: View) -> SeatAction:
        """See :class:`services.bots.policies.policy.Policy`."""
        return candidates(view, seat_to_act(view))[0][1]


def candidates(view: View, state: DealState) -> list[tuple[float, SeatAction]]:
    """What the seat to act may sensibly do, the best first, each with what it costs in points beside it.

    Costs compare within one call alone. ``state``: the seat's own, by ``seat_to_act``. A lay-down stands alone.
    """
    if state.phase is Phase.DRAW:
        return _draws(view, state)
    spare = 0 if state.time_up else spared(view, state)
    if not spare and not state.time_up and not ends_with_a_throw(state):
        action = next_lay_down(state)
        if action is not None:
            return [(0.0, action)]
    seat = state.turn
    if state.duties:
        return [(0.0, Undo(seat))]
    return [(cost, Discard(seat, face)) for cost, face in weighed(view, state, spare or state.hands[seat])]


def _draws(view: View, state: DealState) -> list[tuple[float, SeatAction]]:
    """The stock, and the takes by which more comes to lie on the table than without (R5.2)."""
    seat = state.turn
    stock: SeatAction = Pass(seat) if may_pass(state) else Draw(seat)
    depths = takeable_depths(state)[:DEEPEST_TAKE]
    if not depths:
        return [(0.0, stock)]
    waiting = not may_pass(state) and waits(view, state, left_over(state))
    without = _value(laid_out(state._replace(phase=Phase.PLAY)))
    ways: list[tuple[float, SeatAction]] = [(0.0, stock)]
    for depth in depths:
        end = played_out(after(state, Take(seat, depth)))
        gain = _value(end) - without
        if not end.duties and gain > 0 and (_is_out(end) or not waiting):
            ways.append((-gain / 2, Take(seat, depth)))
    return sorted(ways, key=lambda way: way[0])


def _is_out(state: DealState) -> bool:
    """Whether the seat is out, or will be by the card that it throws (R7.1)."""
    return state.end is not None or bag_size(state.hands[state.turn]) <= 1


def _value(state: DealState) -> int:
    cards = bag_size(state.hands[state.turn])
    value = worth(state, state.turn)
    if state.options.pile_take == "any_depth":
        value -= CARD_TAKEN * cards
    if cards == 1:
        value += OUT_BONUS
    return value
