"""The best new melds together (R12): hands in which a choice has to be made."""

import pytest

from shared.rules.cards import bag_of, codes
from shared.rules.packing import Packing, best_melds
from tests.support.records import faces, options_of


def packed(hand: str, preset: str = "sahrat", **changed: object) -> Packing:
    return best_melds(bag_of(faces(hand)), options_of(preset, **changed))


def melds_of(packing: Packing) -> list[str]:
    return [" ".join(codes(cards)) for cards in packing.melds]


@pytest.mark.parametrize("hand", ["", "5H 6H 8D KC", "JK JK 2S 2H", "5H JK", "7S 7H 7D", "KS AS 3S"])
def test_a_hand_without_melds_lays_none(hand: str) -> None:
    """Where nothing is ready all cards are left."""
    assert packed(hand) == Packing((), 0, len(hand.split()))


@pytest.mark.parametrize(
    "hand",
    [
        *("7H 8H 2S", "7H 8H JK", "7H 8H 2S JK", "7H 9H 2S", "7H 9H JK", "7H 9H 2S JK", "7H TH 2S JK"),
        *("7H 8H 9H", "7H 8H 9H 2S", "7H 8H 9H JK", "7H 8H 9H 2S JK", "7H 9H TH 2S", "7H 9H TH JK", "7H 8H TH 2S JK"),
        *("7H TH JH 2S JK", "7H 9H JH 2S JK", "7H 8H 9H TH", "7H 8H 9H TH 2S", "7H 8H 9H TH JK", "7H 9H TH JH 2S"),
        *("7H 8H TH JH JK", "7H TH JH QH 2S JK", "7H 8H 9H TH JH", "AH 3H 2S", "QH AH JK", "KH AH 2S JK"),
        *("AS AH AD", "AS AH AD AC", "AS AH AD 2S", "AS AH AD JK", "AS AH 2S", "AS AH JK", "AS AH 2S JK", "3S 3H JK"),
    ],
)
def test_what_is_one_meld_is_laid_whole(hand: str) -> None:
    """Each number of real cards, gaps and wilds that a meld can have."""
    packing = packed(hand)
    assert (len(packing.melds), packing.left) == (1, 0)


def test_a_card_goes_where_the_rest_can_do_without_it() -> None:
    """The ace of spades leaves a set that is one without it, for a run that is none."""
    packing = packed("AS AH AD AC QS KS")
    assert melds_of(packing) == ["AH AD AC", "QS KS AS"]
    assert (packing.half_points, packing.left) == (12, 0)


def test_points_go_before_cards() -> None:
    """The joker makes three cards of six points rather than four of five and a half."""
    packing = packed("3S 5S 6S QH KH JK")
    assert melds_of(packing) == ["QH KH JK"]
    assert (packing.half_points, packing.left) == (12, 3)


def test_equal_points_go_by_cards_left() -> None:
    """Of two melds of six points the joker makes the one of four cards."""
    packing = packed("5S 6S 8S QH KH JK")
    assert melds_of(packing) == ["5S 6S JK 8S"]
    assert (packing.half_points, packing.left) == (12, 2)


def test_wilds_are_shared_out() -> None:
    """Two twos make two melds of two pairs, for a meld has one two at the most (R4.1)."""
    packing = packed("5H 6H 9D TD 2S 2C")
    assert melds_of(packing) == ["5H 6H 2S", "9D TD 2C"]
    assert (packing.half_points, packing.left) == (14, 0)


def test_runs_that_follow_one_another_are_one() -> None:
    """Six cards in a row are shown as one run, not as two of three."""
    assert melds_of(packed("3H 4H 5H 6H 7H 8H")) == ["3H 4H 5H 6H 7H 8H"]
    assert melds_of(packed("AH 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH 2S")) == [
        "AH 2S 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
    ]


@pytest.mark.parametrize(("natural_two_is_real", "left"), [(True, 0), (False, 1)])
def test_a_natural_two_leaves_the_wild_twos_place_free(natural_two_is_real: bool, left: int) -> None:
    """A run has its natural two and a wild one where R4.5 holds, else one of them."""
    packing = packed("AS 2S 3S 2H", natural_two_is_real=natural_two_is_real)
    assert packing.left == left


@pytest.mark.parametrize("card", ["AD", "3D", "KD"])
@pytest.mark.parametrize(("min_real", "left"), [(1, 0), (2, 3)])
def test_one_real_card_is_enough_where_the_option_says_so(card: str, min_real: int, left: int) -> None:
    """A card, a two and a joker are a meld or not (R4.4)."""
    assert packed(f"{card} 2S JK", min_real=min_real).left == left


@pytest.mark.parametrize(("twos_in_sets", "left"), [(True, 0), (False, 3)])
def test_a_two_makes_a_set_where_the_option_says_so(twos_in_sets: bool, left: int) -> None:
    """Two aces and a two are a meld or not (R4.3)."""
    assert packed("AS AH 2D", twos_in_sets=twos_in_sets).left == left
