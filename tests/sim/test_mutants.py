"""The simulator finds faults: each one that is planted is a violation in some seed, and soon."""

import random

import pytest

from tests.sim.mutants import (
    MUTANTS,
    Mutant,
    appends_are_not_fenced,
    facts_are_not_remembered,
    facts_go_before_they_are_published,
)
from tests.sim.plan import Plan, lossy_plan, rough_plan, zombie_plan
from tests.sim.simulation import simulate
from tests.sim.world import ViolationError

MOST_SEEDS = 40
PLANS = {
    appends_are_not_fenced: zombie_plan,
    facts_go_before_they_are_published: lossy_plan,
    facts_are_not_remembered: lossy_plan,
}
"""What shows a fault soonest."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_planted_fault_is_found(mutant: Mutant, rng: random.Random) -> None:
    plan_of = PLANS.get(mutant, rough_plan)
    with mutant():
        assert any(is_found(seed, plan_of(seed)) for seed in (rng.randrange(2**32) for _ in range(MOST_SEEDS)))


def is_found(seed: int, plan: Plan) -> bool:
    try:
        simulate(seed, plan)
    except ViolationError as violation:
        print(violation)
        return True
    return False
