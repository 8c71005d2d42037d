"""A process that is killed in the midst of its start."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from shared.kit.tasks import cancel_and_wait

STARTING_MS: Final = 3_000


async def start_twice(
    start: Callable[[], Coroutine[Any, Any, None]], kill: Callable[[], Awaitable[None]], rng: random.Random
) -> None:
    """Starts it, kills it before or soon after it is at work, and starts it again."""
    starting = asyncio.create_task(start())
    await asyncio.wait([starting], timeout=rng.randrange(STARTING_MS) / 1000)
    await cancel_and_wait(starting)
    await kill()
    await start()
