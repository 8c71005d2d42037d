"""Whatever crashes, is lost, comes twice or out of order between table and ledger: each match is settled once."""

import random
from collections import Counter

import pytest

from tests.sim.coin_mutants import COIN_MUTANTS
from tests.sim.coins import simulate_coins
from tests.sim.mutants import Mutant
from tests.sim.world import ViolationError

MATCHES = 500
MOST_SEEDS = 40
FEW_TABLES = 8


def test_five_hundred_matches_for_coins_are_settled_or_refunded_once_each(rng: random.Random) -> None:
    counts: Counter[str] = Counter()
    while counts["matches"] < MATCHES:
        counts.update(simulate_coins(rng.randrange(2**32)).counts)
    assert counts["matches won"]
    assert counts["crashes"]


def test_a_seed_brings_everything_back(rng: random.Random) -> None:
    seed = rng.randrange(2**32)
    once, again = [simulate_coins(seed, tables=3) for _ in range(2)]
    assert once == again


@pytest.mark.parametrize("mutant", COIN_MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_planted_fault_is_found(mutant: Mutant, rng: random.Random) -> None:
    with mutant():
        assert any(is_found(rng.randrange(2**32)) for _ in range(MOST_SEEDS))


def is_found(seed: int) -> bool:
    try:
        simulate_coins(seed, tables=FEW_TABLES, rough=True)
    except ViolationError as violation:
        print(violation)
        return True
    return False
