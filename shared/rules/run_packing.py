"""The most that runs of one suit can lay together, for each number of jokers and twos spent (R4, for R12).

A suit's cards are one int of *counts*: two bits per position 1..14, 0..2 cards each. Positions are dealt with from
14 down, and aces not used at 14 go on to 1. Position 2 counts the suit's own twos where they can be natural (R4.5).

Only *cores* are tried: which real cards a run has, and which wilds are with them. The gaps of a core take wilds, and
what wilds are left stand at an end. Long runs need no trying, for they split into cores that spend the same cards:
see ``_WILDS``.
"""

from functools import lru_cache
from itertools import combinations
from operator import add
from typing import Final, NamedTuple, TypeAlias

from shared.rules.cards import ACE_HIGH, HALF_POINTS, JOKER, RUN_FACES, TWO, TWOS, Bag, Face, bag_count

CARD: Final = 1
HALF_POINT: Final = 256
"""A *value* is half-points times 256 plus cards laid: values compare by points, then by cards (R12)."""

Values: TypeAlias = list[int]
"""The best value for each budget of ``j`` jokers and ``t`` twos, at index ``j * (twos + 1) + t``."""

_WIDEST: Final = 6
"""Positions from a core's highest real card to its lowest, both counted."""
_WILDS: Final = {
    (1, 0): ((1, 1),),
    (2, 0): ((0, 1), (1, 0), (1, 1)),
    (2, 1): ((0, 1), (1, 0), (1, 1)),
    (2, 2): ((1, 1),),
    (3, 0): ((0, 0), (0, 1), (1, 0), (1, 1)),
    (3, 1): ((0, 1), (1, 0), (1, 1)),
    (3, 2): ((1, 1),),
    (4, 0): ((0, 0), (0, 1), (1, 0)),
    (4, 1): ((0, 1), (1, 0)),
    (4, 2): ((1, 1),),
    (5, 0): ((0, 0),),
}
"""By real cards and gaps between them, the (jokers, wild twos) of the cores that do not split.

Two real cards with at most one gap make a run with any wild, three without a gap make one alone. So all that has more
real cards or more wilds is two runs of this table; a wild in a gap between the two moves to an end of one.
"""
_NO_CORES: Final = ((TWO,), (ACE_HIGH,))
"""A natural two alone has no plain card (R4.4); an ace alone is tried low."""


class Core(NamedTuple):
    """Real cards of a run and the wilds with them."""

    counts: int
    """The suit's cards that it takes."""
    jokers: int
    twos: int
    """Twos spent, wild or natural."""
    value: int
    places: tuple[int, ...]
    """Positions of the real cards, from low to high."""

    @property
    def wild_twos(self) -> int:
        """Twos spent as wilds (R4.5)."""
        return self.twos - (TWO in self.places)

    @property
    def fits(self) -> bool:
        """Whether there is room for all its cards between the ends of the suit (R4.2)."""
        return len(self.places) + self.jokers + self.wild_twos <= ACE_HIGH


def suit_counts(hand: Bag, suit: int, natural_two: bool) -> int:
    """The counts of the hand's cards of a suit; its twos only where they can be natural (R4.5)."""
    faces = RUN_FACES[suit]
    return sum(
        bag_count(hand, faces[place - 1]) << 2 * place - 2
        for place in range(TWO, ACE_HIGH + 1)
        if place != TWO or natural_two
    )


