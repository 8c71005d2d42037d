"""A second reading of the rules on layouts (R4, R5.5), slow and plain, to test the library's own against.

Written from the text of the rules alone. Cards are their codes, layouts are tuples of codes, nothing is shared with
`shared/rules` but the options' names. Where the library looks a thing up, this tries everything.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

from shared.rules.options import Options

Layout = tuple[str, ...]

RANK_AT = "-A23456789TJQKA"
"""The rank that belongs at each position 1..14 of a run (R4.2)."""
SUIT_ORDER = "SHDC"
TWO_CODES = tuple("2" + suit for suit in SUIT_ORDER)


@dataclass(frozen=True)
class TableMeld:
    """A meld on the table; for each card the seat that put it there."""

    owner: int
    cards: Layout
    layers: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """One way to understand a new layout: who laid what, what came from the hand, whether the joker came back."""

    layers: tuple[int, ...]
    added: Layout
    released: bool


def is_two(card: str) -> bool:
    return card[0] == "2"


def is_plain(card: str) -> bool:
    return card != "JK" and not is_two(card)


def reads_as_set(cards: Sequence[str]) -> bool:
    """R4.6."""
    plain = [card for card in cards if is_plain(card)]
    return len(plain) >= 2 and len({card[0] for card in plain}) == 1


def run_place(cards: Sequence[str]) -> tuple[int, str] | None:
    """R4.2: the first position and the suit of a run, or None where the plain cards are no run."""
    suits = {card[1] for card in cards if is_plain(card)}
    if len(suits) != 1:
        return None
    suit = suits.pop()
    places = [
        first
        for first in range(1, 16 - len(cards))
        if all(not is_plain(card) or card[0] == RANK_AT[at] for at, card in enumerate(cards, first))
    ]
    assert len(places) <= 1
    return (places[0], suit) if places else None


def naturals(cards: Sequence[str], first: int, suit: str, options: Options) -> list[int]:
    """R4.5: indices of real twos."""
    if not options.natural_two_is_real:
        return []
    return [at for at, card in enumerate(cards) if card == "2" + suit and first + at == 2]


def is_meld(cards: Sequence[str], options: Options) -> bool:
    """R4.1 to R4.6."""
    plain = [card for card in cards if is_plain(card)]
    twos = sum(map(is_two, cards))
    if len(cards) < 3 or cards.count("JK") > 1 or not plain:
        return False
    if reads_as_set(cards):
        allowed = plain[0][0] in "A3" and len({card[1] for card in plain}) == len(plain) and len(cards) <= 4
        return allowed and twos <= (1 if options.twos_in_sets else 0) and len(plain) >= options.min_real
    place = run_place(cards)
    if place is None:
        return False
    natural = len(naturals(cards, *place, options))
    return twos - natural <= 1 and len(plain) + natural >= options.min_real


def every_order(hand: Sequence[str], options: Options) -> set[Layout]:
    """Every meld among all orders of all choices of cards: the plainest search there is. Six cards take a moment."""
    found = set()
    for count in range(3, len(hand) + 1):
        for cards in set(permutations(hand, count)):
            if is_meld(cards, options):
                found.add(in_set_order(cards) if reads_as_set(cards) else cards)
    return found


def new_melds(hand: Sequence[str], options: Options) -> set[Layout]:
    """Every new meld of a hand, a set's cards in the order of answers."""
    found = {cards for suit in SUIT_ORDER for cards in _runs(Counter(hand), suit) if is_meld(cards, options)}
    found = {cards for cards in found if not reads_as_set(cards)}
    return found | {cards for rank in "A3" for cards in _sets(hand, rank) if is_meld(cards, options)}


def _runs(pool: Counter[str], suit: str, fixed: dict[int, str] | None = None) -> Iterator[Layout]:
    """Rows of cards in which each is wild or at its own position in the suit; not all are melds.

    ``fixed``: the plain cards of an old layout, each at its position, which a new one has there too (R5.5a).
    """
    fixed = fixed or {}

    def longer(row: Layout, at: int) -> Iterator[Layout]:
        if len(row) >= 3 and at > max(fixed, default=0):
            yield row
        if at > 14:
            return
        for card in [fixed[at]] if at in fixed else pool:
            fits = card == RANK_AT[at] + suit or (card == "JK" and card not in row)
            fits = fits or (is_two(card) and sum(map(is_two, row)) < 2)
            if fits and row.count(card) < pool[card]:
                yield from longer((*row, card), at + 1)

    for first in range(1, min(fixed, default=12) + 1):
        yield from longer((), first)


def _sets(pool: Sequence[str], rank: str) -> Iterator[Layout]:
    cards = sorted({card for card in pool if card[0] == rank or not is_plain(card)})
    for count in (3, 4):
        for chosen in combinations(cards, count):
            yield in_set_order(chosen)


