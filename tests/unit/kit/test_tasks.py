import asyncio
import contextvars

from structlog.testing import capture_logs

from shared.kit.clock import VirtualClock
from shared.kit.tasks import keep_running, spawn

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
