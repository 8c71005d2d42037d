"""One amend is laying off, swapping and moving in one (R5.5): codes, layers, and what comes back to the hand."""

from typing import Any

import pytest

from shared.rules.amend import Amendment, check_amend
from shared.rules.cards import bag_of, codes
from shared.rules.melds import Meld, layout_shape
from shared.rules.refusal import Code, RefusedError
from tests.support.records import faces, options_of


def amend(preset: str, old: str, new: str, hand: str, layers: bytes | None = None, **changed: Any) -> Amendment:
    """Seat 2 amends a meld of seat 0."""
    options, cards = options_of(preset, **changed), faces(old)
    meld = Meld(7, 0, cards, layers or bytes(len(cards)), *layout_shape(cards, options))
    return check_amend(meld, faces(new), 2, bag_of(faces(hand)), options)


def refusal(preset: str, old: str, new: str, hand: str, **changed: Any) -> Code:
    with pytest.raises(RefusedError) as refused:
        amend(preset, old, new, hand, **changed)
    return refused.value.code


def test_id_and_owner_stay_and_added_cards_are_of_who_adds() -> None:
    done = amend("sahrat", "5H 6H 7H", "4H 5H 6H 7H 8H", "4H 8H 9H")
    assert (done.meld.id, done.meld.owner, done.meld.start, done.meld.suit) == (7, 0, 4, 1)
    assert list(done.meld.layers) == [2, 0, 0, 0, 2]
    assert codes(done.added) == ["4H", "8H"]
    assert done.hand == bag_of(faces("9H"))
    assert not done.joker_released


def test_a_swap_gives_the_joker_to_who_swaps() -> None:
    done = amend("sahrat", "5H JK 7H", "5H 6H 7H 8H", "6H 8H")
    assert done.joker_released
    assert done.hand == bag_of(faces("JK"))
    assert list(done.meld.layers) == [0, 2, 0, 2]


def test_a_set_keeps_its_layers_in_whatever_order_it_is_given() -> None:
    done = amend("sahrat", "AS AH 2D", "AC 2D AH AS", "AC", bytes([0, 2, 0]))
    assert list(done.meld.layers) == [2, 0, 2, 0]


def test_a_moved_two_keeps_its_layer() -> None:
    done = amend("sahrat", "5H 2D 7H", "5H 6H 7H 2D", "6H", bytes([0, 0, 2]))
    assert list(done.meld.layers) == [0, 2, 2, 0]


def test_of_two_equal_twos_the_one_that_stands_keeps_its_layer() -> None:
    done = amend("banakil202", "4S 2S 6S", "2S 3S 4S 2S 6S", "2S 3S", bytes([0, 0, 0]))
    assert list(done.meld.layers) == [2, 2, 0, 0, 0]


def test_an_equal_two_may_be_added_at_home_while_the_old_one_moves_on() -> None:
    done = amend("banakil202", "AS JK 3S 2S", "AS 2S 3S 4S 2S", "2S 4S")
    assert done.joker_released
    assert list(done.meld.layers) == [0, 2, 0, 2, 0]


@pytest.mark.parametrize(
    ("preset", "old", "new", "hand", "codes_"),
    [
        ("sahrat", "5H 6H 7H", "5H 6H 7H", "8H", {Code.NOTHING_ADDED}),
        ("sahrat", "AS AH 2D", "2D AS AH", "8H", {Code.NOTHING_ADDED}),
        ("sahrat", "5H 6H 7H", "6H 7H 8H", "8H", {Code.CARD_LEFT_OUT}),
        ("sahrat", "5H 6H 7H", "5S 6S 7S", "5S 6S 7S", {Code.CARD_LEFT_OUT}),
        ("sahrat", "5H 6H 7H", "5H 6H 7H 8H", "8S", {Code.CARD_NOT_IN_HAND}),
        ("sahrat", "5H 6H 7H", "5H 6H 7H 9H", "9H", {Code.RUN_NOT_CONSECUTIVE}),
        ("sahrat", "AS AH AD", "AS AH AC", "AC", {Code.CARD_LEFT_OUT}),
        ("sahrat", "AS 2D 3S", "2D 3S 4S", "4S", {Code.CARD_LEFT_OUT}),
        ("sahrat", "5H 2D 7H", "5H 6H 7H", "6H", {Code.CARD_LEFT_OUT, Code.TWO_MAY_NOT_MOVE}),
        ("sahrat", "5H 6H 2D", "2D 5H 6H", "", {Code.TWO_MAY_NOT_MOVE}),
        ("sahrat", "5H 2D 7H", "5H JK 7H 2D", "JK", {Code.TWO_MAY_NOT_MOVE}),
        ("sahrat", "5H JK 7H", "5H 2D 7H", "2D", {Code.JOKER_LOCKED}),
        ("sahrat", "5H JK 7H", "5H 6H 7H JK", "6H", {Code.JOKER_LOCKED}),
        ("sahrat", "5H JK 7H", "5H 6H 7H JK", "6H JK", {Code.JOKER_LOCKED}),
        ("sahrat", "AS AH JK", "AS AH 2D", "2D", {Code.JOKER_LOCKED}),
        ("banakil202", "AS JK 3S 2S", "AS 2S 3S 4S", "4S", {Code.JOKER_LOCKED, Code.TWO_MAY_NOT_MOVE}),
        ("banakil202", "AS JK 2H", "AS JK 2H AH", "AH", {Code.TWO_IN_SET_NOT_ALLOWED}),
        ("banakil202", "2S 2S 4S", "2S 2S 4S", "KD", {Code.NOTHING_ADDED}),
        ("banakil202", "2H 3S JK", "JK 2H 3S", "", {Code.JOKER_LOCKED}),
    ],
)
def test_a_fault_has_its_code(preset: str, old: str, new: str, hand: str, codes_: set[Code]) -> None:
    assert refusal(preset, old, new, hand) in codes_


def test_a_run_never_becomes_a_set() -> None:
    assert refusal("sahrat", "AS 2H JK", "AS 2H JK AH", "AH", min_real=1) is Code.MELD_KIND_CHANGED
    assert amend("sahrat", "AS 2H JK", "AS 2H JK 4S", "4S", min_real=1).meld.start == 1


def test_a_natural_two_keeps_its_place_unless_twos_are_free() -> None:
    stays = {Code.CARD_MOVED, Code.CARD_LEFT_OUT, Code.TWO_MAY_NOT_MOVE}
    assert refusal("banakil202", "2S 3S 4S", "3S 4S 2S", "KD", two_move="displaced_only") in stays
    assert amend("banakil202", "2S 3S 4S", "3S 4S 2S", "KD").meld.start == 3


def test_a_natural_two_pushes_a_wild_one_past_the_end() -> None:
    done = amend("banakil202", "AS 2H 3S", "AS 2S 3S 2H", "2S", two_move="displaced_only")
    assert list(done.meld.layers) == [0, 2, 0, 0]
    assert refusal("sahrat", "AS 2H 3S", "AS 2S 3S 2H", "2S") in {Code.TOO_MANY_TWOS, Code.TWO_MAY_NOT_MOVE}
