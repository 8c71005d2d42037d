"""New melds and amends against the plain second reading of R4 and R5.5 in `tests/support/brute.py`."""

import random
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.rules.amend import check_amend
from shared.rules.cards import CODES, FULL_DECK, bag_cards, bag_of, bag_size, codes
from shared.rules.drawing import takeable_depths
from shared.rules.layouts import new_layouts, new_melds
from shared.rules.legal import legal_actions
from shared.rules.melds import Meld, layout_shape
from shared.rules.options import PRESETS, Options
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState, Phase
from tests.support import brute
from tests.support.brute_state import brute_amends, brute_melds, coded, hand_of, table_meld
from tests.support.play import play, random_start
from tests.support.positions import fitting, picked, random_middle, random_options, random_taste

SEEDS = st.integers(0, 2**32 - 1)


@dataclass
class Case:
    """A meld of seats 0 and 2, a hand, and who amends."""

    options: Options
    meld: Meld
    hand: list[int]
    seat: int


def random_case(rng: random.Random) -> Case | None:
    """A meld with wilds in it often, and a hand that fits it; None where the cards made no meld."""
    options = random_options(rng, mode="partners")
    deck, taste = list(FULL_DECK), random_taste(rng)
    melds = new_melds(bag_of(picked(rng, list(deck), rng.choice((4, 6, 9, 14)), taste)), options)
    if not melds:
        return None
    cards = max(melds, key=lambda meld: (len(meld), rng.random())) if rng.random() < 0.5 else rng.choice(sorted(melds))
    for face in cards:
        deck.remove(face)
    start, suit = layout_shape(cards, options)
    meld = Meld(1, rng.choice((0, 2)), cards, bytes(rng.choice((0, 2)) for _ in cards), start, suit)
    hand = picked(rng, deck, rng.choice((1, 2, 4, 6)), fitting(taste, [cards], options))
    return Case(options, meld, hand, rng.choice((0, 2)))


@given(SEEDS)
@settings(max_examples=150)
def test_a_small_hand_holds_the_melds_that_some_order_of_its_cards_makes(seed: int) -> None:
    rng = random.Random(seed)
    options = random_options(rng)
    hand = codes(picked(rng, list(FULL_DECK), rng.choice((3, 4, 5)), random_taste(rng)))
    found = new_melds(bag_of(map(CODES.index, hand)), options)
    assert len(set(found)) == len(found)
    assert set(map(coded, found)) == brute.every_order(hand, options) == brute.new_melds(hand, options)


@given(SEEDS)
@settings(max_examples=150)
def test_a_hand_holds_the_melds_that_the_text_of_the_rules_gives_it(seed: int) -> None:
    rng = random.Random(seed)
    options = random_options(rng)
    hand = codes(picked(rng, list(FULL_DECK), rng.choice((6, 9, 13)), random_taste(rng)))
    found = new_melds(bag_of(map(CODES.index, hand)), options)
    assert len(set(found)) == len(found)
    assert set(map(coded, found)) == brute.new_melds(hand, options)


@given(SEEDS)
@settings(max_examples=300)
def test_a_meld_has_the_new_layouts_that_the_text_of_the_rules_gives_it(seed: int) -> None:
    case = random_case(random.Random(seed))
    if case is None:
        return
    meld, hand = case.meld, bag_of(case.hand)
    found = new_layouts(meld, hand, case.seat, case.options)
    wanted = brute.amends(table_meld(meld), codes(case.hand), case.seat, case.options)
    assert len(set(found)) == len(found)
    assert set(map(coded, found)) == set(wanted)
    for cards in found:
        amendment = check_amend(meld, cards, case.seat, hand, case.options)
        told = brute.Outcome(tuple(amendment.meld.layers), coded(amendment.added), amendment.joker_released)
        assert told in wanted[coded(cards)]
        assert (amendment.meld.start, amendment.meld.suit) == layout_shape(cards, case.options)
        back = [*bag_cards(amendment.hand), *cards]
        assert sorted(back) == sorted([*case.hand, *meld.cards])


