"""The random policy: any legal action, with a liking for those that bring a deal to an end."""

import random
from hashlib import blake2b
from typing import Final

from services.bots.policies.laying import after
from services.bots.policies.seat import seat_to_act
from shared.rules.actions import Amend, Discard, Draw, Lay, Pass, SeatAction, Take, Undo
from shared.rules.cards import bag_faces
from shared.rules.drawing import may_pass, takeable_depths
from shared.rules.legal import lay_offs, ready_melds
from shared.rules.state import DealState, Phase
from shared.rules.views import View

DEEPEST_TAKE: Final = 3
LAYS: Final = 0.8
"""How often something is laid where something can be."""


class Random:
    """Draws, takes, lays and throws by chance, which follows from the view and the seed."""

    def __init__(self, seed: str = "") -> None:
        self._seed = seed

    def choose(self, view: View) -> SeatAction:
        """See :class:`services.bots.policies.policy.Policy`."""
        state = seat_to_act(view)
        chance = chance_of(view, self._seed)
        if state.phase is Phase.PLAY:
            return _play(state, chance)
        ways: list[SeatAction] = [Pass(state.turn) if may_pass(state) else Draw(state.turn)]
        takes = [Take(state.turn, depth) for depth in takeable_depths(state)[:DEEPEST_TAKE]]
        # What is taken back leaves the same view, and so the same choice: only what can be settled at once is taken.
        ways += [take for take in takes if not (taken := after(state, take)).duties or _layings(taken)]
        return chance.choice(ways)


def chance_of(view: View, seed: str) -> random.Random:
    """Chance that follows from what a seat sees, and a seed: the same for the same, whatever was asked before."""
    return random.Random(blake2b(f"{seed} {view[:-1]}".encode(), digest_size=16).digest())


def _play(state: DealState, chance: random.Random) -> SeatAction:
    layings = [] if state.time_up else _layings(state)
    if state.duties:
        return chance.choice(layings) if layings else Undo(state.turn)
    if layings and chance.random() < LAYS:
        return chance.choice(layings)
    return Discard(state.turn, chance.choice(bag_faces(state.hands[state.turn])))


def _layings(state: DealState) -> list[SeatAction]:
    """New melds and lay-offs after which no duty is unmet."""
    seat = state.turn
    ways: list[SeatAction] = [Lay(seat, (cards,)) for cards in ready_melds(state)]
    ways += [
        Amend(seat, meld_id, layout)
        for meld_id, layout in lay_offs(state)
        if len(layout) > len(state.melds[meld_id - 1].cards)
    ]
    return [way for way in ways if not after(state, way).duties]
