"""Word that a room has changed, to those who watch it: here at once, and in other processes of the lobby over NATS.

It is only a wake-up. Who is woken reads the room again, so that news lost or told twice does no harm.
"""

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from nats.aio.msg import Msg

from shared.kit.bus import Bus

SUBJECTS: Final = "lobby.rooms.*"
_PREFIX: Final = SUBJECTS.removesuffix("*")


class RoomNews:
    """Who watches which room in this process."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._me = uuid.uuid4().bytes
        self._watchers: dict[str, set[asyncio.Event]] = {}

    async def listen(self) -> None:
        """Hears what other processes of the lobby tell."""
        await self._bus.listen(SUBJECTS, self._hear)

    @contextmanager
    def watching(self, room_id: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the room has changed."""
        changed = asyncio.Event()
        watchers = self._watchers.setdefault(room_id, set())
        watchers.add(changed)
        try:
            yield changed
        finally:
            watchers.discard(changed)
            if not watchers:
                self._watchers.pop(room_id, None)

    async def tell(self, room_id: str) -> None:
        """Says that the room has changed; to be called once that is committed."""
        self.wake(room_id)
        await self._bus.tell(_PREFIX + room_id, self._me)

    def wake(self, room_id: str) -> None:
        """Says so in this process alone."""
        for changed in self._watchers.get(room_id, ()):
            changed.set()

    async def _hear(self, message: Msg) -> None:
        if message.data != self._me:
            self.wake(message.subject.removeprefix(_PREFIX))
