"""What waits to be sent down one socket: bounded, and written by one task."""

import asyncio
from collections import deque
from typing import Final

MOST_FRAMES: Final = 256
MOST_CHARS: Final = 256 * 1024


class Outgoing:
    """The frames in order. A frame larger than all that may wait is taken where nothing else waits."""

    def __init__(self) -> None:
        self._frames: deque[str] = deque()
        self._chars = 0
        self._more = asyncio.Event()
        self._finished = False

    def put(self, frame: str) -> bool:
        """Take a frame; false if there is no room for it. After the last one no more is taken."""
        if self._finished:
            return True
        if self._frames and (len(self._frames) >= MOST_FRAMES or self._chars + len(frame) > MOST_CHARS):
            return False
        self._append(frame)
        return True

    def finish(self, last: str) -> None:
        """Send `last` in place of all that still waits, and then nothing more."""
        if not self._finished:
            self._finished = True
            self._frames.clear()
            self._append(last)

    async def next(self) -> str | None:
        """The next frame, once there is one; ``None`` after the last."""
        while not self._frames:
            if self._finished:
                return None
            self._more.clear()
            await self._more.wait()
        frame = self._frames.popleft()
        self._chars -= len(frame)
        return frame

    def _append(self, frame: str) -> None:
        self._frames.append(frame)
        self._chars += len(frame)
        self._more.set()
