"""Decks as a test wrote them down."""

from collections import Counter

import pytest

from shared.rules.cards import FULL_DECK, codes
from tests.support.rigged import Rig


def test_a_rigged_deck_is_the_106_cards_with_those_named_at_their_places() -> None:
    deck = Rig(starter=1, hands=("AH JK", "KS KS"), stock="7D 2C").deck(seats=2)
    assert Counter(deck) == Counter(FULL_DECK)
    assert codes(deck[:2]) == ["KS", "KS"]  # the starter's 19 come first
    assert codes(deck[19:21]) == ["AH", "JK"]
    assert codes(deck[37:39]) == ["7D", "2C"]


def test_a_later_deal_has_the_next_starter_and_the_106_cards() -> None:
    nineteen = "4S 5S 6S 7S 8S 9S TS 4H 5H 6H 7H 8H 9H TH 4D 5D 6D 7D 8D"
    deck = Rig(hands=(nineteen, "KS")).deck(seats=2, deal_no=2)
    assert codes(deck[:1]) == ["KS"]
    assert codes(deck[19:37]) == nineteen.split()[:-1]
    assert Counter(deck) == Counter(FULL_DECK)


def test_what_is_not_named_is_the_same_each_time() -> None:
    assert Rig(hands=("AH",)).deck(seats=4) == Rig(hands=("AH",)).deck(seats=4)


def test_each_deal_of_a_series_may_have_cards_of_its_own() -> None:
    second = {"starter": 1, "deals": [{"hands": ["KS"]}, {"stock": "7D"}]}
    rig = Rig(starter=2, hands=("AH",), stock="9C", matches=({}, second))  # type: ignore[arg-type]  # as JSON has it
    assert rig.of(1, 1) == rig
    assert [(rig.of(2, no).starter, rig.of(2, no).hands, rig.of(2, no).stock) for no in (1, 2, 3)] == [
        (1, ("KS",), "9C"),
        (1, ("AH",), "7D"),
        (1, ("AH",), "9C"),
    ]


@pytest.mark.parametrize(
    "rig", [Rig(hands=("AH AH", "AH")), Rig(starter=1, hands=("4S 5S 6S 7S 8S 9S TS " * 2 + "KH " * 2 + "4D 5D 6D",))]
)
def test_cards_that_there_are_not_or_too_many_for_a_hand_are_refused(rig: Rig) -> None:
    with pytest.raises(ValueError, match=r"so many|too many"):
        rig.deck(seats=2)
