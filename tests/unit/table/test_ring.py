"""The last steps of a table: what is kept, what is missed, and what is too old to tell."""

import pytest

from services.table.commands import Presence
from services.table.ring import KEPT_STEPS, Ring
from tests.support.tables import PureTable


def ring_of(count: int, first: int = 1) -> Ring:
    table = PureTable()
    ring = Ring()
    for number in range(first + count):
        table.apply(Presence("ada", away=bool(number % 2)))
    for step in table.steps[first - 1 : first - 1 + count]:
        ring.add(step)
    return ring


def missed(ring: Ring, revision: int) -> list[int] | None:
    steps = ring.since(revision)
    return None if steps is None else [step.revision for step in steps]


def test_what_was_missed_is_every_step_since() -> None:
    ring = ring_of(5)
    assert missed(ring, 5) == []
    assert missed(ring, 3) == [4, 5]
    assert missed(ring, 0) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("revision", [6, 1000])
def test_a_revision_that_is_not_there_yet_cannot_be_gone_on_from(revision: int) -> None:
    assert missed(ring_of(5), revision) is None


def test_what_is_older_than_the_oldest_step_is_gone() -> None:
    ring = ring_of(4, first=7)
    assert missed(ring, 6) == [7, 8, 9, 10]
    assert missed(ring, 5) is None


def test_an_empty_ring_tells_nothing() -> None:
    assert missed(Ring(), 0) is None
    assert missed(Ring(), 9) is None


def test_no_more_than_so_many_steps_are_kept() -> None:
    ring = ring_of(KEPT_STEPS + 3)
    assert missed(ring, 3) == list(range(4, KEPT_STEPS + 4))
    assert missed(ring, 2) is None
