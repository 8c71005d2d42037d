"""Work done one after another, so that answers come in the order of what was asked; a task only while there is some."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from shared.kit.tasks import spawn

Work = Callable[[], Awaitable[None]]


class Lane:
    """At most `most` pieces of work wait."""

    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self._waiting: deque[Work] = deque()
        self._task: asyncio.Task[None] | None = None

    def put(self, work: Work) -> bool:
        """Have it done; false if too much waits already."""
        if len(self._waiting) >= self._most:
            return False
        self._waiting.append(work)
        if self._task is None:
            self._task = spawn(self._run(), self._name)
        return True

    def stop(self) -> None:
        """Drop what waits, and what is being done."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._waiting.popleft()()
        finally:
            self._task = None
