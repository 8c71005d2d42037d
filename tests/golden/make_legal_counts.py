"""Write `legal_counts.json`: positions of seeded play with how many things may be done in each, as perft is to chess.

    python -m tests.golden.make_legal_counts

Each count is compared with the second reading of the rules in `tests/support/brute.py` before it is written; where that
would take too long (long hands) the position says `"checked": false`.
"""

import json
import random
from pathlib import Path
from typing import Any

from shared.rules.legal import legal_actions
from shared.rules.notation import write_notation
from shared.rules.state import DealState, Phase
from tests.support.brute_state import (
    TooManyError,
    brute_amends,
    brute_can_use_top,
    brute_melds,
    coded,
    hand_of,
)
from tests.support.play import play, random_start
from tests.support.positions import random_middle, random_options

FILE = Path(__file__).parent / "legal_counts.json"
POSITIONS = 300
MOST_CHECKED_CARDS = 16
"""Cards in a hand that the second reading gets through in seconds."""


def position_of(seed: int) -> DealState | None:
    """A position somewhere in a random deal; None where there is nothing to count, or duties that no line tells."""
    rng = random.Random(f"legal counts {seed}")
    options = random_options(rng)
    start = random_start(rng, options)[0] if seed % 2 else random_middle(rng, options)
    state = start
    for step in play(rng, start, most_steps=rng.randrange(1, 150)):
        state = step.after
    if state.end is not None or state.duties or state.reshuffle_due:
        return None
    if state.phase is Phase.DRAW and seed % 3 == 0:
        return None
    return state


def counts(state: DealState) -> dict[str, int]:
    """How many new melds, new layouts, faces to throw, and depths to take."""
    legal = legal_actions(state)
    return {
        "melds": len(legal.melds),
        "amends": len(legal.amends),
        "discards": len(legal.discards),
        "takes": len(legal.take),
    }


def check(state: DealState) -> bool:
    """Compare with the second reading; False where it would take too long."""
    if len(hand_of(state)) > MOST_CHECKED_CARDS:
        return False
    legal = legal_actions(state)
    if state.phase is Phase.PLAY:
        lays = not state.time_up
        assert [coded(cards) for cards in legal.melds] == (brute_melds(state) if lays else [])
        assert [(number, coded(cards)) for number, cards in legal.amends] == (brute_amends(state) if lays else [])
        assert list(coded(bytes(legal.discards))) == sorted(set(hand_of(state)))
    elif state.options.pile_take == "any_depth":
        assert len(legal.take) == len(state.pile)
    else:
        try:
            assert bool(legal.take) == (bool(state.pile) and brute_can_use_top(state))
        except TooManyError:
            return False
    return True


def main() -> None:
    """Write the file."""
    lines: list[str] = []
    checked = seed = 0
    while len(lines) < POSITIONS:
        state = position_of(seed)
        seed += 1
        if state is not None:
            sure = check(state)
            checked += sure
            entry: dict[str, Any] = {"position": write_notation(state), **counts(state), "checked": sure}
            lines.append(json.dumps(entry))
    FILE.write_text('{"positions": [\n' + ",\n".join(lines) + "\n]}\n")
    print(f"{len(lines)} positions, {checked} of them checked by the second reading")


if __name__ == "__main__":
    main()
