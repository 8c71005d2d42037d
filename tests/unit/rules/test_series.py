"""A series of matches, the seat swap after the first, and who starts the next (R8.3, R3.2)."""

import pytest

from shared.rules.series import SeriesState, after_match, starter_of_later_match, swap_seats
from tests.support.records import options_of

BEST_OF_3 = SeriesState(options_of("banakil202", format="best_of_3"))
SINGLE = SeriesState(options_of("banakil202"))


@pytest.mark.parametrize(
    ("winners", "winner"),
    [([], None), ([0], None), ([0, 0], 0), ([1, 1], 1), ([0, 1], None), ([0, 1, 1], 1), ([1, 0, 0], 0)],
)
def test_two_matches_win_a_series(winners: list[int], winner: int | None) -> None:
    series = BEST_OF_3
    for number, team in enumerate(winners, 1):
        assert series.match_no == number
        assert series.winner is None
        series = after_match(series, team)
    assert series.winner == winner


def test_a_single_match_is_a_series_of_one() -> None:
    assert after_match(SINGLE, 1).winner == 1
    assert not after_match(SINGLE, 1).may_swap


@pytest.mark.parametrize("series", [after_match(SINGLE, 0), after_match(after_match(BEST_OF_3, 1), 1)])
def test_nothing_follows_the_end(series: SeriesState) -> None:
    with pytest.raises(ValueError, match=r"R8\.3"):
        after_match(series, 0)


def test_seats_are_swapped_only_after_the_first_match() -> None:
    one = after_match(BEST_OF_3, 0)
    assert [series.may_swap for series in (BEST_OF_3, one, after_match(one, 1))] == [False, True, False]
    for series in (BEST_OF_3, after_match(one, 1), after_match(one, 0)):
        with pytest.raises(ValueError, match=r"R8\.3"):
            swap_seats(series, 0)


def test_a_swap_changes_two_partners_and_no_team() -> None:
    one = after_match(BEST_OF_3, 0)
    assert swap_seats(one, 0).seating == (2, 1, 0, 3)
    assert swap_seats(one, 1).seating == (0, 3, 2, 1)
    assert swap_seats(swap_seats(one, 0), 1).seating == (2, 3, 0, 1)


def test_a_duel_has_no_swap() -> None:
    duel = SeriesState(options_of("banakil202", mode="duel", format="best_of_3"))
    assert not after_match(duel, 0).may_swap


def test_a_later_match_starts_at_the_winners_lowest_seat() -> None:
    assert [starter_of_later_match(winner) for winner in (0, 1)] == [0, 1]
