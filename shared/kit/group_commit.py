"""Many writes in one transaction: while one is being committed, what comes gathers for the next.

So the disk's flush, and the way to the database and back, are shared; each still has an answer of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Final, Generic, TypeVar

MOST_IN_ONE_COMMIT: Final = 256

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


class ClosedError(Exception):
    """Nothing more is written."""


class GroupCommit(Generic[ItemT, ResultT]):
    """Items that wait for the next transaction. ``run`` writes them."""

    def __init__(
        self,
        write: Callable[[Sequence[ItemT]], Awaitable[Sequence[ResultT | Exception]]],
        apart: Callable[[ItemT], Hashable] = id,
    ) -> None:
        """``write`` gives what became of each item, or raises where nothing is known of any.

        Of items that ``apart`` gives the same value for, one alone is written in one transaction.
        """
        self._write = write
        self._apart = apart
        self._pending: list[tuple[ItemT, asyncio.Future[ResultT]]] = []
        self._more = asyncio.Event()
        self._closing = False

    def submit(self, item: ItemT) -> asyncio.Future[ResultT]:
        """Have an item written: what it gives or raises is known once it is. Raises :class:`ClosedError`."""
        if self._closing:
            raise ClosedError
        done: asyncio.Future[ResultT] = asyncio.get_running_loop().create_future()
        self._pending.append((item, done))
        self._more.set()
        return done

    async def run(self) -> None:
        """Write what comes until it is closed, and then what came before that."""
        while self._pending or not self._closing:
            await self._more.wait()
            batch = self._next()
            if not self._pending and not self._closing:
                self._more.clear()
            if batch:
                await self._commit(batch)

    def close(self) -> None:
        """Take nothing more; ``run`` then returns."""
        self._closing = True
        self._more.set()

    def _next(self) -> list[tuple[ItemT, asyncio.Future[ResultT]]]:
        """The oldest that wait and may be written together."""
        taken: set[Hashable] = set()
        batch: list[tuple[ItemT, asyncio.Future[ResultT]]] = []
        later: list[tuple[ItemT, asyncio.Future[ResultT]]] = []
        for waiting in self._pending:
            apart = self._apart(waiting[0])
            if apart in taken or len(batch) == MOST_IN_ONE_COMMIT:
                later.append(waiting)
            else:
                taken.add(apart)
                batch.append(waiting)
        self._pending = later
        return batch

    async def _commit(self, batch: list[tuple[ItemT, asyncio.Future[ResultT]]]) -> None:
        outcomes: Sequence[ResultT | Exception]
        try:
            outcomes = await self._write([item for item, _ in batch])
        except Exception as error:
            # Whatever it is, who waits must be told, and the next batch written.
            outcomes = [error] * len(batch)
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if done.done():
                continue  # whoever asked has gone
            if isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)
