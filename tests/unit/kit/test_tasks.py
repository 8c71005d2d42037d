import asyncio
import contextvars
import gc

from structlog.testing import capture_logs

from shared.kit.clock import VirtualClock
from shared.kit.tasks import drive, keep_running, spawn

variable = contextvars.ContextVar("variable", default="clean")


async def test_a_spawned_task_does_not_inherit_the_variables_of_an_rpc() -> None:
    seen = list[str]()

    async def look() -> None:
        seen.append(variable.get())

    variable.set("of the rpc")
    await spawn(look(), "look")
    assert seen == ["clean"]


async def test_a_fault_in_a_spawned_task_is_told() -> None:
    async def fail() -> None:
        raise RuntimeError

    with capture_logs() as logs:
        await asyncio.wait([spawn(fail(), "doomed")])
        await asyncio.sleep(0)
    assert [(line["event"], line["task"]) for line in logs] == [("task.failed", "doomed")]


async def test_work_that_fails_is_begun_again_after_growing_waits() -> None:
    clock, began_ms = VirtualClock(), list[int]()

    async def work() -> None:
        began_ms.append(clock.monotonic_ms())
        if len(began_ms) < 4:
            raise RuntimeError

    with capture_logs():
        task = asyncio.create_task(keep_running("work", work, clock))
        await clock.run_for(1_000)
    assert began_ms == [0, 100, 300, 700]
    assert task.done()


async def test_driven_work_begins_at_once_and_goes_on_when_what_it_waits_for_is_done() -> None:
    seen: list[object] = []
    first: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    second: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def work() -> None:
        seen.append(variable.get())
        try:
            seen.append(await first)
        except ValueError:
            seen.append("failed")
        seen.append(await second)

    variable.set("dirty")
    drive(work())
    assert seen == ["clean"]
    first.set_exception(ValueError())
    await asyncio.sleep(0)
    assert seen == ["clean", "failed"]
    second.set_result(2)
    await asyncio.sleep(0)
    assert seen == ["clean", "failed", 2]


async def test_driven_work_leaves_nothing_for_the_collector() -> None:
    first: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def work() -> None:
        await first

    gc.collect()
    gc.disable()
    try:
        drive(work())
        first.set_result(None)
        await asyncio.sleep(0)
        assert gc.collect() == 0
    finally:
        gc.enable()


async def test_a_fault_in_driven_work_is_logged_and_what_is_cancelled_ends_it() -> None:
    gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def faulty() -> None:
        raise ValueError("a fault")

    async def waiting() -> None:
        await gone
        raise AssertionError

    with capture_logs() as logs:
        drive(faulty())
        drive(waiting())
        gone.cancel()
        await asyncio.sleep(0)
    assert [line["event"] for line in logs] == ["work.failed"]
