"""Suits and seats are names: renaming them before an action or after it comes to the same.

The one exception is R9.3, where the server's discard breaks its last tie by suit.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.actions import Action, Amend, Discard, Lay, Timeout
from shared.rules.cards import JOKER, RANK, Bag, bag_cards, bag_of, bag_size
from shared.rules.discard_choice import least_useful_card
from shared.rules.events import DealEnded, Reshuffled
from shared.rules.evolve import evolve
from shared.rules.legal import legal_actions
from shared.rules.melds import Meld
from shared.rules.scoring import DealScore, score_deal
from shared.rules.state import DealState
from tests.support.play import Step, attempt, play, random_start
from tests.support.positions import random_middle, random_options

SEEDS = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Renaming:
    """Each suit, and each seat, gets another's name."""

    suits: tuple[int, ...] = (0, 1, 2, 3)
    seats: tuple[int, ...] = (0, 1, 2, 3)

    def face(self, face: int) -> int:
        return face if face == JOKER else self.suits[face // 13] * 13 + face % 13

    def cards(self, cards: bytes) -> bytes:
        return bytes(map(self.face, cards))

    def bag(self, bag: Bag) -> Bag:
        return bag_of(map(self.face, bag_cards(bag)))

    def bits(self, bits: int) -> int:
        return sum(1 << self.seats[seat] for seat in range(4) if bits >> seat & 1)

    def by_seat(self, values: tuple[int, ...]) -> tuple[int, ...]:
        renamed = [0] * len(values)
        for seat, value in enumerate(values):
            renamed[self.seats[seat]] = value
        return tuple(renamed)

    def meld(self, meld: Meld) -> Meld:
        return meld._replace(
            owner=self.seats[meld.owner],
            cards=self.cards(meld.cards),
            layers=bytes(self.seats[layer] for layer in meld.layers),
            suit=self.suits[meld.suit] if meld.suit >= 0 else -1,
        )

    def end(self, end: DealEnded | None) -> DealEnded | None:
        return end if end is None or end.finisher is None else end._replace(finisher=self.seats[end.finisher])

    def state(self, state: DealState) -> DealState:
        return state._replace(
            starter=self.seats[state.starter],
            hands=self.by_seat(tuple(map(self.bag, state.hands))),
            stock=self.cards(state.stock),
            pile=self.cards(state.pile),
            melds=tuple(map(self.meld, state.melds)),
            turn=self.seats[state.turn],
            duties=self.bag(state.duties),
            fallback=None if state.fallback is None else self.state(state.fallback),
            opened=self.bits(state.opened),
            put_down=self.bits(state.put_down),
            end=self.end(state.end),
        )

    def action(self, action: Action) -> Action:
        if isinstance(action, Timeout):
            return action
        renamed = action._replace(seat=self.seats[action.seat])
        match renamed:
            case Lay(_, melds):
                return renamed._replace(melds=tuple(map(self.cards, melds)))
            case Amend(_, _, cards):
                return renamed._replace(cards=self.cards(cards))
            case Discard(_, card):
                return renamed._replace(card=self.face(card))
        return renamed

    def score(self, score: DealScore) -> DealScore:
        return DealScore(
            teams=score.teams if self.seats[0] % 2 == 0 else (score.teams[1], score.teams[0]),
            seats=None if score.seats is None else self.by_seat(score.seats),
            hand_points=self.by_seat(score.hand_points),
            laid_points=self.by_seat(score.laid_points),
            bonus=score.bonus,
        )


def check_renamed(seed: int, renaming_for: Callable[[random.Random, int], Renaming]) -> None:
    """Play, and ask for everything under other names too."""
    rng = random.Random(seed)
    options = random_options(rng)
    renaming = renaming_for(rng, options.seats)
    start = random_start(rng, options)[0] if rng.random() < 0.4 else random_middle(rng, options)
    for step in play(rng, start, most_steps=300):
        check_step(step, renaming, rng)


def check_step(step: Step, renaming: Renaming, rng: random.Random) -> None:
    before, after = renaming.state(step.before), renaming.state(step.after)
    if isinstance(step.action, Timeout) and step.before.time_up and step.refused is None:
        thrown, other = least_useful_card(step.before), least_useful_card(before)
        assert RANK[thrown] == RANK[other]
        if renaming.suits == (0, 1, 2, 3):
            assert thrown == other
        else:
            return
    if step.action is not None:
        renamed = attempt(before, renaming.action(step.action))
        assert renamed.refused == step.refused
        assert renamed.after == after
    elif isinstance(step.events[0], Reshuffled):
        assert evolve(before, Reshuffled(renaming.cards(step.events[0].stock))) == after
    if step.after.end is not None:
        assert score_deal(after) == renaming.score(score_deal(step.after))
    elif rng.random() < 0.1 and not step.after.reshuffle_due and bag_size(step.after.hands[step.after.turn]) <= 20:
        check_legal(step.after, after, renaming)


def check_legal(state: DealState, renamed: DealState, renaming: Renaming) -> None:
    """A set's cards are listed in suit order, so layouts are compared as what they hold and where runs put it."""
    one, other = legal_actions(state), legal_actions(renamed)
    assert other[:4] == one[:4]
    assert len(other.melds) == len(one.melds)
    assert {tuple(sorted(cards)) for cards in other.melds} == {
        tuple(sorted(renaming.cards(cards))) for cards in one.melds
    }
    assert sorted(number for number, _ in other.amends) == sorted(number for number, _ in one.amends)
    runs = {number for number, _ in one.amends if state.melds[number - 1].start}
    assert {(number, cards) for number, cards in other.amends if number in runs} == {
        (number, renaming.cards(cards)) for number, cards in one.amends if number in runs
    }
    assert sorted(other.discards) == sorted(map(renaming.face, one.discards))


@given(SEEDS)
@settings(max_examples=60)
def test_suits_are_names(seed: int) -> None:
    check_renamed(seed, lambda rng, seats: Renaming(suits=rng.choice(list(permutations(range(4))))))


@given(SEEDS)
@settings(max_examples=60)
def test_seats_are_names(seed: int) -> None:
    """By two places partners change seats; by one place the teams change names as well."""

    def turned(rng: random.Random, seats: int) -> Renaming:
        by = rng.randrange(1, seats)
        return Renaming(seats=tuple((seat + by) % seats for seat in range(seats)) + tuple(range(seats, 4)))

    check_renamed(seed, turned)
