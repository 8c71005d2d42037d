"""A seed is played alike to the byte, in this process and in any other."""

import os
import random
import subprocess
import sys
from pathlib import Path

from tests.sim.plan import MIXED
from tests.sim.simulation import simulate

ROOT = Path(__file__).resolve().parents[2]


def test_a_seed_is_played_alike_again_and_in_another_process(rng: random.Random) -> None:
    seed, kind = rng.randrange(2**32), rng.choice((MIXED, "evening"))
    first = simulate(seed, kind)
    assert simulate(seed, kind) == first
    assert {played_with(seed, kind, hash_seed) for hash_seed in ("1", "2")} == {f"seed {seed}: {first.hash}"}


def test_another_seed_is_played_otherwise(rng: random.Random) -> None:
    seed = rng.randrange(2**32)
    assert simulate(seed).hash != simulate(seed + 1).hash


def played_with(seed: int, kind: str, hash_seed: str) -> str:
    played = subprocess.run(
        [sys.executable, "-m", "tests.sim", str(seed), "--plan", kind],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": f".{os.pathsep}shared/genproto"},
        capture_output=True,
        text=True,
        check=True,
    )
    return played.stdout.splitlines()[0]
