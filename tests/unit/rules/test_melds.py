"""Legal layouts and where they stand (R4); each reason has its code."""

import pytest

from shared.rules.melds import SET_SHAPE, Shape, layout_shape, natural_two_at
from shared.rules.refusal import Code, RefusedError
from tests.support.records import faces, options_of

SAHRAT, OTHER = options_of(), options_of("banakil202")
S, H, D, C = range(4)


@pytest.mark.parametrize(
    ("cards", "shape"),
    [
        ("5H 6H 7H", Shape(5, H)),
        ("AS 2S 3S", Shape(1, S)),
        ("QC KC AC", Shape(12, C)),
        ("AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD", Shape(1, D)),
        ("JK 2C 7D", Shape(5, D)),
        ("JK 2C AD", Shape(12, D)),
        ("AD 2C JK", Shape(1, D)),
        ("2C 2D 3D", Shape(1, D)),
        ("2D JK 4D", Shape(2, D)),
        ("JK 2D 3D 2S 5D", Shape(1, D)),
        ("AD AH AS", SET_SHAPE),
        ("3D JK 3C", SET_SHAPE),
        ("JK 3D 3C 3S", SET_SHAPE),
    ],
)
def test_a_layout_tells_where_it_stands(cards: str, shape: Shape) -> None:
    assert layout_shape(faces(cards), OTHER) == shape


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        ("", Code.MELD_TOO_SHORT),
        ("5H 6H", Code.MELD_TOO_SHORT),
        ("JK JK 5H 6H", Code.TOO_MANY_JOKERS),
        ("2S 2H 5H 6H", Code.TOO_MANY_TWOS),
        ("AS AH 2S 2H", Code.TOO_MANY_TWOS),
        ("2S 2H 2D", Code.NOT_ENOUGH_REAL_CARDS),
        ("5H JK 2S", Code.NOT_ENOUGH_REAL_CARDS),
        ("5H 6H 7S", Code.RUN_SUITS_DIFFER),
        ("5H 6H 8H", Code.RUN_NOT_CONSECUTIVE),
        ("5H 5H 6H", Code.RUN_NOT_CONSECUTIVE),
        ("KS AS JK", Code.RUN_OUT_OF_RANGE),
        ("JK AS 2S 3S", Code.RUN_OUT_OF_RANGE),
        ("7S 7H 7D", Code.SET_RANK_NOT_ALLOWED),
        ("AS AS AD", Code.SET_SUIT_REPEATED),
        ("AS AH AD AC 2S", Code.SET_TOO_LONG),
    ],
)
def test_each_fault_has_its_code(cards: str, code: Code) -> None:
    with pytest.raises(RefusedError) as refused:
        layout_shape(faces(cards), SAHRAT)
    assert refused.value.code is code
    assert cards in str(refused.value)


def test_a_two_in_a_set_is_an_option() -> None:
    assert layout_shape(faces("AS AH 2D"), SAHRAT) == SET_SHAPE
    with pytest.raises(RefusedError) as refused:
        layout_shape(faces("AS AH 2D"), OTHER)
    assert refused.value.code is Code.TWO_IN_SET_NOT_ALLOWED


@pytest.mark.parametrize(
    ("cards", "start", "index"),
    [("AS 2S 3S", 1, 1), ("2S 3S 4S", 2, 0), ("AS 2H 3S", 1, -1), ("3S 4S 2S", 3, -1), ("JK 2S 3S", 1, 1)],
)
def test_a_two_at_home_is_natural_where_that_is_an_option(cards: str, start: int, index: int) -> None:
    assert natural_two_at(start, S, faces(cards), OTHER) == index
    assert natural_two_at(start, S, faces(cards), SAHRAT) == -1


def test_many_cards_are_refused_like_few() -> None:
    with pytest.raises(RefusedError):
        layout_shape(bytes(range(52)), OTHER)
    with pytest.raises(RefusedError):
        layout_shape(faces(" ".join(["5H"] * 500)), OTHER)
