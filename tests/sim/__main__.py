"""Plays seeds, and says of each that violates something how to play it again.

python -m tests.sim 1..100
python -m tests.sim 17 --trace trace.txt
"""

import argparse
import sys

from tests.sim.command import play_seeds, read_seeds
from tests.sim.plan import MIXED, PLANS
from tests.sim.simulation import simulate


def main(arguments: list[str]) -> int:
    """Play; 1 where something was violated."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description="Plays seeds in the simulator.")
    parser.add_argument("seeds", type=read_seeds, help="a seed, or from..to")
    parser.add_argument("--plan", default=MIXED, choices=PLANS, help="what a seed plays, and what goes wrong")
    parser.add_argument("--trace", help="a file for all that happens, of one seed")
    given = parser.parse_args(arguments)
    return play_seeds(
        given.seeds,
        given.trace,
        lambda seed, trace: simulate(seed, given.plan, trace),
        lambda seed: f"make sim SEEDS={seed} ARGS='--plan {given.plan} --trace trace.txt'",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
