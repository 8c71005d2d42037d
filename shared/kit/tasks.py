"""Background tasks that outlive what started them, are never lost without a word, and come back after a fault."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from shared.kit.clock import Clock

RESTART_FIRST_MS: Final = 100
RESTART_MOST_MS: Final = 10_000

_log = structlog.get_logger("kit.tasks")


def spawn(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Starts ``work`` in an empty context: a task born inside an RPC would else keep that RPC's variables for life.

    The caller keeps the task; a fault in it is logged.
    """
    task = asyncio.create_task(work, name=name, context=contextvars.Context())
    task.add_done_callback(_report)
    return task


def drive(work: Coroutine[Any, Any, None]) -> None:
    """Does ``work`` at once, up to where it has to wait, and goes on with it as soon as what it waits for is done.

    It costs less than a task, which begins a turn of the event loop later; and in it no task is current, so that it may
    await futures alone. Nothing cancels it but one of these. It, too, runs in an empty context.
    """
    context = contextvars.Context()
    context.run(_Driven(work, context).go_on)


class _Driven:
    """Work that is driven. No closure, which would refer to itself: one for each action keeps a collector busy."""

    __slots__ = ("_context", "_work")

    def __init__(self, work: Coroutine[Any, Any, None], context: contextvars.Context) -> None:
        self._work = work
        self._context = context

    def go_on(self, _done: object = None) -> None:
        try:
            awaited = self._work.send(None)
        except (StopIteration, asyncio.CancelledError):
            return
        except Exception:
            _log.exception("work.failed")
            return
        awaited._asyncio_future_blocking = False  # as a task says that it has seen what it is given to wait for
        awaited.add_done_callback(self.go_on, context=self._context)


async def keep_running(name: str, work: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Runs ``work`` until it returns; after an uncaught fault again, after a wait that doubles from 0.1 s to 10 s."""
    wait_ms = RESTART_FIRST_MS
    while True:
        began_ms = clock.monotonic_ms()
        try:
            await work()
        except Exception:
            if clock.monotonic_ms() - began_ms > RESTART_MOST_MS:
                wait_ms = RESTART_FIRST_MS
            _log.exception("task.failed", task=name, restart_ms=wait_ms)
            await clock.sleep_ms(wait_ms)
            wait_ms = min(wait_ms * 2, RESTART_MOST_MS)
        else:
            return


def is_being_cancelled() -> bool:
    """Whether somebody ends the current task: gRPC raises CancelledError also for a call that its server cancelled."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def cancel_and_wait(task: asyncio.Task[None]) -> None:
    """Ends ``task`` and waits for its last word; a fault in its clean-up has been logged by then."""
    task.cancel()
    await asyncio.wait([task])


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        _log.error("task.failed", task=task.get_name(), exc_info=fault)
