"""Where tables are kept, whose they are, and by what clock: one process on SQLite, or several on a Postgres."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from services.table.journal import Journal
from services.table.journal_reading import holds_sealed
from services.table.ownership import Ownership
from services.table.peers import waking
from services.table.pod_ownership import PodOwnership
from services.table.pod_rows import PodRows
from services.table.postgres_journal import open_postgres_journal
from services.table.sole_ownership import SoleOwnership
from services.table.sqlite_journal import open_journal
from shared.kit.clients import Channels
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.database_clock import DatabaseClock
from shared.kit.pod_lease import PodLease
from shared.kit.sealing import SealingKeys
from shared.kit.transactions import open_transactions


class Keeping(NamedTuple):
    """What a process keeps its tables with."""

    journal: Journal
    ownership: Ownership
    clock: Clock
    """By which deadlines are: where processes share tables, their database's."""


@asynccontextmanager
async def open_keeping(
    database: Database,
    clock: Clock,
    sealing_keys: Path,
    channels: Channels,
    wake_outbox: Callable[[], None],
    *,
    address: str,
) -> AsyncIterator[Keeping]:
    """All of it, in a database that is migrated already. ``address``: where other processes reach this one."""
    # Many processes on one Postgres must share their keys, so that none may make its own.
    may_create = database.is_sqlite and not await holds_sealed(database)
    sealing = SealingKeys.load(sealing_keys, may_create=may_create)
    async with journal_in(database, sealing, wake_outbox) as journal, open_transactions(database) as transactions:
        if database.is_sqlite:
            yield Keeping(journal, SoleOwnership(journal, clock), clock)
            return
        shared = DatabaseClock(clock)
        lease = PodLease(database, shared, address)
        try:
            yield Keeping(journal, PodOwnership(PodRows(transactions), lease, shared, waking(channels)), shared)
        finally:
            await lease.drop()


def journal_in(
    database: Database, sealing: SealingKeys, wake_outbox: Callable[[], None]
) -> AbstractAsyncContextManager[Journal]:
    """The journal that this kind of database has."""
    if database.path is None:
        return open_postgres_journal(database, sealing, wake_outbox)
    return open_journal(database.path, sealing, wake_outbox)
