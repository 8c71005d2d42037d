"""Signs that coins are lost on purpose are logged and counted, of accounts that meet again and again."""

import pytest
from structlog.testing import capture_logs

from services.wallet.dumping import OFTEN, ONE_WAY, Dumping, Meetings
from shared.kit.metrics import Metrics
from tests.support.purses import Purses, match_id
from tests.support.settling import STAKE, Saga, won

WINDOW_MS = 30 * 86_400_000
TWO = ("ada", "bob")


@pytest.fixture
async def saga(wallet: Purses) -> Saga:
    await wallet.open(*TWO, coins=100_000)
    return Saga(wallet)


def signs_of(saga: Saga) -> Dumping:
    return Dumping(saga.purses.database, saga.purses.clock, Metrics(), window_ms=WINDOW_MS)


async def played(saga: Saga, winners: list[int]) -> None:
    """Paid duels of the two, each won by the seat that is named."""
    for number, winner in enumerate(winners, 1):
        await saga.purses.hold(number, STAKE, TWO)
        await saga.take(won(number, TWO, winner=winner))
    await saga.settle()


async def looked(saga: Saga, number: int) -> list[str]:
    with capture_logs() as logs:
        await signs_of(saga).look_at(match_id(number))
    return [line["event"] for line in logs]


async def test_coins_that_go_one_way_are_told_of_once_there_are_enough_matches(saga: Saga) -> None:
    await played(saga, [1] * (ONE_WAY - 1))
    assert await looked(saga, 1) == []
    await saga.purses.hold(ONE_WAY, STAKE, TWO)
    await saga.take(won(ONE_WAY, TWO, winner=1))
    await saga.settle()
    assert await looked(saga, ONE_WAY) == ["coins.one_way"]
    async with saga.purses.database.reading() as connection:
        met = await signs_of(saga).meetings(connection, *TWO)
    assert met == Meetings(together=ONE_WAY, against=ONE_WAY, won_by_first=0, coins_to_first=-STAKE * ONE_WAY)


async def test_a_pair_that_wins_by_turns_is_told_of_only_for_meeting_often(saga: Saga) -> None:
    await played(saga, [number % 2 for number in range(OFTEN)])
    assert await looked(saga, OFTEN) == ["coins.pair_often"]


async def test_what_was_played_before_the_window_counts_no_more(saga: Saga) -> None:
    await played(saga, [1] * ONE_WAY)
    saga.wait(WINDOW_MS + 1)
    assert await looked(saga, 1) == []
