"""What a hand that waits to lay all in one turn throws: the card without which the next one most likely ends it (R7.3).

For each card that could go, and each that may come, all that the hand can then lay is laid, in columns.
"""

from typing import Final

import numpy as np

from services.bots.policies.lanes import CARD_OF, count, held, in_runs
from services.bots.policies.laydown import LayDown
from services.bots.policies.reading import unseen_counts
from services.bots.policies.rows import FIRST, JOKERS, KEEP, ROWS, SECOND, TWOS, give
from services.bots.policies.waiting import spared
from services.bots.policies.weighing import weighed
from shared.rules.cards import FACES, Face, bag_remove
from shared.rules.state import DealState
from shared.rules.views import View

STILL: Final = 0.9
"""What a hand is worth that lacks one card more, as a share of one that lacks one less."""
LINKED: Final = 0.4
"""Two cards that lack a third, as a share of a card that is lacking no more."""
POINT: Final = 0.002
"""What a point of what a throw costs otherwise counts beside it."""


def finishing_throw(view: View, state: DealState) -> Face | None:
    """The card to throw, in phase play; ``None`` for a seat that does not wait."""
    spare = spared(view, state)
    if not spare:
        return None
    seat = state.turn
    throws = weighed(view, state, spare)
    coming = np.array(unseen_counts(state, seat))
    rows = np.zeros((ROWS, len(throws) * FACES), dtype=np.int64)
    for at, (_, face) in enumerate(throws):
        some = slice(at * FACES, (at + 1) * FACES)
        hand = held(bag_remove(state.hands[seat], face))
        for row, number in zip((FIRST, SECOND, TWOS, JOKERS), hand, strict=True):
            rows[row + seat, some] = number
    give(rows, seat, np.tile(CARD_OF, len(throws)))
    rows[KEEP] = FACES
    deals = LayDown(state.options, rows)
    deals.lay(seat)
    rest = in_runs(deals.rows[FIRST + seat])
    pairs = count(rest & (rest >> 1 | rest >> 2)).astype(np.int64)
    lacking = np.maximum(deals.size(seat), 1) - 1 - LINKED * pairs
    worth = (STILL**lacking).reshape(len(throws), FACES) @ coming / max(1, coming.sum())
    worth -= POINT * np.array([cost for cost, _ in throws])
    return throws[int(worth.argmax())][1]
