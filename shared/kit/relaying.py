"""What the ends of a Relay share: a stream on which many callers' messages go in batches, and refusals as messages.

Whatever gathers while one batch is being written goes in the next, so that a busy stream costs few writes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final, Generic, TypeVar

import grpc

from shared.kit.status import ApiError, FullError

T = TypeVar("T")

_STATUS: Final = {status.value[0]: status for status in grpc.StatusCode}
RETRY_AFTER_MS: Final = 1_000


class Outgoing(Generic[T]):
    """What one stream sends, at most ``most_in_a_batch`` at once.

    ``most_unsent``: more are not kept for a reader that is too slow; the stream then ends with ``FullError``.
    """

    def __init__(self, most_in_a_batch: int, most_unsent: int) -> None:
        self._most_in_a_batch = most_in_a_batch
        self._most_unsent = most_unsent
        self._unsent: list[T] = []
        self._more = asyncio.Event()
        self._finished = False
        self._stopped = False
        self._overflowed = False

    def __len__(self) -> int:
        """How many wait."""
        return len(self._unsent)

    @property
    def last(self) -> T | None:
        """What was put last, while it waits."""
        return self._unsent[-1] if self._unsent else None

    def put(self, item: T) -> None:
        """Send an item with the next batch. Nothing more is kept once there were too many, or after ``stop``."""
        if self._stopped or self._overflowed:
            return
        if len(self._unsent) >= self._most_unsent:
            self._overflowed = True
            self._unsent.clear()
        else:
            self._unsent.append(item)
        self._more.set()

    def finish(self) -> None:
        """End the stream once all that was put is sent."""
        self._finished = True
        self._more.set()

    def stop(self) -> None:
        """End the stream and forget what waits: gRPC goes on asking a stream that is over for what it would send."""
        self._stopped = True
        self._unsent.clear()
        self._more.set()

    async def batches(self) -> AsyncIterator[list[T]]:
        """The batches, to the stream's end. Raises ``FullError`` where its reader is too slow for what it asks."""
        while True:
            if self._overflowed:
                raise FullError("OVERLOADED", "too slow: open the relay anew", retry_after_ms=RETRY_AFTER_MS)
            if self._unsent:
                batch = self._unsent[: self._most_in_a_batch]
                del self._unsent[: self._most_in_a_batch]
                yield batch
            elif self._finished or self._stopped:
                return
            else:
                self._more.clear()
                await self._more.wait()


def refusal_fields(error: ApiError) -> dict[str, Any]:
    """The fields of a ``Refusal`` message that carry an error."""
    return {
        "code": error.code,
        "status": error.status.value[0],
        "message": error.message,
        "retry_after_ms": error.retry_after_ms,
    }


def refused_with(refusal: Any) -> ApiError:
    """The error that a ``Refusal`` message carries."""
    retry_after_ms = refusal.retry_after_ms if refusal.HasField("retry_after_ms") else None
    status = _STATUS.get(refusal.status, grpc.StatusCode.INTERNAL)
    return ApiError(refusal.code, refusal.message, retry_after_ms=retry_after_ms, status=status)
