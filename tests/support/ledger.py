"""What happened in a deal, kept as a scorer would with pencil and paper, and the score by the text of R7.

Written apart from the library's own bookkeeping: it looks at what was put down and taken back, and at nothing that
the state remembers of it but the cards in the hands.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from shared.rules.cards import CODES, JOKER, bag_cards, codes
from shared.rules.events import Amended, Discarded, Laid, Undone
from shared.rules.options import Options
from shared.rules.state import DealState
from tests.support.play import Step

POINTS = {
    **dict.fromkeys("3456", Fraction(1, 2)),
    **dict.fromkeys("789TJQKA", Fraction(1)),
    "2": Fraction(2),
    "joker": Fraction(4),
}


def points(card: str) -> Fraction:
    """R2.2."""
    return POINTS["joker" if card == "JK" else card[0]]


@dataclass
class Entry:
    """One line of the ledger: a seat puts cards on a meld, and may take its joker."""

    turn_no: int
    seat: int
    meld: int
    owner: int
    put: list[str]
    released: bool


@dataclass
class Ledger:
    """The lines that stand; an undo strikes out those since the last moment without a duty."""

    entries: list[Entry]
    settled: int = field(init=False)

    def __post_init__(self) -> None:
        self.settled = len(self.entries)

    @classmethod
    def before(cls, state: DealState) -> "Ledger":
        """What lies on the table at the start, put there in some turn before this one."""
        return cls(
            [
                Entry(0, layer, meld.id, meld.owner, [CODES[face]], False)
                for meld in state.melds
                for face, layer in zip(meld.cards, meld.layers, strict=True)
            ]
        )

    def note(self, step: Step) -> None:
        """Write down what a step did."""
        for event in step.events:
            match event:
                case Laid(seat, melds):
                    for meld in melds:
                        self.entries.append(
                            Entry(step.before.turn_no, seat, meld.id, seat, codes(meld.cards), False)
                        )  # fmt: skip
                case Amended(seat, meld, _, _):
                    old, new = step.before.melds[meld.id - 1].cards, meld.cards
                    added = list((Counter(codes(new)) - Counter(codes(old))).elements())
                    released = JOKER in old and JOKER not in new
                    self.entries.append(Entry(step.before.turn_no, seat, meld.id, meld.owner, added, released))
                case Undone():
                    del self.entries[self.settled :]
                case Discarded():
                    pass
        if not step.after.duties:
            self.settled = len(self.entries)

    def on_table(self) -> dict[int, Counter[tuple[str, int]]]:
        """For each meld who has which card on it. A meld has one joker at the most, so it is known whose one leaves."""
        melds: dict[int, Counter[tuple[str, int]]] = {}
        for entry in self.entries:
            cards = melds.setdefault(entry.meld, Counter())
            if entry.released:
                (joker,) = [one for one in cards if one[0] == "JK" and cards[one]]
                cards[joker] -= 1
            cards.update((card, entry.seat) for card in entry.put)
        return {number: +cards for number, cards in melds.items()}

    def owners(self) -> dict[int, int]:
        """Who first laid each meld."""
        return {entry.meld: entry.owner for entry in self.entries}

    def all_in_one_turn(self, finisher: int, turn_no: int, options: Options) -> bool:
        """R7.3."""
        if not options.one_turn_bonus or options.scoring == "personal":
            return False
        before = [entry for entry in self.entries if entry.seat == finisher and entry.turn_no < turn_no and entry.put]
        partners = [
            entry
            for entry in self.entries
            if entry.seat == finisher and entry.turn_no == turn_no and entry.owner != finisher
        ]
        return not before and not partners


@dataclass(frozen=True)
class PaperScore:
    """R7 in points."""

    teams: tuple[Fraction, Fraction]
    seats: tuple[Fraction, ...] | None
    bonus: Fraction
    laid: tuple[Fraction, ...]
    held: tuple[Fraction, ...]


def paper_score(ledger: Ledger, state: DealState, finisher: int | None, *, one_turn: bool) -> PaperScore:
    """The score of a deal that ended with these hands; ``finisher`` is None in a dead one."""
    options, seats = state.options, range(state.options.seats)
    held = [_sum(points(CODES[face]) for face in bag_cards(hand)) for hand in state.hands]
    table, owners = ledger.on_table(), ledger.owners()
    lying = [
        (number, by, points(card) * count) for number, cards in table.items() for (card, by), count in cards.items()
    ]
    laid = [_sum(worth for _, by, worth in lying if by == seat) for seat in seats]
    owned = [_sum(worth for number, _, worth in lying if owners[number] % 2 == team) for team in (0, 1)]
    results: tuple[Fraction, ...] | None = None
    if finisher is None:
        bonus = Fraction(0)
    elif one_turn:
        bonus = Fraction(51 if any(owner % 2 != finisher % 2 for owner in owners.values()) else 102)
    else:
        bonus = Fraction(20)
    if options.scoring == "personal":
        results = tuple(_personal(seat, finisher, seat in owners.values(), laid[seat] - held[seat]) for seat in seats)
        teams = [_sum(results[team::2]) for team in (0, 1)]
    else:
        teams = [owned[team] - _sum(held[team::2]) for team in (0, 1)]
        if finisher is not None:
            teams[finisher % 2] += bonus
            if one_turn:
                teams[1 - finisher % 2] = Fraction(0)
    return PaperScore((teams[0], teams[1]), results, bonus, tuple(laid), tuple(held))


def _sum(values: Iterable[Fraction]) -> Fraction:
    return sum(values, Fraction(0))


def _personal(seat: int, finisher: int | None, opened: bool, difference: Fraction) -> Fraction:
    """R7.4."""
    if opened:
        return difference + (20 if seat == finisher else 0)
    return Fraction(0) if seat == finisher else Fraction(-20)