@given(SEEDS)
@settings(max_examples=150)
def test_any_layout_at_all_is_judged_alike(seed: int) -> None:
    rng = random.Random(seed)
    case = random_case(rng)
    if case is None:
        return
    for _ in range(20):
        cards = bytes(edited(rng, list(case.meld.cards), case.hand))
        wanted = brute.amend_outcomes(table_meld(case.meld), coded(cards), codes(case.hand), case.seat, case.options)
        try:
            check_amend(case.meld, cards, case.seat, bag_of(case.hand), case.options)
        except RefusedError:
            assert not wanted
        else:
            assert wanted
        try:
            layout_shape(cards, case.options)
        except RefusedError:
            assert not brute.is_meld(coded(cards), case.options)
        else:
            assert brute.is_meld(coded(cards), case.options)


def edited(rng: random.Random, layout: list[int], hand: list[int]) -> list[int]:
    for _ in range(rng.randint(1, 3)):
        kind, at = rng.randrange(4), rng.randrange(len(layout) + 1)
        if kind == 0:
            layout.insert(at, rng.choice(hand))
        elif at < len(layout):
            moved = layout.pop(at)
            if kind == 1:
                layout.insert(rng.randrange(len(layout) + 1), moved)
            elif kind == 2:
                layout.insert(at, rng.choice(hand))
    return layout


@given(SEEDS)
@settings(max_examples=40)
def test_in_play_legal_lists_what_the_text_of_the_rules_lists(seed: int) -> None:
    rng = random.Random(seed)
    options = random_options(rng)
    start = random_start(rng, options)[0] if rng.random() < 0.2 else random_middle(rng, options)
    for step in play(rng, start, most_steps=150):
        if step.after.end is None and not step.after.reshuffle_due and rng.random() < 0.2:
            check_legal(step.after)


def check_legal(state: DealState) -> None:
    legal, seat = legal_actions(state), state.turn
    lays = state.phase is Phase.PLAY and not state.time_up
    assert legal.draw == (state.phase is Phase.DRAW and len(state.stock) > 0)
    assert legal.passing == (state.phase is Phase.DRAW and not state.stock)
    assert legal.undo == bool(state.duties)
    throws = state.phase is Phase.PLAY and not state.duties
    assert codes(legal.discards) == (sorted(set(hand_of(state))) if throws else [])
    if state.options.pile_take == "any_depth":
        assert list(legal.take) == [depth for depth in range(1, len(state.pile) + 1) if state.phase is Phase.DRAW]
    else:
        assert legal.take == tuple(takeable_depths(state))
    if bag_size(state.hands[seat]) <= 9:
        assert [coded(cards) for cards in legal.melds] == (brute_melds(state) if lays else [])
        assert [(number, coded(cards)) for number, cards in legal.amends] == (brute_amends(state) if lays else [])


def test_the_second_reading_agrees_with_the_examples_of_the_documents() -> None:
    sahrat, other = PRESETS["sahrat"], PRESETS["banakil202"]
    melds = [
        ("7H", "8H", "2C", "TH"),
        ("AS", "AH", "JK"),
        ("QH", "KH", "AH"),
        ("AS", "2S", "3S"),
        ("AS", "2S", "2H", "4S"),
    ]
    assert [brute.is_meld(cards, other) for cards in melds] == [True, True, True, True, True]
    assert [brute.is_meld(cards, sahrat) for cards in melds] == [True, True, True, True, False]
    for cards in (("KS", "AS", "2S"), ("5S", "5H", "5D"), ("2S", "2H", "JK"), ("JK", "JK", "5S"), ("3S", "3S", "3H")):
        assert not brute.is_meld(cards, other)
        assert not brute.is_meld(cards, sahrat)
    run = brute.TableMeld(0, ("7H", "8H", "2C", "TH"), (0, 0, 0, 0))
    moved = ("7H", "8H", "9H", "TH", "2C")
    assert brute.amend_outcomes(run, moved, ["9H"], 2, sahrat) == [brute.Outcome((0, 0, 2, 0, 0), ("9H",), False)]
