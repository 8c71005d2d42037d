from typing import NamedTuple

import pytest

from shared.rules.replacing import quickly_replaced


@quickly_replaced
class Point(NamedTuple):
    x: int
    y: int = 0
    name: str = ""


def test_a_copy_has_what_is_replaced_and_else_what_was_there() -> None:
    point = Point(1, 2, "a")
    assert point._replace(y=5, name="b") == Point(1, 5, "b")
    assert point._replace() == point == Point(1, 2, "a")
    assert type(point._replace(x=3)) is Point


def test_there_is_no_field_but_those_that_there_are() -> None:
    with pytest.raises(KeyError):
        Point(1)._replace(z=1)  # type: ignore[call-arg]  # which mypy finds too
