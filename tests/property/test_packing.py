"""The best disjoint melds of a hand (R12), against trying every way to pack its melds."""

from dataclasses import replace

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from shared.rules.cards import (
    FULL_DECK,
    JOKER,
    RUN_FACES,
    TWOS,
    Bag,
    Face,
    bag_cards,
    bag_of,
    bag_remove,
    bag_size,
    bag_take,
    codes,
    half_points,
)
from shared.rules.layouts import new_melds
from shared.rules.melds import layout_shape
from shared.rules.options import SAHRAT, Options
from shared.rules.packing import Packing, best_melds

meld_options = st.builds(
    lambda least, sets, natural: replace(SAHRAT, min_real=least, twos_in_sets=sets, natural_two_is_real=natural),
    st.sampled_from([1, 2]),
    st.booleans(),
    st.booleans(),
)


@st.composite
def meldable_hands(draw: st.DrawFn, most: int, most_suits: int) -> Bag:
    """Hands of a few suits in one stretch of positions, with aces and 3s, two jokers and three twos at the most."""
    cards = [JOKER] * draw(st.integers(0, 2))
    cards += draw(st.lists(st.sampled_from(TWOS), max_size=3))
    suits = draw(st.lists(st.sampled_from(range(4)), min_size=1, max_size=most_suits, unique=True))
    low = draw(st.integers(1, 12))
    high = draw(st.integers(low + 2, 14))
    near = st.builds(lambda suit, at: RUN_FACES[suit][at - 1], st.sampled_from(suits), st.integers(low, high))
    for_sets = st.builds(lambda suit, rank: suit * 13 + rank - 1, st.integers(0, 3), st.sampled_from([1, 3]))
    cards += draw(st.lists(st.one_of(near, near, near, for_sets), max_size=most))
    return bag_of(_twice_at_most(cards)[:most])


@given(hand=meldable_hands(most=9, most_suits=3), options=meld_options)
@settings(max_examples=300)
def test_no_other_disjoint_melds_lay_more(hand: Bag, options: Options) -> None:
    """Of all ways to pack the hand's melds none has more points, and of equals none leaves fewer cards."""
    note(f"{codes(bag_cards(hand))}")
    assert _result(best_melds(hand, options)) == _best_by_trying(hand, options)


@given(hand=meldable_hands(most=14, most_suits=1), options=meld_options)
@settings(max_examples=100)
def test_long_runs_lose_nothing_by_being_split(hand: Bag, options: Options) -> None:
    """In a hand full of one suit, whose runs are long and overlap, the best is found as well."""
    note(f"{codes(bag_cards(hand))}")
    assert _result(best_melds(hand, options)) == _best_by_trying(hand, options)


@given(cards=st.permutations(FULL_DECK), size=st.integers(0, 106), options=meld_options)
@settings(max_examples=30)
def test_melds_are_legal_and_disjoint(cards: list[Face], size: int, options: Options) -> None:
    """Whatever the hand, each meld is one by R4, no card is in two of them, and points and cards left are theirs."""
    hand = bag_of(cards[:size])
    packing = best_melds(hand, options)
    for meld in packing.melds:
        layout_shape(meld, options)
    left = bag_take(hand, b"".join(packing.melds))
    assert left >= 0
    assert (packing.half_points, packing.left) == (sum(map(half_points, packing.melds)), bag_size(left))


@given(cards=st.permutations(FULL_DECK), size=st.integers(0, 40), suits=st.permutations(range(4)), options=meld_options)
@settings(max_examples=100)
def test_suits_are_alike(cards: list[Face], size: int, suits: list[int], options: Options) -> None:
    """Exchanging suits changes neither the points nor the cards left."""
    hand = cards[:size]
    renamed = [face if face == JOKER else suits[face // 13] * 13 + face % 13 for face in hand]
    assert _result(best_melds(bag_of(hand), options)) == _result(best_melds(bag_of(renamed), options))


@pytest.mark.parametrize("least", [1, 2])
def test_the_whole_deck_lies_in_melds(least: int) -> None:
    """All 106 cards can lie side by side."""
    packing = best_melds(bag_of(FULL_DECK), replace(SAHRAT, min_real=least))
    assert (packing.left, packing.half_points) == (0, half_points(FULL_DECK))


def _result(packing: Packing) -> tuple[int, int]:
    return packing.half_points, packing.left


def _best_by_trying(hand: Bag, options: Options) -> tuple[int, int]:
    """The points and cards left of the best packing: each card in turn is left over, or in one of the melds."""
    melds = {tuple(sorted(cards)) for cards in new_melds(hand, options)}
    by_card: dict[Face, list[tuple[int, ...]]] = {}
    for meld in melds:
        for face in set(meld):
            by_card.setdefault(face, []).append(meld)
    known: dict[Bag, tuple[int, int]] = {0: (0, 0)}

    def best(bag: Bag) -> tuple[int, int]:
        """Half-points, and cards left with a minus."""
        if bag not in known:
            face = bag_cards(bag)[0]
            points, left = best(bag_remove(bag, face))
            found = [(points, left - 1)]
            for meld in by_card.get(face, ()):
                rest = bag_take(bag, meld)
                if rest >= 0:
                    points, left = best(rest)
                    found.append((points + half_points(meld), left))
            known[bag] = max(found)
        return known[bag]

    points, left = best(hand)
    return points, -left


def _twice_at_most(cards: list[Face]) -> list[Face]:
    """The cards without third copies."""
    return [face for at, face in enumerate(cards) if cards[:at].count(face) < 2]
