"""Long random play, all presets, modes and options: what holds after every single thing that is asked of the engine."""

import pickle
import random
from collections import Counter
from collections.abc import Iterator
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.action_text import action_text
from shared.rules.actions import Amend, Discard, Draw, Lay, Pass, Take, Timeout, Undo
from shared.rules.cards import FULL_DECK, JOKER, bag_count, bag_faces, bag_of, codes
from shared.rules.engine import decide
from shared.rules.events import Amended, Laid, Reshuffled, Took, Undone
from shared.rules.evolve import evolve
from shared.rules.legal import LegalActions, legal_actions
from shared.rules.position import read_position
from shared.rules.refusal import Code
from shared.rules.state import LAST_TURN, DealState, Phase, all_cards, same_team
from tests.support.play import Step, Temper, play, play_deal, random_start
from tests.support.positions import random_middle, random_options, random_position
from tests.support.records import record, replayed

SEEDS = st.integers(0, 2**32 - 1)
THE_DECK = sorted(FULL_DECK)


def random_play(seed: int, most_steps: int = 400) -> Iterator[Step]:
    """Play from a deal's beginning, or from somewhere in the middle of one."""
    rng = random.Random(seed)
    options = random_options(rng)
    start = random_start(rng, options)[0] if rng.random() < 0.4 else random_middle(rng, options)
    return play(rng, start, most_steps=most_steps)


@given(SEEDS)
@settings(max_examples=60)
def test_the_106_cards_are_always_there(seed: int) -> None:
    for step in random_play(seed):
        assert all_cards(step.after) == THE_DECK


@given(SEEDS)
@settings(max_examples=60)
def test_a_refused_action_leaves_every_byte_of_the_state(seed: int) -> None:
    bytes_before = None
    for step in random_play(seed):
        if bytes_before is not None:
            assert pickle.dumps(step.before) == bytes_before
        bytes_before = pickle.dumps(step.after)
        if step.refused is not None:
            assert step.after == step.before


@given(SEEDS)
@settings(max_examples=60)
def test_the_events_alone_give_the_same_state(seed: int) -> None:
    steps = list(random_play(seed))
    events = [event for step in steps for event in step.events]
    assert reduce(evolve, events, steps[0].before) == steps[-1].after


@given(SEEDS, st.booleans())
@settings(max_examples=60)
def test_a_record_of_the_play_replays_to_the_same_end(seed: int, refused: bool) -> None:
    rng = random.Random(seed)
    played = play_deal(rng, random_options(rng))
    result = replayed(record(played.options, [played.in_record(refused=refused)]), lenient=refused)
    assert result.deals == [played.end]
    asked = [step for step in played.steps if step.action is not None and (refused or step.refused is None)]
    skipped = [(at, step) for at, step in enumerate(asked, 1) if step.refused is not None]
    assert [one.action for one in result.refused] == [at for at, _ in skipped]
    for one, (_, step) in zip(result.refused, skipped, strict=True):
        assert one.code in (step.refused, Code.BAD_ACTION if has_empty_layout(step.action) else step.refused)


@given(SEEDS)
@settings(max_examples=60)
def test_so_does_a_record_of_play_from_the_middle(seed: int) -> None:
    rng = random.Random(seed)
    options = random_options(rng)
    position = random_position(rng, options)
    steps = list(play(rng, read_position(position, options, 0)))
    stocks = [codes(event.stock) for step in steps for event in step.events if isinstance(event, Reshuffled)]
    actions = [action_text(step.action) for step in steps if step.action is not None and step.refused is None]
    deal = {"position": position, "reshuffles": stocks, "actions": actions}
    assert replayed(record(options, [deal])).deals == [steps[-1].after]


def has_empty_layout(action: object) -> bool:
    """Whether the record's words can't say the action: a text has no melds without cards."""
    return (isinstance(action, Lay) and not all(action.melds)) or (isinstance(action, Amend) and not action.cards)


@given(SEEDS)
@settings(max_examples=80)
def test_an_undo_restores_the_last_moment_without_a_duty(seed: int) -> None:
    safe: DealState | None = None
    for step in random_play(seed):
        if safe is None or not step.before.duties:
            safe = step.before
        if isinstance(step.action, Undo):
            assert (step.refused is None) == (
                step.action.seat == step.before.turn and bool(step.before.duties) and step.before.end is None
            )
        if step.events and isinstance(step.events[0], Undone):
            assert evolve(step.before, step.events[0]) == safe
            assert pickle.dumps(evolve(step.before, step.events[0])) == pickle.dumps(safe)


