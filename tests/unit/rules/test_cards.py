"""Cards and bags (R2)."""

import random
from collections import Counter

import pytest

from shared.rules.cards import (
    ACE_HIGH,
    CODES,
    FULL_DECK,
    HALF_POINTS,
    JOKER,
    RUN_FACES,
    ThirdCopyError,
    bag_add,
    bag_cards,
    bag_count,
    bag_faces,
    bag_of,
    bag_remove,
    bag_size,
    bag_take,
    codes,
    half_points,
    parse_card,
    suit_plane,
)
from tests.support.records import faces


def test_the_deck_is_two_decks_of_52_and_two_jokers() -> None:
    assert len(FULL_DECK) == 106
    assert Counter(codes(FULL_DECK)) == {rank + suit: 2 for rank in "A23456789TJQK" for suit in "SHDC"} | {"JK": 2}


def test_a_code_is_rank_then_suit() -> None:
    assert [parse_card(code) for code in CODES] == list(range(53))
    assert codes([0, 12, 13, 51, JOKER]) == ["AS", "KS", "AH", "KC", "JK"]


@pytest.mark.parametrize("text", ["", "A", "SA", "1S", "10S", "as", "AS ", "JKR", "XX", None, 5])
def test_any_other_text_is_no_card(text: str) -> None:
    with pytest.raises(ValueError, match="not a card"):
        parse_card(text)


@pytest.mark.parametrize(
    ("cards", "points"),
    [("3S 4H 5D 6C", 2), ("7S 8S 9S TS JS QS KS", 7), ("AS", 1), ("2D", 2), ("JK", 4), ("3S 7S 2S JK AS", 8.5)],
)
def test_points_are_kept_as_half_points(cards: str, points: float) -> None:
    assert half_points(faces(cards)) == 2 * points


def test_the_whole_deck_is_worth_what_its_cards_are() -> None:
    assert half_points(FULL_DECK) == 2 * (16 + 56 + 8 + 16 + 8)
    assert sum(HALF_POINTS) * 2 == half_points(FULL_DECK)


def test_the_ace_stands_at_both_ends_of_a_run() -> None:
    for suit in range(4):
        assert len(RUN_FACES[suit]) == ACE_HIGH
        assert RUN_FACES[suit][0] == RUN_FACES[suit][13] == suit * 13


def test_a_hand_is_listed_by_rank_then_suit_with_the_joker_last() -> None:
    hand = bag_of(faces("JK KC 2H AC AS 2H TD"))
    assert codes(bag_cards(hand)) == ["AS", "AC", "2H", "2H", "TD", "KC", "JK"]


def test_a_bag_holds_what_was_put_in(rng: random.Random) -> None:
    for _ in range(50):
        cards = rng.sample(list(FULL_DECK), rng.randrange(1, 107))
        bag, counts = bag_of(cards), Counter(cards)
        assert sorted(bag_cards(bag)) == sorted(cards)
        assert bag_size(bag) == len(cards)
        assert all(bag_count(bag, face) == counts[face] for face in range(53))
        assert bag_faces(bag) == sorted(counts)
        out = rng.sample(cards, rng.randrange(len(cards)))
        assert bag_take(bag, out) == bag_of((counts - Counter(out)).elements())
        assert bag_remove(bag, cards[0]) == bag_of(cards[1:])


def test_what_a_bag_does_not_hold_cannot_be_taken_from_it() -> None:
    bag = bag_of(faces("5H 5H 6H"))
    assert bag_take(bag, faces("5H 5H")) == bag_of(faces("6H"))
    assert bag_take(bag, faces("5H 5H 5H")) == -1
    assert bag_take(bag, faces("6H 6H")) == -1
    assert bag_take(bag, faces("7H")) == -1


def test_there_is_no_third_copy() -> None:
    with pytest.raises(ThirdCopyError):
        bag_add(bag_of(faces("5H 5H")), parse_card("5H"))
    with pytest.raises(ThirdCopyError):
        bag_of(faces("JK JK JK"))


def test_the_ranks_of_a_suit() -> None:
    assert suit_plane(bag_of(faces("AH 3H 3H KH 5S JK")), 1) == 0b1000000000101
