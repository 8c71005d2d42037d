"""What goes wrong, in which order: drawn by the seed."""

import random
from collections.abc import Iterator, Mapping
from typing import Final

KILL: Final = "kill"
KILL_TWO: Final = "kill two"
KILL_AGAIN: Final = "kill, and again as it starts"
STOP: Final = "stop and continue"
TERM: Final = "sigterm"
CUT: Final = "cut before the answer"
POSTGRES: Final = "postgres restarts"
NATS: Final = "nats is killed"
SHUFFLE: Final = "shuffle is killed"

ONE_PROCESS: Final = (KILL, KILL_AGAIN, TERM)
SEVERAL: Final = (KILL, KILL_AGAIN, KILL_TWO, STOP, TERM, CUT, POSTGRES, NATS, SHUFFLE)
TWICE: Final = (KILL_AGAIN, KILL_TWO)
"""Two kills each."""
BESIDES: Final = {TERM: 2, CUT: 2}
"""In twenty kills, of each kind one else."""
EVERY: Final = 20


def faults(rng: random.Random, kinds: tuple[str, ...], kills: int) -> Iterator[str]:
    """So many kills, and the other faults between them: each of those at least once, however few the kills."""
    for left in range(kills, 0, -EVERY):
        batch = [kind for kind in kinds if kind not in (KILL, *TWICE) for _ in range(BESIDES.get(kind, 1))]
        doubles = [kind for kind in TWICE if kind in kinds][: left // 2]
        batch += [*doubles, *[KILL] * (min(left, EVERY) - 2 * len(doubles))]
        rng.shuffle(batch)
        yield from batch


def killed(counts: Mapping[str, int]) -> int:
    """How many processes were killed by so many faults of each kind."""
    return counts[KILL] + 2 * sum(counts[kind] for kind in TWICE)