def in_set_order(cards: Sequence[str]) -> Layout:
    """A set's cards in suit order, then the two, then the joker."""
    return tuple(sorted(cards, key=lambda card: (card == "JK", is_two(card), SUIT_ORDER.find(card[1]))))


def amends(old: TableMeld, hand: Sequence[str], seat: int, options: Options) -> dict[Layout, list[Outcome]]:
    """Every new layout that R5.5a-g allow, with each way to understand it."""
    pool = [*old.cards, *hand]
    layouts: set[Layout]
    if reads_as_set(old.cards):
        layouts = set(_sets(pool, next(card[0] for card in old.cards if is_plain(card))))
    else:
        place = run_place(old.cards)
        assert place
        fixed = {at: card for at, card in enumerate(old.cards, place[0]) if is_plain(card)}
        layouts = set(_runs(Counter(pool), place[1], fixed))
    staying = Counter(card for card in old.cards if card != "JK")
    found = {}
    for cards in layouts:
        if len(cards) < staying.total() or staying - Counter(cards):
            continue  # nothing but a joker may leave (R5.5d)
        if outcomes := amend_outcomes(old, cards, hand, seat, options):
            found[cards] = outcomes
    return found


def amend_outcomes(old: TableMeld, cards: Layout, hand: Sequence[str], seat: int, options: Options) -> list[Outcome]:
    """Each way in which R5.5a-g allow the layout: every old card is told to stay, to go somewhere or to leave."""
    if not is_meld(cards, options) or reads_as_set(cards) != reads_as_set(old.cards):
        return []
    in_set = reads_as_set(cards)
    choices = [_places(old, index, cards, in_set) for index in range(len(old.cards))]
    found = []
    for places in product(*choices):
        kept = [at for at in places if at is not None]
        if len(set(kept)) != len(kept):
            continue
        added = [at for at in range(len(cards)) if at not in kept]
        if Counter(cards[at] for at in added) - Counter(hand):
            continue
        if in_set:
            allowed = _set_amend_allowed(old, cards, places, added)
        else:
            allowed = _run_amend_allowed(old, cards, places, added, options)
        if allowed:
            by_place = dict(zip(places, old.layers, strict=True))
            layers = tuple(by_place.get(at, seat) for at in range(len(cards)))
            found.append(Outcome(layers, tuple(cards[at] for at in added), None in places))
    return found


def _places(old: TableMeld, index: int, cards: Layout, in_set: bool) -> list[int | None]:
    """Where a card of the old layout may be in the new one, before any rule but those on its own kind."""
    card = old.cards[index]
    same_face: list[int | None] = [at for at, there in enumerate(cards) if there == card]
    if card == "JK":
        same_face.append(None)
    if in_set or is_two(card):
        return same_face
    shift = _shift(old, cards)
    return [at for at in same_face if at is None or at == index + shift]


def _shift(old: TableMeld, cards: Layout) -> int:
    """What to add to an index in the old run for the index of the same position in the new one."""
    before, after = run_place(old.cards), run_place(cards)
    assert before
    assert after
    return before[0] - after[0] if before[1] == after[1] else 99


def _set_amend_allowed(old: TableMeld, cards: Layout, places: tuple[int | None, ...], added: list[int]) -> bool:
    suits = {card[1] for card in old.cards if is_plain(card)}
    if not added:
        return False
    if None in places:
        missing_suit = any(is_plain(cards[at]) and cards[at][1] not in suits for at in added)
        return missing_suit and "JK" not in (cards[at] for at in added)
    return True


def _run_amend_allowed(
    old: TableMeld, cards: Layout, places: tuple[int | None, ...], added: list[int], options: Options
) -> bool:
    before, after = run_place(old.cards), run_place(cards)
    assert before
    assert after
    shift = before[0] - after[0]
    free = options.two_move == "free"
    was_natural = naturals(old.cards, *before, options)
    real_added = [at for at in added if is_plain(cards[at]) or at in naturals(cards, *after, options)]
    two_moved = False
    for index, at in enumerate(places):
        home = index + shift
        if at is None:
            exact = RANK_AT[before[0] + index] + before[1]
            if home not in added or cards[home] != exact or "JK" in (cards[there] for there in added):
                return False
        elif at != home:
            assert is_two(old.cards[index])
            if 0 <= home < len(cards) and cards[home] == old.cards[index]:
                return False  # of two equal twos the one that stands where one stood is the old one (R5.5f)
            two_moved = True
            beyond = not shift <= at < shift + len(old.cards)
            if not free and (index in was_natural or home not in real_added or not beyond):
                return False
    return bool(added) or (free and two_moved)
