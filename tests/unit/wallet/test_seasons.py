"""Seasons are the quarters of the year by the calendar of Riyadh."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from services.wallet.seasons import LAST_YEAR, Season


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000


@pytest.mark.parametrize(
    ("at", "number"),
    [
        ("2026-09-30T20:59:59+00:00", 20263),
        ("2026-09-30T21:00:00+00:00", 20264),  # midnight in Riyadh
        ("2026-10-01T00:00:00+03:00", 20264),
        ("2026-12-31T20:59:59+00:00", 20264),
        ("2026-12-31T21:00:00+00:00", 20271),
        ("2027-03-31T23:59:59+03:00", 20271),
        ("2027-04-01T00:00:00+03:00", 20272),
        ("2028-02-29T12:00:00+03:00", 20281),
    ],
)
def test_a_season_turns_at_midnight_in_riyadh(at: str, number: int) -> None:
    assert Season.at(ms(at)).number == number


def test_each_moment_lies_in_one_season_and_they_follow_upon_one_another(rng: Random) -> None:
    for _ in range(200):
        moment = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(milliseconds=rng.randrange(20 * 365 * 86_400_000))
        at = int(moment.timestamp() * 1000)
        season = Season.at(at)
        assert season.starts_ms <= at < season.ends_ms
        following = Season.at(season.ends_ms)
        assert following.starts_ms == season.ends_ms
        assert following.number > season.number
        assert Season.numbered(season.number) == season == Season.at(season.ends_ms - 1)


@pytest.mark.parametrize("number", [0, 1, 20260, 20265, 2026, 19694, 99991, 2**32 - 1])
def test_a_number_that_is_no_season_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="not a season"):
        Season.numbered(number)


def test_what_ends_beyond_all_seasons_counts_in_the_last() -> None:
    assert Season.at(2**63 - 1) == Season(LAST_YEAR, 4)
    assert Season(LAST_YEAR, 4).ends_ms > Season(LAST_YEAR, 4).starts_ms
