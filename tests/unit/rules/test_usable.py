"""Can the top card be used (R5.3)? Lay-downs of several cards, swaps, and opening first all count."""

import pytest

from shared.rules.cards import CODES
from shared.rules.refusal import Code, RefusedError
from shared.rules.usable import can_use
from tests.support.records import MeldText, after, options_of, state_at

SAHRAT = options_of()


def usable(hand: str, top: str, melds: list[MeldText], **changed: bool) -> bool:
    state = state_at(options_of("sahrat", **changed), hand, pile=f"KC {top}", melds=melds, phase="draw")
    return can_use(state, CODES.index(top))


@pytest.mark.parametrize(
    ("hand", "top", "melds"),
    [
        ("5H 6H KC", "7H", []),
        ("5H 2D KC", "7H", []),
        ("5H 2D JK KC", "8H", []),
        ("AS AH KC", "AD", []),
        ("5H 6H KC", "2D", []),
        ("5H 6H KC", "JK", []),
        ("KC", "8H", [(0, "5H 6H 7H")]),
        ("8H KC", "9H", [(0, "5H 6H 7H")]),
        ("2D KC", "9H", [(0, "5H 6H 7H")]),
        ("KC", "6H", [(0, "5H JK 7H")]),
        ("KC", "JK", [(0, "5H 6H 7H")]),
        ("KC", "AC", [(0, "AS AH JK")]),
        ("KC", "6H", [(0, "5H 2D 7H")]),
    ],
)
def test_a_card_that_goes_into_a_meld_is_usable(hand: str, top: str, melds: list[MeldText]) -> None:
    assert usable(hand, top, melds)


@pytest.mark.parametrize(
    ("hand", "top", "melds"),
    [
        ("KC", "9H", [(0, "5H 6H 7H")]),
        ("KC", "8H", [(2, "5H 6H 7H")]),
        ("KC", "8H", [(1, "5H 6H 7H")]),
        ("5H KC", "JK", [(2, "5H 6H 7H")]),
        ("5H KC", "6H", [(2, "5S 6S 7S")]),
        ("KC", "JK", [(0, "5H JK 7H")]),
    ],
)
def test_a_card_with_no_place_is_not(hand: str, top: str, melds: list[MeldText]) -> None:
    assert not usable(hand, top, melds)


def test_opening_with_another_meld_first_counts() -> None:
    assert usable("9S TS JS KC", "8H", [(2, "5H 6H 7H")])


def test_a_swap_first_counts_and_its_joker_may_carry_the_card() -> None:
    assert usable("6H KC", "9H", [(0, "5H JK 7H")])


def test_a_joker_that_can_go_nowhere_again_forbids_the_swap() -> None:
    whole = "AS 2S 3S 4S 5S 6S 7S JK 9S TS JS QS KS AS"
    assert not usable("KC", "8S", [(0, whole)])
    assert usable("KC", "8S", [(0, whole)], released_joker_must_be_laid=False)
    assert usable("KC", "8S", [(0, whole), (0, "5H 6H 7H")])


@pytest.mark.parametrize(
    ("hand", "top", "melds"),
    [
        ("2D 6H 8C 9C", "QC", [(2, "2C 5H JK 7H")]),
        ("2D 2C 7S 7D 9D TD", "KD", [(2, "6D JK 2H 9D")]),
        ("AS 5C 5C QS QC KS", "TS", [(2, "JK KC AC")]),
        ("2C 6S 7S 5H KC", "TS", [(2, "4H JK 6H")]),
    ],
)
def test_a_released_joker_may_carry_the_card_onto_the_meld_that_opened(
    hand: str, top: str, melds: list[MeldText]
) -> None:
    assert usable(hand, top, melds)


def test_ones_own_joker_may_open_before_the_partners_is_released() -> None:
    assert usable("5H JK 7H KC", "7D", [(2, "6D JK 8D")])


def test_that_way_is_one_the_engine_takes() -> None:
    state = state_at(SAHRAT, "2D 6H 8C 9C", pile="KC QC", melds=[(2, "2C 5H JK 7H")], phase="draw")
    end = after(
        state, "0 take 1", "0 meld 8C 9C 2D", "0 amend 1: 2C 5H 6H 7H", "0 amend 2: 8C 9C 2D JK QC"
    )  # fmt: skip
    assert end.end is not None


def test_the_joker_on_the_opening_meld_leaves_no_room_for_a_second() -> None:
    assert not usable("JK 6H 8C 9C", "QC", [(2, "2C 5H JK 7H")])


def test_a_refused_take_says_why() -> None:
    state = state_at(SAHRAT, "4C KC", pile="KC 9H", phase="draw")
    with pytest.raises(RefusedError) as refused:
        after(state, "0 take 1")
    assert refused.value.code is Code.CARD_NOT_USABLE