class RunPacker:
    """Packs the suits of a hand that has so many jokers and twos."""

    def __init__(self, jokers: int, twos: int, min_real: int) -> None:
        self._width = twos + 1
        self._limits = (min_real, min(jokers, 1), min(twos, 2))
        self._values: dict[int, Values] = {0: [0] * ((jokers + 1) * self._width)}

    def values(self, counts: int) -> Values:
        """The best value of the suit's cards for each budget."""
        found = self._values.get(counts)
        if found is not None:
            return found
        rest, cores = self._choices(counts)
        best = self.values(rest)
        if cores:
            best = best.copy()
            for core in cores:
                self._improve(best, self.values(counts - core.counts), core)
        self._values[counts] = best
        return best

    def runs(self, counts: int, jokers: int, twos: int) -> list[Core]:
        """Cores that have the best value of this budget."""
        chosen: list[Core] = []
        while counts:
            value = self.values(counts)[jokers * self._width + twos]
            rest, cores = self._choices(counts)
            for core in cores:
                if core.jokers <= jokers and core.twos <= twos:
                    left = (jokers - core.jokers) * self._width + twos - core.twos
                    if self.values(counts - core.counts)[left] + core.value == value:
                        chosen.append(core)
                        rest, jokers, twos = counts - core.counts, jokers - core.jokers, twos - core.twos
                        break
            counts = rest
        return chosen

    def _choices(self, counts: int) -> tuple[int, tuple[Core, ...]]:
        """The counts without those at the highest position that has cards, and the cores that begin there."""
        top = counts.bit_length() + 1 >> 1
        held = (counts | counts >> 1) & _ONES
        window = (held << 2 * _WIDEST >> 2 * top) & _WINDOW
        rest = counts & (1 << 2 * top - 2) - 1
        if top == ACE_HIGH:
            rest |= counts >> 2 * ACE_HIGH - 2
        return rest, _cores(top, window, *self._limits)

    def _improve(self, best: Values, left: Values, core: Core) -> None:
        """Raise the values to what the core lays with the values of the cards left."""
        _, jokers, twos, value, _ = core
        width = self._width
        spent = jokers * width + twos
        for start in range(jokers * width, len(best), width):
            for at in range(start + twos, start + width):
                total = left[at - spent] + value
                if total > best[at]:  # noqa: PLR1730  # the innermost loop, where a call to max costs
                    best[at] = total


def join_runs(cores: list[Core]) -> list[Core]:
    """The same cards in fewer runs: those that follow one another are joined, where R4.1 lets their wilds be in one."""
    runs: list[Core] = []
    for core in sorted(cores, key=lambda one: one.places):
        for at, below in enumerate(runs):
            both = Core(*map(add, below, core))
            if below.places[-1] + 1 == core.places[0] and both.jokers <= 1 and both.wild_twos <= 1 and both.fits:
                runs[at] = both
                break
        else:
            runs.append(core)
    return runs


def run_layout(core: Core, suit: int, joker: bool, two: Face | None) -> bytes:
    """The core's run with its wilds: in the gaps, then above, then below."""
    wilds = [*([] if two is None else [two]), *([JOKER] if joker else [])]
    low, high = core.places[0], core.places[-1]
    faces = RUN_FACES[suit]
    run = [faces[place - 1] if place in core.places else wilds.pop(0) for place in range(low, high + 1)]
    above = min(len(wilds), ACE_HIGH - high)
    return bytes([*wilds[above:], *run, *wilds[:above]])


_ONES: Final = (1 << 2 * ACE_HIGH) // 3
"""The lower bit of each position."""
_WINDOW: Final = (1 << 2 * _WIDEST) // 3


@lru_cache(maxsize=1 << 13)
def _cores(top: int, window: int, min_real: int, jokers: int, twos: int) -> tuple[Core, ...]:
    """The cores whose highest real card stands at ``top``; ``window``: which positions from there down have cards."""
    below = [gap for gap in range(1, _WIDEST) if window >> 2 * (_WIDEST - 1 - gap) & 1]
    cores = []
    for others in range(5):
        for gaps in combinations(below, others):
            places = tuple(top - gap for gap in (*reversed(gaps), 0))
            if places in _NO_CORES:
                continue
            missing = places[-1] - places[0] + 1 - len(places)
            for joker, wild_two in _WILDS.get((len(places), missing), ()):
                spent = wild_two + (TWO in places)
                if joker <= jokers and spent <= twos and len(places) >= min_real:
                    cores.append(_core(places, joker, wild_two))
    return tuple(cores)


def _core(places: tuple[int, ...], joker: int, wild_two: int) -> Core:
    half_points = sum(HALF_POINTS[RUN_FACES[0][place - 1]] for place in places)
    half_points += joker * HALF_POINTS[JOKER] + wild_two * HALF_POINTS[TWOS[0]]
    cards = len(places) + joker + wild_two
    return Core(
        counts=sum(1 << 2 * place - 2 for place in places),
        jokers=joker,
        twos=wild_two + (TWO in places),
        value=half_points * HALF_POINT + cards * CARD,
        places=places,
    )
