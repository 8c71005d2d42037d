"""What many shuffles of a deck, each begun in the order 0, 1, ..., hardly show if every order is equally likely.

`p_values` gives each test's chance, under a perfect shuffle, of a result so far off to either side. Nothing here knows
how the decks were shuffled. Only the standard library: counting is done by whole columns of decks.
"""

import math
from bisect import bisect, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, pairwise
from operator import eq

from shared.fairness.derive import DECK_CARDS, FIRST_JOKER_ID, dealt_hand, faces_of

SEATS = 4
TWO = 1
LEAST_EXPECTED = 20.0
"""Results that are rarer than this, in expectation, are counted together."""
WILDS = bytes(card for card in range(DECK_CARDS) if card >= FIRST_JOKER_ID or faces_of(bytes((card,)))[0] % 13 == TWO)


def p_values(decks: Sequence[bytes]) -> dict[str, float]:
    """Every test by its name."""
    columns = list(zip(*decks, strict=True))
    drawn = list(zip(*map(fisher_yates_draws, decks), strict=True))
    return {
        "positions": _positions(columns),
        "adjacency": _adjacency(columns),
        **dict(_draws(drawn)),
        "pairs of draws": _pairs_of_draws(drawn),
        "fixed points": _fit(Counter(sum(map(eq, deck, range(DECK_CARDS))) for deck in decks), _fixed_points()),
        "cycles": _fit(Counter(map(cycles, decks)), _cycles()),
        "inversions": _fit(Counter(map(inversions, decks)), _inversions()),
        **dict(_wilds(decks)),
    }


def fisher_yates_draws(deck: bytes) -> list[int]:
    """The draws by which Fisher and Yates' shuffle gives this order: one of 0..i, for i from the last index down."""
    cards, places = list(range(len(deck))), list(range(len(deck)))
    draws = []
    for i in range(len(deck) - 1, 0, -1):
        j = places[deck[i]]
        draws.append(j)
        cards[j] = cards[i]
        places[cards[j]] = j
    return draws


def cycles(deck: bytes) -> int:
    """How many cycles the order has as a permutation."""
    seen, count = bytearray(len(deck)), 0
    for first in range(len(deck)):
        if not seen[first]:
            count += 1
            card = first
            while not seen[card]:
                seen[card] = 1
                card = deck[card]
    return count


def inversions(deck: bytes) -> int:
    """How many pairs of cards lie in the other order than at first."""
    before: list[int] = []
    count = 0
    for card in deck:
        count += len(before) - bisect(before, card)
        insort(before, card)
    return count


def _sizes() -> range:
    return range(1, DECK_CARDS + 1)


def _positions(columns: Sequence[tuple[int, ...]]) -> float:
    """Each card in each place. Rows and columns of the table have fixed sums, which the factor is for."""
    expected = len(columns[0]) / DECK_CARDS
    counts = (Counter(column) for column in columns)
    chi = sum((count[card] - expected) ** 2 for count in counts for card in range(DECK_CARDS)) / expected
    return chi_square_p(chi * (DECK_CARDS - 1) / DECK_CARDS, (DECK_CARDS - 1) ** 2)


def _adjacency(columns: Sequence[tuple[int, ...]]) -> float:
    """Each card right after each other one.

    Of all directions in which the n(n-1) counts can be off together, a statistic of variance 1 in each would be chi
    square. But a pair and its reverse exclude each other, so that the (n-1)(n-2)/2 directions in which they differ have
    1 + 2/(n-1), the n(n-1)/2 - n others that leave the sums of rows and columns alone 1, and the rest next to nothing
    (2 together). Scaled to that mean and variance it is chi square again.
    """
    n = DECK_CARDS
    counts: Counter[tuple[int, int]] = Counter()
    for pair in pairwise(columns):
        counts.update(zip(*pair, strict=True))
    expected = len(columns[0]) / n
    chi = sum((counts[a, b] - expected) ** 2 for a in range(n) for b in range(n) if a != b) / expected
    mean = (n - 1) ** 2
    variance = 2 * ((n * (n - 1) / 2 - n) + (n - 1) * (n - 2) / 2 * (1 + 2 / (n - 1)) ** 2)
    scale = variance / (2 * mean)
    return chi_square_p(chi / scale, mean / scale)


