"""The simulator finds faults: each one that is planted is a violation in some seed, and soon."""

import random

import pytest

from tests.sim.mutants import (
    MUTANTS,
    Mutant,
    a_break_costs_who_was_to_act,
    a_table_that_stood_still_has_its_old_clock,
    appends_are_not_fenced,
    facts_are_not_remembered,
    facts_go_before_they_are_published,
)
from tests.sim.simulation import simulate
from tests.sim.world import ViolationError

MOST_SEEDS = 40
KINDS = {
    appends_are_not_fenced: "zombies",
    facts_go_before_they_are_published: "lossy",
    facts_are_not_remembered: "lossy",
    a_table_that_stood_still_has_its_old_clock: "stopped",
    a_break_costs_who_was_to_act: "evening",
}
"""What shows a fault soonest."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_planted_fault_is_found(mutant: Mutant, rng: random.Random) -> None:
    kind = KINDS.get(mutant, "rough")
    with mutant():
        assert any(is_found(rng.randrange(2**32), kind) for _ in range(MOST_SEEDS))


def is_found(seed: int, kind: str) -> bool:
    try:
        simulate(seed, kind)
    except ViolationError as violation:
        print(violation)
        return True
    return False
