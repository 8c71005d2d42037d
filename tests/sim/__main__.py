"""Plays seeds, and says of each that violates something how to play it again.

python -m tests.sim 1..100
python -m tests.sim 17 --trace trace.txt
"""

import argparse
import sys
import time
from collections import Counter
from contextlib import nullcontext

from tests.sim.plan import MIXED, PLANS
from tests.sim.simulation import simulate
from tests.sim.world import ViolationError


def main(arguments: list[str]) -> int:
    """Play; 1 where something was violated."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description="Plays seeds in the simulator.")
    parser.add_argument("seeds", type=_seeds, help="a seed, or from..to")
    parser.add_argument("--plan", default=MIXED, choices=PLANS, help="what a seed plays, and what goes wrong")
    parser.add_argument("--trace", help="a file for all that happens, of one seed")
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    failed = []
    began_s = time.process_time()
    for seed in given.seeds:
        try:
            with open(given.trace, "w") if given.trace else nullcontext() as trace:
                result = simulate(seed, given.plan, trace)
        except ViolationError as violation:
            failed.append(seed)
            again = f"make sim SEEDS={seed} ARGS='--plan {given.plan} --trace trace.txt'"
            print(f"{violation}\n  again: {again}", flush=True)
        else:
            counts.update(result.counts)
            if len(given.seeds) == 1:
                print(f"seed {seed}: {result.hash}")
    took_s = time.process_time() - began_s
    print(f"{len(given.seeds)} seeds, {took_s:.0f} s of processor time: {len(failed)} failed")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if failed else 0


def _seeds(text: str) -> range:
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
