"""The best new melds that a hand can lay side by side (R12): most points, and of equals fewest cards left.

Sets are made of aces and 3s only, so each suit is packed alone, once for each number of its aces and 3s that are kept
for sets; then the suits and the sets share out the jokers and twos. All twos are worth the same and any of them can
be wild, so that only a natural two (R4.5) needs a certain one.
"""

from collections.abc import Iterator
from itertools import product
from operator import add, itemgetter
from typing import Final, NamedTuple, TypeAlias

from shared.rules.cards import (
    ACE,
    ACE_HIGH,
    HALF_POINTS,
    JOKER,
    THREE,
    TWO,
    TWOS,
    Bag,
    bag_count,
    bag_size,
    half_points,
)
from shared.rules.layouts import code_order
from shared.rules.options import Options
from shared.rules.run_packing import CARD, HALF_POINT, Core, RunPacker, Values, join_runs, run_layout, suit_counts
from shared.rules.set_packing import Kept, SetCore, set_plans


class Packing(NamedTuple):
    """Disjoint new melds from one hand."""

    melds: tuple[bytes, ...]
    """Sorted as lists of codes; a set's cards in suit order S H D C, then the two, then the joker."""
    half_points: int
    left: int
    """How many cards of the hand are in none of them."""


def best_melds(hand: Bag, options: Options) -> Packing:
    """The disjoint new melds that lay the most points together and, of equals, leave the fewest cards (R12, R4)."""
    melds = _layouts(hand, _HandPacker(hand, options).plan())
    return Packing(
        melds=tuple(sorted(melds, key=code_order)),
        half_points=sum(half_points(cards) for cards in melds),
        left=bag_size(hand) - sum(map(len, melds)),
    )


class _Plan(NamedTuple):
    """What is laid, with wild twos not yet chosen."""

    runs: list[tuple[int, Core]]
    """With the suit of each."""
    aces: tuple[SetCore, ...]
    threes: tuple[SetCore, ...]


_SetCards: TypeAlias = tuple[Kept, Kept]
"""The aces and the 3s kept for sets; sorted, where it is all the same of which suits they are."""


class _Choice(NamedTuple):
    """One way to divide a suit between sets and runs."""

    aces: int
    """Kept for sets."""
    threes: int
    """Kept for sets."""
    counts: int
    """The suit's cards for runs."""


