"""Replaying under a watch: who replays may give up, before any deal and any action."""

import json

import pytest

from shared.rules.record import read_record
from shared.rules.refusal import Code, RecordError
from shared.rules.replay import ReplayError, replay
from tests.support.records import options_of, position, record

TWO_DEALS = record(
    options_of(),
    [
        {"position": position("5H 6H 7H 9D"), "actions": ["1 draw", "0 meld 5H 6H 7H", "0 discard 9D"]},
        {"position": position("5H 6H 7H"), "actions": ["0 meld 5H 6H 7H"]},
    ],
)


def test_the_watch_is_kept_before_each_deal_and_each_action_refused_ones_too() -> None:
    calls: list[None] = []
    replay(read_record(json.dumps(TWO_DEALS).encode()), lenient=True, watch=lambda: calls.append(None))
    assert len(calls) == 2 + 4


@pytest.mark.parametrize(("calls", "place"), [(0, (1, 0)), (3, (1, 3)), (4, (2, 0)), (5, (2, 1))])
def test_giving_up_is_a_bad_record_where_it_happens_even_if_lenient(calls: int, place: tuple[int, int]) -> None:
    left = iter(range(calls))

    def watch() -> None:
        if next(left, None) is None:
            raise RecordError("enough")

    with pytest.raises(ReplayError, match="enough") as given_up:
        replay(read_record(json.dumps(TWO_DEALS).encode()), lenient=True, watch=watch)
    assert (given_up.value.deal, given_up.value.action) == place
    assert given_up.value.code is Code.BAD_RECORD
