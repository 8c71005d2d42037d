"""A reader's patience: how long a file may keep a command busy."""

import pytest

from shared.cli.patience import Patience
from shared.rules.refusal import RecordError


class Clock:
    """Processor time that passes when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_patience_ends_after_its_seconds_and_not_before() -> None:
    clock = Clock()
    patience = Patience(1.5, clock)
    clock.now += 1.5
    patience()
    clock.now += 0.01
    with pytest.raises(RecordError, match=r"given up after 1.5 s"):
        patience()


def test_no_seconds_are_endless_patience() -> None:
    clock = Clock()
    patience = Patience(0, clock)
    clock.now += 1e9
    patience()
