"""How aces or 3s that are kept for sets fall into sets (R4.3), and the wilds that the sets can have (for R12)."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple, TypeAlias

from shared.rules.melds import LONGEST_SET, SHORTEST

Kept: TypeAlias = tuple[int, ...]
"""For each suit how many cards of one rank are kept for sets, 0..2."""


class SetCore(NamedTuple):
    """Plain cards of a set and the wilds with them."""

    suits: tuple[int, ...]
    joker: int
    two: int


@lru_cache(maxsize=256)
def set_plans(kept: Kept, twos_in_sets: bool) -> Mapping[tuple[int, int], tuple[SetCore, ...]]:
    """Ways to use up all the cards kept, by the (jokers, twos) that they spend; empty where there is none."""
    if not any(kept):
        return {(0, 0): ()}
    plans: dict[tuple[int, int], tuple[SetCore, ...]] = {}
    for first in _first_sets(kept, twos_in_sets):
        rest = tuple(count - (suit in first.suits) for suit, count in enumerate(kept))
        for (jokers, twos), others in set_plans(rest, twos_in_sets).items():
            plans.setdefault((jokers + first.joker, twos + first.two), (first, *others))
    return plans


def _first_sets(kept: Kept, twos_in_sets: bool) -> Iterator[SetCore]:
    """Sets with a card of the first suit kept, and two plain cards at least (R4.6)."""
    first, *others = (suit for suit, count in enumerate(kept) if count)
    for more in range(1, len(others) + 1):
        for suits in combinations(others, more):
            for joker in (0, 1):
                for two in (0, 1) if twos_in_sets else (0,):
                    if SHORTEST <= 1 + more + joker + two <= LONGEST_SET:
                        yield SetCore((first, *suits), joker, two)
