"""How long a person would take over an action: no move is instant, and none stalls."""

import random
from typing import Final

from shared.rules.actions import Amend, Discard, Draw, Lay, Pass, SeatAction, Take, Undo

SHARE_OF_CLOCK: Final = 4
"""A bot pauses for a quarter of the time that it has left, at the most."""
PAUSES_MS: Final[dict[type, tuple[int, int]]] = {
    Draw: (500, 1_300),
    Take: (800, 1_800),
    Pass: (800, 1_800),
    Lay: (700, 1_600),
    Amend: (600, 1_400),
    Undo: (400, 900),
    Discard: (700, 1_900),
}
"""How long people take over each kind of action, from and to."""
PONDERED: Final = 0.1
"""How often they think twice as long."""


def pause_ms(action: SeatAction, percent: int, moment: str) -> int:
    """What a person would take over it; ``moment`` settles it within its range, so that it is the same again."""
    chance = random.Random(moment)
    low, high = PAUSES_MS[type(action)]
    usual_ms = chance.randint(low, high) * percent // 100
    return 2 * usual_ms if chance.random() < PONDERED else usual_ms
