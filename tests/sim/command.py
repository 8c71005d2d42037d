"""What the simulator's commands share: seeds to play, one after another, and what is said of them in the end."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from typing import TextIO

from tests.sim.simulation import Result
from tests.sim.world import ViolationError


def read_seeds(text: str) -> range:
    """A seed, or from..to."""
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)


def play_seeds(
    seeds: range, trace_path: str | None, play: Callable[[int, TextIO | None], Result], again: Callable[[int], str]
) -> int:
    """Play; 1 where something was violated. ``again``: how a seed is played again."""
    counts: Counter[str] = Counter()
    failed = []
    began_s = time.process_time()
    for seed in seeds:
        try:
            with open(trace_path, "w") if trace_path else nullcontext() as trace:
                result = play(seed, trace)
        except ViolationError as violation:
            failed.append(seed)
            print(f"{violation}\n  again: {again(seed)}", flush=True)
        else:
            counts.update(result.counts)
            if len(seeds) == 1:
                print(f"seed {seed}: {result.hash}")
    took_s = time.process_time() - began_s
    print(f"{len(seeds)} seeds, {took_s:.0f} s of processor time: {len(failed)} failed")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if failed else 0
