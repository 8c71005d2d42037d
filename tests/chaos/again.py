"""A process that is killed in the midst of its start."""

import asyncio
import random
from typing import Final, Protocol

from shared.kit.tasks import cancel_and_wait

STARTING_MS: Final = 3_000


class Process(Protocol):
    """What is started and killed."""

    async def start(self) -> None:
        """Returns once it is at work."""

    async def kill(self) -> None:
        """Ends it."""


async def start_twice(process: Process, rng: random.Random) -> None:
    """Starts it, kills it before or soon after it is at work, and starts it again."""
    starting = asyncio.ensure_future(process.start())
    await asyncio.wait([starting], timeout=rng.randrange(STARTING_MS) / 1000)
    await cancel_and_wait(starting)
    await process.kill()
    await process.start()