@given(SEEDS)
@settings(max_examples=60)
def test_what_is_accepted_is_what_legal_lists(seed: int) -> None:
    """Of the seat to act; several melds at once are legal one by one."""
    for step in random_play(seed, most_steps=200):
        action, state = step.action, step.before
        if action is None or isinstance(action, Timeout) or action.seat != state.turn:
            continue
        listed = is_listed(action, legal_actions(state), state)
        if isinstance(action, Lay) and len(action.melds) > 1:
            assert listed or step.refused is not None
        else:
            assert listed == (step.refused is None), (action, step.refused)


def is_listed(action: object, legal: LegalActions, state: DealState) -> bool:
    match action:
        case Draw():
            return legal.draw
        case Take(_, depth):
            return depth in legal.take
        case Pass():
            return legal.passing
        case Undo():
            return legal.undo
        case Lay(_, melds):
            known = {as_answered(cards) for cards in legal.melds}
            return bool(melds) and all(as_answered(cards) in known for cards in melds)
        case Amend(_, number, cards):
            if 1 <= number <= len(state.melds) and not state.melds[number - 1].start:
                return (number, sorted(cards)) in [(one, sorted(layout)) for one, layout in legal.amends]
            return (number, cards) in legal.amends
        case Discard(_, card):
            return card in legal.discards
    return False


def as_answered(cards: bytes) -> bytes:
    """A set's cards in one order; a run as it is."""
    plain = {face % 13 for face in cards if face != 52 and face % 13 != 1}
    several = sum(face != 52 and face % 13 != 1 for face in cards) > 1
    return bytes(sorted(cards)) if several and len(plain) == 1 else cards


@given(SEEDS)
@settings(max_examples=40)
def test_the_engine_takes_all_that_legal_lists(seed: int) -> None:
    rng = random.Random(seed)
    for step in random_play(seed, most_steps=120):
        state = step.after
        legal, seat = legal_actions(state), state.turn
        if state.reshuffle_due:
            continue
        for cards in rng.sample(legal.melds, min(4, len(legal.melds))):
            decide(state, Lay(seat, (cards,)))
        for number, layout in rng.sample(legal.amends, min(4, len(legal.amends))):
            decide(state, Amend(seat, number, layout))
        for depth in legal.take[:2]:
            decide(state, Take(seat, depth))
        for face in legal.discards:
            decide(state, Discard(seat, face))


@given(SEEDS)
@settings(max_examples=60)
def test_duties_are_the_taken_card_and_released_jokers_until_they_are_laid(seed: int) -> None:
    due: Counter[int] = Counter()
    for step in random_play(seed):
        options = step.before.options
        for event in step.events:
            match event:
                case Took() if options.pile_take == "top_must_meld":
                    due = Counter(step.before.pile[-1:])
                case Laid(_, melds):
                    due -= Counter(face for meld in melds for face in meld.cards)
                case Amended(_, _, added, released):
                    due -= Counter(added)
                    due[JOKER] += released and options.released_joker_must_be_laid
                case Undone():
                    due.clear()
        assert bag_of(due.elements()) == step.after.duties


@given(SEEDS)
@settings(max_examples=60)
def test_a_state_is_never_at_odds_with_itself(seed: int) -> None:
    for step in random_play(seed):
        check_consistent(step.after)


def check_consistent(state: DealState) -> None:
    assert (state.end is not None) == (state.phase is Phase.OVER)
    assert (state.fallback is not None) == bool(state.duties)
    if state.end is None:
        assert all(state.hands)
        assert state.phase is Phase.PLAY or not (state.duties or state.time_up)
        assert not (state.time_up and state.duties)
    hand = state.hands[state.turn]
    assert all(bag_count(hand, face) >= bag_count(state.duties, face) for face in bag_faces(state.duties))
    for number, meld in enumerate(state.melds, 1):
        assert meld.id == number
        assert len(meld.layers) == len(meld.cards)
        assert all(same_team(meld.owner, layer) for layer in meld.layers)
        assert state.opened >> meld.owner & 1
        assert all(state.put_down >> layer & 1 for layer in meld.layers)


@pytest.mark.parametrize("preset", ["sahrat", "banakil202"])
def test_every_deal_ends_at_the_400th_turn_at_the_latest(preset: str, rng: random.Random) -> None:
    nobody_lays = Temper(meld=0, amend=0, take=0, timeout=0, mischief=0)
    played = play_deal(rng, random_options(rng, preset=preset, max_reshuffles=None), nobody_lays)
    assert played.end.end is not None
    assert played.end.end.end == "dead"
    assert played.end.turn_no == LAST_TURN + 1