class _HandPacker:
    """Packs one hand, suit after suit."""

    def __init__(self, hand: Bag, options: Options) -> None:
        self._jokers = bag_count(hand, JOKER)
        self._twos = sum(bag_count(hand, two) for two in TWOS)
        self._twos_in_sets = options.twos_in_sets
        self._packer = RunPacker(self._jokers, self._twos, options.min_real)
        aces, threes = self._for_sets(hand, ACE), self._for_sets(hand, THREE)
        self._choices = [
            _divide(suit_counts(hand, suit, options.natural_two_is_real), aces[suit], threes[suit]) for suit in range(4)
        ]
        self._stages: list[dict[_SetCards, Values]] = [{((), ()): self._packer.values(0)}]
        for choices in self._choices:
            self._stages.append(self._with_suit(self._stages[-1], choices))

    def plan(self) -> _Plan:
        """A plan of the best value."""
        _, cards, aces, threes = max(self._totals(), key=itemgetter(0))
        chosen = self._trace(cards, *self._wilds_left(aces, threes))
        return _Plan(
            runs=[(suit, core) for suit, (_, cores) in enumerate(chosen) for core in join_runs(cores)],
            aces=set_plans(tuple(choice.aces for choice, _ in chosen), self._twos_in_sets)[aces],
            threes=set_plans(tuple(choice.threes for choice, _ in chosen), self._twos_in_sets)[threes],
        )

    def _totals(self) -> Iterator[tuple[int, _SetCards, tuple[int, int], tuple[int, int]]]:
        """The value of runs and sets together for each way to share out cards and wilds; at least that of no meld."""
        for kept, values in self._stages[-1].items():
            plans = [set_plans(of_rank, self._twos_in_sets) for of_rank in kept]
            for aces, threes in product(*plans):
                jokers, twos = self._wilds_left(aces, threes)
                if jokers >= 0 and twos >= 0:
                    yield values[self._index(jokers, twos)] + _sets_value(kept, aces, threes), kept, aces, threes

    def _for_sets(self, hand: Bag, rank: int) -> list[range]:
        """For each suit how many cards of the rank may be kept for sets."""
        held = [bag_count(hand, suit * 13 + rank - 1) for suit in range(4)]
        suits = sum(map(bool, held))
        wild = self._jokers or (self._twos and self._twos_in_sets)
        if suits >= 3 or (suits == 2 and wild):
            return [range(count + 1) for count in held]
        return [range(1)] * 4

    def _with_suit(self, stage: dict[_SetCards, Values], choices: list[_Choice]) -> dict[_SetCards, Values]:
        """The stage with one suit more."""
        after: dict[_SetCards, Values] = {}
        for choice in choices:
            more = self._packer.values(choice.counts)
            for kept, values in stage.items():
                total = self._sum(values, more)
                key = _keep(kept, choice)
                before = after.get(key)
                after[key] = total if before is None else list(map(max, before, total))
        return after

    def _trace(self, kept: _SetCards, jokers: int, twos: int) -> list[tuple[_Choice, list[Core]]]:
        """How the last stage comes to its value of this budget: for each suit the choice and its runs."""
        chosen = []
        for before, after, choices in zip(self._stages[-2::-1], self._stages[::-1], self._choices[::-1], strict=False):
            value = after[kept][self._index(jokers, twos)]
            kept, choice, (own_jokers, own_twos) = next(
                (was, choice, (jokers - j, twos - t))
                for was, choice in product(before, choices)
                if _keep(was, choice) == kept
                for j, t in product(range(jokers + 1), range(twos + 1))
                if before[was][self._index(j, t)]
                + self._packer.values(choice.counts)[self._index(jokers - j, twos - t)]
                == value
            )
            chosen.append((choice, self._packer.runs(choice.counts, own_jokers, own_twos)))
            jokers -= own_jokers
            twos -= own_twos
        return chosen[::-1]

    def _sum(self, one: Values, other: Values) -> Values:
        """The best sums of both, for each budget that they share."""
        if not any(other):
            return one
        width = self._twos + 1
        return [
            max(
                max(map(add, one[at : at + twos + 1], other[start - at + twos :: -1]))
                for at in range(0, start + 1, width)
            )
            for start in range(0, len(one), width)
            for twos in range(width)
        ]

    def _index(self, jokers: int, twos: int) -> int:
        return jokers * (self._twos + 1) + twos

    def _wilds_left(self, *spent: tuple[int, int]) -> tuple[int, int]:
        return self._jokers - sum(jokers for jokers, _ in spent), self._twos - sum(twos for _, twos in spent)


def _keep(kept: _SetCards, choice: _Choice) -> _SetCards:
    """What is kept for sets with one suit more."""
    return tuple(sorted((*kept[0], choice.aces))), tuple(sorted((*kept[1], choice.threes)))


def _divide(counts: int, aces: range, threes: range) -> list[_Choice]:
    """The ways to divide a suit's cards."""
    return [_Choice(a, t, counts - a * _ACE_COUNT - t * _THREE_COUNT) for a in aces for t in threes]


_ACE_COUNT: Final = 1 << 2 * ACE_HIGH - 2
_THREE_COUNT: Final = 1 << 2 * THREE - 2


def _sets_value(kept: _SetCards, *wilds: tuple[int, int]) -> int:
    """The value of sets of these cards with these wilds."""
    value = 0
    for face, count in ((ACE - 1, sum(kept[0])), (THREE - 1, sum(kept[1]))):
        value += count * (HALF_POINTS[face] * HALF_POINT + CARD)
    for jokers, twos in wilds:
        value += jokers * (HALF_POINTS[JOKER] * HALF_POINT + CARD)
        value += twos * (HALF_POINTS[TWOS[0]] * HALF_POINT + CARD)
    return value


def _layouts(hand: Bag, plan: _Plan) -> list[bytes]:
    """The plan's melds, the twos that no run has as a natural one given out as wild ones."""
    natural = [TWOS[suit] for suit, core in plan.runs if TWO in core.places]
    wild_twos = iter([two for two in TWOS for _ in range(bag_count(hand, two) - natural.count(two))])
    melds = []
    for suit, core in plan.runs:
        two = next(wild_twos) if core.wild_twos else None
        melds.append(run_layout(core, suit, joker=bool(core.jokers), two=two))
    for rank, cores in ((ACE, plan.aces), (THREE, plan.threes)):
        for suits, joker, has_two in cores:
            wilds = [*([next(wild_twos)] if has_two else []), *([JOKER] if joker else [])]
            melds.append(bytes([*(suit * 13 + rank - 1 for suit in suits), *wilds]))
    return melds
