"""By what right this process plays its seats: a lease, where several share a Postgres."""

from typing import Final, Protocol

from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.database_clock import DatabaseClock
from shared.kit.pod_lease import PodLease

SOLE: Final = "sole"


class Lease(Protocol):
    """See the kit's ``PodLease``."""

    @property
    def pod_id(self) -> str:
        """This process as an owner of seats; empty while it is none."""

    @property
    def holds(self) -> bool:
        """Whether nobody else can have taken its seats yet."""

    async def take(self) -> None:
        """Become an owner. Raises ``LeaseLostError``."""

    async def renew(self, held: int) -> None:
        """Say that this process is alive. Raises ``LeaseLostError``; it is no owner then."""

    async def resign(self) -> None:
        """Have others take its seats now."""

    async def drop(self) -> None:
        """End it, whether or not anybody is told."""


class SoleLease:
    """Of the one process that there is on SQLite: it never ends."""

    pod_id = SOLE
    holds = True

    async def take(self) -> None:
        """See ``Lease``."""

    async def renew(self, held: int) -> None:
        """See ``Lease``."""

    async def resign(self) -> None:
        """See ``Lease``."""

    async def drop(self) -> None:
        """See ``Lease``."""


def lease_in(database: Database, clock: Clock, address: str) -> Lease:
    """The lease that this kind of database has."""
    return SoleLease() if database.is_sqlite else PodLease(database, DatabaseClock(clock), address, "seats")
