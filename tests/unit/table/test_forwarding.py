"""What is passed on to other processes has limits, and who is over them is told when to come again."""

from contextlib import ExitStack

import pytest

from services.table.forwarding import Room
from services.table.refusals import OverloadedError


def test_only_so_many_are_passed_on_at_once_and_an_ended_one_makes_room() -> None:
    room = Room(3)
    with ExitStack() as under_way:
        for _ in range(2):
            under_way.enter_context(room.taken())
        with room.taken(), pytest.raises(OverloadedError) as full, room.taken():
            raise AssertionError
        assert full.value.retry_after_ms
        with room.taken():
            pass
    with ExitStack() as again:
        for _ in range(3):
            again.enter_context(room.taken())
