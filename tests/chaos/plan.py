"""What goes wrong, in which order: drawn by the seed."""

import random
from collections.abc import Iterator
from itertools import count
from typing import Final

KILL: Final = "kill"
KILL_TWO: Final = "kill two"
STOP: Final = "stop and continue"
TERM: Final = "sigterm"
CUT: Final = "cut before the answer"
POSTGRES: Final = "postgres restarts"
NATS: Final = "nats is killed"
SHUFFLE: Final = "shuffle is killed"

ONE_PROCESS: Final = (KILL, TERM)
SEVERAL: Final = (KILL, KILL_TWO, STOP, TERM, CUT, POSTGRES, NATS, SHUFFLE)
BESIDES: Final = {TERM: 2, CUT: 2}
"""In twenty kills, of each kind one else."""
EVERY: Final = 20


def faults(rng: random.Random, kinds: tuple[str, ...], kills: int) -> Iterator[str]:
    """So many kills and the other faults between them: each kind at least once, however few the kills."""
    for begun in count(0, EVERY):
        left = kills - begun
        if left <= 0:
            return
        batch = [kind for kind in kinds if kind not in (KILL, KILL_TWO) for _ in range(BESIDES.get(kind, 1))]
        doubles = int(KILL_TWO in kinds and left > 1)
        batch += [KILL_TWO] * doubles + [KILL] * (min(left, EVERY) - 2 * doubles)
        rng.shuffle(batch)
        yield from batch
