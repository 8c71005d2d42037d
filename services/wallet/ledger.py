"""The ledger: orders are decided on what stands (`books.py`) and written in one transaction, many together.

What is ordered while one transaction is committed goes into the next; each has an answer of its own. Facts order within
the inbox's transaction.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.books import Answer, Books, Order, Post, Transfer
from services.wallet.ledger_sql import Rows, load, store
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.group_commit import GroupCommit
from shared.kit.tasks import spawn

ATTEMPTS: Final = 5
_AGAIN: Final = ("40001", "40P01")
"""SQLSTATE of a transaction that may be tried again: it could not be ordered, or was a deadlock's victim."""
_T = TypeVar("_T")
_log = structlog.get_logger("wallet.ledger")


class Ledger:
    """Takes orders. Made by `open_ledger`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self.queue: GroupCommit[Order[Any], Any] = GroupCommit(self._write)

    async def submit(self, order: Order[_T]) -> _T:
        """What comes of an order, once it is committed.

        Raises what the order's own decision raises, and the database's errors; after those the same order may be given
        again, since all that it does has a key.
        """
        done: _T = await self.queue.submit(order)
        return done

    async def post(self, *transfers: Transfer) -> Answer:
        """Move all of these coins, or none; as `submit`."""
        return await self.submit(Post(transfers))

    async def execute(self, connection: AsyncConnection, orders: Sequence[Order[_T]]) -> list[_T]:
        """What comes of orders in the caller's transaction, which it has to end soon: accounts are locked until then.

        Raises what the first decision raises that does.
        """
        results: list[_T] = []
        for outcome in await self._execute(connection, orders):
            if isinstance(outcome, Exception):
                raise outcome
            results.append(outcome)
        return results

    async def _execute(self, connection: AsyncConnection, orders: Sequence[Order[Any]]) -> list[Any]:
        rows = Rows(connection)
        books = await load(rows, [order.needs() for order in orders])
        outcomes = [_decided(order, books) for order in orders]
        await store(rows, books, self._clock.now_ms())
        return outcomes

    async def _write(self, orders: Sequence[Order[Any]]) -> list[Any]:
        """In one transaction; where that will not go, each in one of its own, so that it alone fails."""
        for _ in range(ATTEMPTS):
            try:
                async with self._database.transaction() as connection:
                    return await self._execute(connection, orders)
            except DBAPIError as fault:
                if not _may_go_again(fault):
                    if len(orders) == 1 or fault.connection_invalidated:
                        raise
                    break
                _log.warning("ledger.again", orders=len(orders), reason=_state(fault) or type(fault.orig).__name__)
        return [await self._alone(order) for order in orders]

    async def _alone(self, order: Order[Any]) -> Any:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with self._database.transaction() as connection:
                    return (await self._execute(connection, [order]))[0]
            except DBAPIError as fault:
                if attempt == ATTEMPTS or not _may_go_again(fault):
                    return fault
        raise AssertionError


@asynccontextmanager
async def open_ledger(database: Database, clock: Clock) -> AsyncIterator[Ledger]:
    """The ledger on a migrated database. In the end what was ordered is written."""
    ledger = Ledger(database, clock)
    writing = spawn(ledger.queue.run(), "wallet.ledger")
    try:
        yield ledger
    finally:
        ledger.queue.close()
        await writing


def _decided(order: Order[Any], books: Books) -> Any:
    try:
        return order.decide(books)
    except Exception as refusal:
        return refusal


def _may_go_again(fault: DBAPIError) -> bool:
    """Whether another was in the way: what it wrote will be seen the next time."""
    return isinstance(fault, IntegrityError) or _state(fault) in _AGAIN


def _state(fault: DBAPIError) -> str:
    """Of Postgres; empty on SQLite."""
    return getattr(fault.orig, "sqlstate", None) or ""
