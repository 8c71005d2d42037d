import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest

from services.bots.house import house_seat
from services.bots.metrics import BotMetrics
from services.bots.mind import Mind
from services.bots.policies.greedy import Greedy
from shared.kit.clock import Pace, VirtualClock
from shared.kit.metrics import Metrics
from shared.rules.actions import Discard, SeatAction
from shared.rules.views import View, view_of
from tests.support.records import options_of, state_at

VIEW = view_of(state_at(options_of("sahrat"), "4H 5H 6H KD"), 0)
BUDGET_MS = 40


class Doing:
    """A policy that does something first."""

    def __init__(self, first: Callable[[], object]) -> None:
        self.first = first

    def choose(self, view: View) -> SeatAction:
        self.first()
        return Greedy().choose(view)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def figures() -> Metrics:
    return Metrics()


@pytest.fixture
def mind(clock: VirtualClock, figures: Metrics) -> Iterator[Mind]:
    mind = Mind(clock, Pace(10), BotMetrics(figures), BUDGET_MS)
    yield mind
    mind.close()


def fallbacks(figures: Metrics) -> float | None:
    return figures.registry.get_sample_value("banakil_bots_fallbacks_total")


async def paused_ms(
    clock: VirtualClock, mind: Mind, usual_ms: int, remaining_ms: int | None = None, *, in_haste: bool = False
) -> int:
    since_ms = clock.monotonic_ms()
    pausing = asyncio.create_task(mind.pause(usual_ms, since_ms, remaining_ms, in_haste=in_haste))
    while not pausing.done():
        await clock.run_for(1)
    return clock.monotonic_ms() - since_ms


async def test_the_policy_decides(mind: Mind, figures: Metrics) -> None:
    assert await mind.decide(Greedy(), VIEW) == Greedy().choose(VIEW)
    assert fallbacks(figures) == 0


async def test_a_decision_that_takes_too_long_is_the_fallbacks(
    clock: VirtualClock, mind: Mind, figures: Metrics
) -> None:
    released = threading.Event()
    deciding = asyncio.create_task(mind.decide(Doing(released.wait), VIEW))
    try:
        await clock.run_for(BUDGET_MS - 1)
        assert not deciding.done()
        await clock.run_for(1)
        assert type(await deciding) is Discard
    finally:
        released.set()
    assert fallbacks(figures) == 1


async def test_decisions_go_on_when_every_thread_is_lost(clock: VirtualClock, mind: Mind) -> None:
    released = threading.Event()
    try:
        for _ in range(8):
            deciding = asyncio.create_task(mind.decide(Doing(released.wait), VIEW))
            await clock.run_for(BUDGET_MS)
            assert type(await deciding) is Discard
    finally:
        released.set()


async def test_of_those_that_think_for_long_one_thinks_at_a_time_and_for_half_of_the_time(
    clock: VirtualClock, mind: Mind
) -> None:
    released, chosen = threading.Event(), list[str]()

    def think() -> None:
        released.wait()
        chosen.append("slow")

    slow = Doing(think)
    quick = Doing(lambda: chosen.append("quick"))
    first = asyncio.create_task(mind.decide(slow, VIEW, quick))
    await clock.run_for(BUDGET_MS // 2)
    assert await mind.decide(slow, VIEW, quick) == Greedy().choose(VIEW)
    released.set()
    await first
    await mind.decide(slow, VIEW, quick)
    await clock.run_for(BUDGET_MS // 2)
    await mind.decide(slow, VIEW, quick)
    assert chosen == ["quick", "slow", "quick", "slow"]
    await mind.decide(slow, VIEW)
    assert chosen[-1] == "slow"


async def test_a_policy_that_fails_is_replaced_by_the_fallback(mind: Mind, figures: Metrics) -> None:
    assert type(await mind.decide(Doing(lambda: 1 // 0), VIEW)) is Discard
    assert fallbacks(figures) == 1


async def test_a_player_who_is_stopped_while_deciding_stops(clock: VirtualClock, mind: Mind) -> None:
    released = threading.Event()
    deciding = asyncio.create_task(mind.decide(Doing(released.wait), VIEW))
    await clock.run_for(1)
    deciding.cancel()
    released.set()
    with pytest.raises(asyncio.CancelledError):
        await deciding


async def test_a_pause_is_a_persons_divided_by_the_pace(clock: VirtualClock, mind: Mind) -> None:
    assert 100 <= await paused_ms(clock, mind, 1_000) <= 101


async def test_a_pause_takes_a_quarter_of_the_time_left_at_the_most(clock: VirtualClock, mind: Mind) -> None:
    assert await paused_ms(clock, mind, 1_000, 80) <= 21


async def test_the_time_of_the_decision_counts_as_pause(clock: VirtualClock, mind: Mind) -> None:
    clock.advance(5_000)
    pausing = asyncio.create_task(mind.pause(1_300, clock.monotonic_ms() - 5_000))
    await clock.run_for(0)
    assert pausing.done()


def test_a_seat_has_one_account_and_seats_of_a_table_have_names_of_their_own() -> None:
    seats = [house_seat("table", f"vacancy:{number}", number, 3) for number in range(4)]
    assert seats[2] == house_seat("table", "vacancy:2", 2, 3)
    assert len({seat.account for seat in seats}) == len({seat.name for seat in seats}) == 4
    assert house_seat("other", "vacancy:2", 2, 3).account != seats[2].account


async def test_where_nobody_is_left_who_would_follow_bots_play_ten_times_as_fast(
    clock: VirtualClock, mind: Mind
) -> None:
    assert await paused_ms(clock, mind, 1_000, in_haste=True) <= 11
