"""The easy policy: greedy, but that it overlooks things as beginners do."""

from typing import Final

from services.bots.policies.aimless import chance_of
from services.bots.policies.fallback import Fallback
from services.bots.policies.greedy import Greedy
from services.bots.policies.seat import seat_to_act
from shared.rules.actions import Discard, SeatAction
from shared.rules.cards import IS_PLAIN, bag_faces
from shared.rules.discard_choice import least_useful_card
from shared.rules.state import Phase
from shared.rules.views import View

OVERLOOKS: Final = 0.3
"""How often: a card to take, a meld to lay, or which card is to be missed least."""


class Easy:
    """Never lays or takes what it should not; it is late with what it could."""

    def __init__(self, seed: str = "") -> None:
        self._seed = seed
        self._greedy = Greedy()
        self._fallback = Fallback()

    def choose(self, view: View) -> SeatAction:
        """See :class:`services.bots.policies.policy.Policy`."""
        state = seat_to_act(view)
        chance = chance_of(view, self._seed)
        # A duty that was taken on is met: who is led astray there would take and undo for ever.
        if state.duties or chance.random() >= OVERLOOKS:
            return self._greedy.choose(view)
        if state.phase is Phase.DRAW:
            return self._fallback.choose(view)
        plain = [face for face in bag_faces(state.hands[state.turn]) if IS_PLAIN[face]]
        return Discard(state.turn, chance.choice(plain) if plain else least_useful_card(state))
