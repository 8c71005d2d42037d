"""The score of a deal, and whose card is whose, against a ledger kept apart (R7)."""

import random
from collections import Counter
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.cards import codes
from shared.rules.scoring import DealScore, score_deal
from shared.rules.state import DealState
from tests.support.ledger import Ledger, PaperScore, paper_score
from tests.support.play import play, random_start
from tests.support.positions import random_middle, random_options

SEEDS = st.integers(0, 2**32 - 1)


def in_points(score: DealScore) -> PaperScore:
    def halved(values: tuple[int, ...]) -> tuple[Fraction, ...]:
        return tuple(Fraction(value, 2) for value in values)

    one, other = halved(score.teams)
    return PaperScore(
        (one, other),
        None if score.seats is None else halved(score.seats),
        Fraction(score.bonus, 2),
        halved(score.laid_points),
        halved(score.hand_points),
    )


def check_end(ledger: Ledger, state: DealState) -> None:
    end = state.end
    assert end is not None
    empty = [seat for seat, hand in enumerate(state.hands) if not hand]
    assert (end.end == "out") == bool(empty)
    assert end.finisher == (empty[0] if empty else None)
    # A discard has begun the next turn already.
    turn_no = state.turn_no if state.turn == end.finisher else state.turn_no - 1
    one_turn = bool(empty) and ledger.all_in_one_turn(empty[0], turn_no, state.options)
    assert end.one_turn == one_turn
    assert in_points(score_deal(state)) == paper_score(ledger, state, end.finisher, one_turn=one_turn)


@given(SEEDS)
@settings(max_examples=150)
def test_a_deal_is_scored_as_on_paper(seed: int) -> None:
    rng = random.Random(seed)
    options = random_options(rng)
    start = random_start(rng, options)[0] if rng.random() < 0.3 else random_middle(rng, options)
    ledger = Ledger.before(start)
    for step in play(rng, start):
        ledger.note(step)
        if step.after.end is not None:
            check_end(ledger, step.after)


@given(SEEDS)
@settings(max_examples=60)
def test_each_card_on_the_table_is_whose_who_put_it_there(seed: int) -> None:
    rng = random.Random(seed)
    start = random_middle(rng, random_options(rng))
    ledger = Ledger.before(start)
    for step in play(rng, start, most_steps=200):
        ledger.note(step)
        told = {
            meld.id: Counter(zip(codes(meld.cards), meld.layers, strict=True)) for meld in step.after.melds
        }  # fmt: skip
        assert told == ledger.on_table()