def _draws(drawn: Sequence[tuple[int, ...]]) -> Iterator[tuple[str, float]]:
    """Each draw by itself, and all together."""
    chis = []
    for column, i in zip(drawn, range(DECK_CARDS - 1, 0, -1), strict=True):
        expected, counts = len(column) / (i + 1), Counter(column)
        chis.append(sum((counts[j] - expected) ** 2 for j in range(i + 1)) / expected)
        yield f"draw {i}", chi_square_p(chis[-1], i)
    yield "all draws", chi_square_p(sum(chis), sum(range(1, DECK_CARDS)))


def _pairs_of_draws(drawn: Sequence[tuple[int, ...]]) -> float:
    """Whether any two draws tend to be large together, or one when the other is small: that of the worst pair of all.

    Large is a bit, all decks' bits are one number, and how often two draws agree is a count of its bits.
    """
    bits, large = [], []
    for column, i in zip(drawn, range(DECK_CARDS - 1, 0, -1), strict=True):
        half = (i + 1) // 2
        bits.append(int("".join("1" if j >= half else "0" for j in column), 2))
        large.append(1 - half / (i + 1))
    decks, worst, pairs = len(drawn[0]), 0.0, 0
    for (a, p), (b, q) in combinations(zip(bits, large, strict=True), 2):
        agree = p * q + (1 - p) * (1 - q)
        off = decks - (a ^ b).bit_count() - decks * agree
        worst, pairs = max(worst, abs(off) / math.sqrt(decks * agree * (1 - agree))), pairs + 1
    return min(1.0, pairs * math.erfc(worst / math.sqrt(2)))


def _wilds(decks: Sequence[bytes]) -> Iterator[tuple[str, float]]:
    """How many twos and jokers each seat is dealt, seat 0 starting."""
    for seat in range(SEATS):
        hand = len(dealt_hand(decks[0], seat, 0, SEATS))
        ways = [
            math.comb(len(WILDS), k) * math.comb(DECK_CARDS - len(WILDS), hand - k) / math.comb(DECK_CARDS, hand)
            for k in range(len(WILDS) + 1)
        ]
        dealt = Counter(hand - len(dealt_hand(deck, seat, 0, SEATS).translate(None, WILDS)) for deck in decks)
        yield f"wilds of seat {seat}", _fit(dealt, ways)


def _fixed_points() -> list[float]:
    """The chances of 0, 1, ... cards in their old place: with so many cards Poisson's, to all digits of a float."""
    return [math.exp(-1) / math.factorial(k) for k in range(20)]


def _cycles() -> list[float]:
    """The chances of 0, 1, ... cycles: the m-th card is one of its own once in m times, else it goes into another."""
    chances = [1.0]
    for size in _sizes():
        chances = [
            stays * (1 - 1 / size) + one_more / size
            for stays, one_more in zip([*chances, 0.0], [0.0, *chances], strict=True)
        ]
    return chances


def _inversions() -> list[float]:
    """The chances of 0, 1, ... inversions: the m-th card has 0 to m - 1 of those before it on its wrong side."""
    chances = [1.0]
    for size in _sizes():
        sums = [0.0, *accumulate([*chances, *[0.0] * (size - 1)])]
        chances = [(sums[k + 1] - sums[max(0, k + 1 - size)]) / size for k in range(len(sums) - 1)]
    return chances


def _fit(counts: Counter[int], law: Sequence[float]) -> float:
    """Whether the counts follow the law, the rare results counted with their neighbours."""
    total = counts.total()
    seen, expected, cells = 0, 0.0, []
    for value, chance in enumerate(law):
        seen, expected = seen + counts[value], expected + total * chance
        if expected >= LEAST_EXPECTED:
            cells.append((seen, expected))
            seen, expected = 0, 0.0
    last_seen, last_expected = cells.pop()
    cells.append((last_seen + seen, last_expected + expected))
    return chi_square_p(sum((a - b) ** 2 / b for a, b in cells), len(cells) - 1)


def chi_square_p(chi: float, freedom: float) -> float:
    """The chance that chi square with so many degrees of freedom is so far off to either side."""
    above = gamma_q(freedom / 2, chi / 2)
    return min(1.0, 2 * min(above, 1 - above))


def gamma_q(a: float, x: float) -> float:
    """The upper regularised incomplete gamma function: by its series below the mean, else by its continued fraction."""
    if x <= 0:
        return 1.0
    factor = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        at = a
        while term > total * 1e-16:
            at += 1
            term *= x / at
            total += term
        return max(0.0, 1 - factor * total)
    b, c = x + 1 - a, math.inf
    d = fraction = 1 / b
    for k in range(1, 100_000):
        step = k * (a - k)
        b += 2
        d = 1 / (step * d + b)
        c = b + step / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return factor * fraction
