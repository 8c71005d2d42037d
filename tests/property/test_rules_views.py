"""What a viewer may not see makes no difference to it: two states that differ in hidden cards look and answer alike."""

import random
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.actions import Timeout
from shared.rules.cards import Bag, bag_cards, bag_count, bag_of, bag_size
from shared.rules.engine import decide
from shared.rules.events import DealEnded, Drew
from shared.rules.evolve import evolve
from shared.rules.hints import hints_for, seat_hints
from shared.rules.legal import legal_actions
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState, all_cards
from shared.rules.views import SeenEvent, Viewer, seat_state, seen_event, view_of
from tests.support.play import Step, mischief, play, random_start, random_temper, sensible_action
from tests.support.positions import random_middle, random_options

SEEDS = st.integers(0, 2**32 - 1)


def random_play(rng: random.Random) -> Iterator[Step]:
    options = random_options(rng)
    start = random_start(rng, options)[0] if rng.random() < 0.4 else random_middle(rng, options)
    return play(rng, start, most_steps=200)


def minus(bag: Bag, other: Bag) -> list[int]:
    """The cards of the one bag that the other has not."""
    cards = bag_cards(bag)
    for face in bag_cards(other):
        if face in cards:
            cards.remove(face)
    return cards


def hidden_reshuffled(rng: random.Random, state: DealState, known: set[int], *, stock: bool = True) -> DealState:
    """The state with other cards in the hands of the seats not `known`, and in the stock.

    What the table has seen come into a hand stays there: the cards of unmet duties.
    """
    unknown = [seat for seat in range(len(state.hands)) if seat not in known]
    kept = {seat: bag_cards(state.duties) if seat == state.turn else [] for seat in unknown}
    pool = [face for seat in unknown for face in minus(state.hands[seat], bag_of(kept[seat]))]
    pool += state.stock if stock else b""
    for _ in range(200):
        rng.shuffle(pool)
        left = iter(pool)
        hands = list(state.hands)
        for seat in unknown:
            drawn = [next(left) for _ in range(bag_size(state.hands[seat]) - len(kept[seat]))]
            hands[seat] = bag_of(kept[seat] + drawn)
        new_stock = bytes(left) if stock else state.stock
        changed = state._replace(hands=tuple(hands), stock=new_stock)
        if state.fallback is None:
            return changed
        back = state.fallback
        old, turn = state.hands[state.turn], state.turn
        gained, laid = minus(old, back.hands[turn]), minus(back.hands[turn], old)
        if all(bag_count(hands[turn], face) >= gained.count(face) for face in gained):
            before = [*minus(hands[turn], bag_of(gained)), *laid]
            hands[turn] = bag_of(before)
            return changed._replace(fallback=back._replace(hands=tuple(hands), stock=new_stock))
    return state


def refusal(state: DealState, action: object) -> tuple[str, str] | None:
    try:
        decide(state, action)  # type: ignore[arg-type]  # an action, of whichever kind
    except RefusedError as refused:
        return refused.code, str(refused)
    return None


@given(SEEDS)
@settings(max_examples=50)
def test_views_hints_and_legal_moves_are_equal(seed: int) -> None:
    rng = random.Random(seed)
    for step in random_play(rng):
        state = step.after
        if state.end is not None or rng.random() < 0.93:
            continue
        for viewer in (None, *range(state.options.seats)):
            other = hidden_reshuffled(rng, state, {viewer} if viewer is not None else set())
            assert all_cards(other) == all_cards(state)
            assert view_of(other, viewer) == view_of(state, viewer)
            assert seat_hints(view_of(other, viewer)) == seat_hints(view_of(state, viewer))
            if viewer == state.turn and not state.reshuffle_due:
                seen = seat_state(view_of(state, viewer))
                assert legal_actions(seen) == legal_actions(state) == legal_actions(other)
                assert hints_for(seen) == hints_for(state) == hints_for(other)


@given(SEEDS)
@settings(max_examples=50)
def test_what_a_seat_asks_for_is_refused_alike(seed: int) -> None:
    rng = random.Random(seed)
    temper = random_temper(rng)
    for step in random_play(rng):
        state = step.after
        if state.end is not None or state.reshuffle_due or rng.random() < 0.6:
            continue
        seat = state.turn if rng.random() < 0.8 else rng.randrange(state.options.seats)
        other = hidden_reshuffled(rng, state, {seat})
        for _ in range(3):
            action = mischief(rng, state)
            if not isinstance(action, Timeout) and action.seat == seat:
                assert refusal(other, action) == refusal(state, action)
        if seat == state.turn:
            action = sensible_action(rng, state, temper)
            assert refusal(other, action) == refusal(state, action)


@given(SEEDS)
@settings(max_examples=50)
def test_what_happens_looks_alike_to_who_sees_neither_hand_nor_stock(seed: int) -> None:
    """Unless the deal ends: then every hand is shown, and whether it does may turn on the next seat's hand (R6.2)."""
    rng = random.Random(seed)
    for step in random_play(rng):
        if step.action is None or step.after.end is not None or not step.events:
            continue
        for viewer in (None, *range(step.before.options.seats)):
            sees_draw = viewer == step.before.turn and any(isinstance(event, Drew) for event in step.events)
            other = hidden_reshuffled(rng, step.before, {step.before.turn, viewer} - {None}, stock=not sees_draw)
            events = decide(other, step.action)
            if any(isinstance(event, DealEnded) for event in events):
                continue
            assert events == step.events
            assert list(seen(other, events, viewer)) == list(seen(step.before, step.events, viewer))


def seen(state: DealState, events: tuple[object, ...], viewer: Viewer) -> Iterator[SeenEvent]:
    for event in events:
        after = evolve(state, event)  # type: ignore[arg-type]  # events of the engine
        yield seen_event(event, state, after, viewer)  # type: ignore[arg-type]
        state = after


@given(SEEDS)
@settings(max_examples=50)
def test_a_view_holds_no_card_that_its_viewer_may_not_know(seed: int) -> None:
    """Every card of a view is the viewer's own, on the table, or one that the table has seen taken."""
    rng = random.Random(seed)
    for step in random_play(rng):
        state = step.after
        for viewer in (None, *range(state.options.seats)):
            view = view_of(state, viewer)
            assert view.hand == (None if viewer is None else state.hands[viewer])
            assert view.hands == (state.hands if state.end is not None else None)
            if viewer is not None:
                seen_by = seat_state(view)
                assert [hand for seat, hand in enumerate(seen_by.hands) if seat != viewer and hand] == []
                assert set(seen_by.stock) <= {255}
                assert seen_by.fallback is None or seen_by.fallback.hands == seen_by.hands
