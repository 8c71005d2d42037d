"""The server's discard against R9.3 read from the text."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.cards import CODES, codes
from shared.rules.discard_choice import least_useful_card
from shared.rules.state import DealState, Phase
from tests.support import brute
from tests.support.brute_state import hand_of, may_touch, table_meld
from tests.support.ledger import points
from tests.support.play import play, random_start
from tests.support.positions import random_middle, random_options

SEEDS = st.integers(0, 2**32 - 1)


def positions(card: str) -> list[int]:
    return [at for at in range(1, 15) if brute.RANK_AT[at] == card[0]]


def possible_pair(one: str, other: str) -> bool:
    if one[1] == other[1]:
        return any(abs(a - b) <= 2 for a in positions(one) for b in positions(other))
    return one[0] == other[0] and one[0] in "A3"


def can_be_added_alone(state: DealState, card: str) -> bool:
    for meld in state.melds:
        alike = 1 if meld.start else 0  # the suit of a run, the rank of a set
        if may_touch(state, meld) and card[alike] in {there[alike] for there in codes(meld.cards)}:
            amends = brute.amends(table_meld(meld), [card], state.turn, state.options)
            if any(outcome.added == (card,) for outcomes in amends.values() for outcome in outcomes):
                return True
    return False


def thrown(state: DealState) -> str:
    hand = hand_of(state)
    plain = {card for card in hand if brute.is_plain(card)}
    if not plain:
        return min(hand, key=lambda card: (card == "JK", "SHDC".find(card[1])))

    def order(card: str) -> tuple[object, ...]:
        use = sum(possible_pair(card, other) for other in plain - {card}) + 2 * can_be_added_alone(state, card)
        return use, points(card), "A23456789TJQK".index(card[0]), "SHDC".index(card[1])

    return min(plain, key=order)


@given(SEEDS)
@settings(max_examples=80)
def test_the_server_throws_what_the_text_of_the_rules_throws(seed: int) -> None:
    rng = random.Random(seed)
    options = random_options(rng)
    start = random_start(rng, options)[0] if rng.random() < 0.3 else random_middle(rng, options)
    for step in play(rng, start, most_steps=150):
        state = step.after
        if state.phase is Phase.PLAY and not state.duties and rng.random() < 0.1:
            assert CODES[least_useful_card(state)] == thrown(state)
