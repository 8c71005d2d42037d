import asyncio
import contextvars
from functools import partial

import pytest

from shared.kit.clock import Pace, RealClock, VirtualClock


def test_timers_run_in_the_order_in_which_they_fall_due() -> None:
    clock, ran = VirtualClock(), list[tuple[str, int]]()

    def note(name: str) -> None:
        ran.append((name, clock.monotonic_ms()))

    for name, due_ms in (("late", 30), ("early", 10), ("tie", 30)):
        clock.call_at(due_ms, partial(note, name))
    clock.advance(100)
    assert ran == [("early", 10), ("late", 30), ("tie", 30)]
    assert clock.monotonic_ms() == 100


def test_a_timer_set_by_a_timer_runs_in_the_same_advance_if_it_is_due() -> None:
    clock, ran = VirtualClock(), list[int]()

    def again() -> None:
        ran.append(clock.monotonic_ms())
        clock.call_at(clock.monotonic_ms() + 40, again)

    clock.call_at(20, again)
    clock.advance(100)
    assert ran == [20, 60, 100]


def test_a_cancelled_timer_never_runs_and_does_not_stop_the_clock() -> None:
    clock, ran = VirtualClock(), list[str]()
    clock.call_at(10, lambda: ran.append("cancelled")).cancel()
    clock.call_at(20, lambda: ran.append("kept"))
    assert clock.step()
    assert (ran, clock.monotonic_ms()) == (["kept"], 20)
    assert not clock.step()


def test_the_wall_and_the_monotonic_time_move_together() -> None:
    clock = VirtualClock(now_ms=1_000)
    clock.advance(250)
    assert (clock.now_ms(), clock.monotonic_ms()) == (1_250, 250)


async def test_sleepers_wake_in_order_and_may_sleep_again() -> None:
    clock, woke = VirtualClock(), list[tuple[str, int]]()

    async def sleeper(name: str, *naps_ms: int) -> None:
        for nap_ms in naps_ms:
            await clock.sleep_ms(nap_ms)
            woke.append((name, clock.monotonic_ms()))

    tasks = [asyncio.create_task(sleeper("a", 10, 25)), asyncio.create_task(sleeper("b", 20, 5))]
    await clock.run_for(35)
    await asyncio.gather(*tasks)
    assert woke == [("a", 10), ("b", 20), ("b", 25), ("a", 35)]


async def test_a_sleeper_that_is_cancelled_leaves_no_timer() -> None:
    clock = VirtualClock()
    task = asyncio.create_task(clock.sleep_ms(10))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert not clock.step()


async def test_a_real_timer_runs_in_a_context_of_its_own() -> None:
    variable = contextvars.ContextVar("variable", default="clean")
    variable.set("of the caller")
    seen = asyncio.get_running_loop().create_future()
    RealClock().call_at(0, lambda: seen.set_result(variable.get()))
    assert await seen == "clean"


def test_a_pace_divides_waits_but_leaves_none_at_nothing() -> None:
    assert [Pace(100).ms(wait_ms) for wait_ms in (30_000, 50, 1, 0)] == [300, 1, 1, 0]
    assert Pace().ms(30_000) == 30_000


@pytest.mark.parametrize("factor", [0, -1, float("nan"), float("inf")])
def test_a_pace_that_means_nothing_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="pace"):
        Pace(factor)
