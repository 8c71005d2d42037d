"""The stock run out (R6): when a turn begins, when the deal is dead, and what one card in the pile is good for."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.actions import TIMEOUT, Discard, Pass, Take, Undo
from shared.rules.cards import bag_of
from shared.rules.engine import apply
from shared.rules.events import Discarded
from shared.rules.options import Options
from shared.rules.state import LAST_TURN, DealState, Phase
from shared.rules.usable import can_use
from tests.support.brute_state import TooManyError, brute_can_use_top
from tests.support.play import Step, attempt, play
from tests.support.positions import random_middle, random_options
from tests.support.small_positions import random_draw_phase

SEEDS = st.integers(0, 2**32 - 1)


def may_reshuffle(options: Options, pile: int, used: int) -> bool:
    return pile >= 2 and (options.max_reshuffles is None or used < options.max_reshuffles)


def check_turn_begins(step: Step) -> None:
    """R6.1 to R6.3 after a discard that was nobody's last card."""
    before, after, options = step.before, step.after, step.before.options
    pile = len(after.pile)
    dead = before.turn_no >= LAST_TURN
    if not after.stock and not may_reshuffle(options, pile, after.reshuffles_used):
        dead = dead or pile != 1 or options.pile_take != "top_must_meld" or not can_use(after, after.pile[0])
    assert (after.end is not None) == dead
    if after.end is not None:
        assert (after.end.end, after.end.finisher, after.end.one_turn) == ("dead", None, False)


@given(SEEDS)
@settings(max_examples=80)
def test_a_turn_begins_or_the_deal_is_dead(seed: int) -> None:
    rng = random.Random(seed)
    options = random_options(rng)
    for step in play(rng, random_middle(rng, options), most_steps=300):
        if step.events and isinstance(step.events[0], Discarded) and all(step.after.hands):
            check_turn_begins(step)
        most = options.max_reshuffles
        if step.after.reshuffles_used > step.before.reshuffles_used:
            assert most is None or step.after.reshuffles_used <= most


def last_card_thrown(rng: random.Random) -> tuple[DealState, DealState, bool] | None:
    """The last seat throws the only card of the pile, with no stock: the states around it, and whether it is of use."""
    drawn = random_draw_phase(rng, hand_sizes=(2, 3, 4, 5), partners_only=rng.random() < 0.5)
    top = drawn.pile[-1]
    last = len(drawn.hands) - 1
    bare = drawn._replace(stock=b"", turn_no=rng.choice((4, LAST_TURN - 1)), reshuffles_used=rng.randrange(3))
    try:
        usable = brute_can_use_top(bare)
    except TooManyError:
        return None
    thrower = bare._replace(
        hands=(*bare.hands[:last], bag_of([top, 24])), pile=b"", turn=last, phase=Phase.PLAY, turn_no=bare.turn_no - 1
    )
    after = apply(thrower, Discard(last, top))[1]
    return thrower, after, usable


@given(SEEDS)
@settings(max_examples=150)
def test_the_last_card_of_the_pile_keeps_the_deal_alive_if_it_can_be_used(seed: int) -> None:
    made = last_card_thrown(random.Random(seed))
    if made is None:
        return
    _, after, usable = made
    assert (after.end is None) == usable
    if after.end is not None:
        return
    assert attempt(after, Pass(0)).after.end is not None
    assert attempt(after, TIMEOUT).after.end is not None
    taken = attempt(after, Take(0, 1)).after
    assert taken.duties
    assert attempt(taken, Pass(0)).refused is not None
    undone = attempt(taken, Undo(0)).after
    assert undone == after
    late = attempt(taken, TIMEOUT).after
    assert late.end is not None
    assert late.end.end == "dead"
    assert late.hands == after.hands
    assert late.pile == after.pile
