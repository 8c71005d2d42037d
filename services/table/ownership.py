"""Which process runs a table. Its contract: ``sole_ownership.py`` where there is one process, and
``pod_ownership.py`` where several share a Postgres.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from services.table.pods import Pod


class Claim(NamedTuple):
    """The right to run a table, until somebody claims it anew."""

    table_id: str
    epoch: int
    """0 where there is no other to tell apart: whichever the table has."""
    alive_ms: int
    """The last sign of life (Unix ms) of who ran it before: since then its clocks have stood still. 0 if never."""


class Host(Protocol):
    """Who runs the tables that are owned here."""

    def room(self) -> int:
        """How many more can be run."""

    def count(self) -> int:
        """How many are run now."""

    def runs(self, table_id: str) -> bool:
        """Whether this one is, or is being loaded anew."""

    async def take_over(self, claims: list[Claim]) -> None:
        """Load and run tables that nobody else runs. Raises ``JournalError`` where some have to be tried again."""

    def let_go(self) -> None:
        """Run none of them any more: another may own them already."""


class Ownership(Protocol):
    """Gives the right to run tables."""

    @property
    def name(self) -> str | None:
        """By what this process is known as an owner: empty while it may own none, ``None`` where there is no other."""

    @property
    def address(self) -> str:
        """``host:port`` at which the other processes reach this one; empty where there is no other."""

    async def begin(self, host: Host) -> None:
        """Once, before anything else. Raises where the database cannot be asked."""

    async def run(self) -> None:
        """Keep what is owned, and claim what nobody owns, for ever: background work."""

    async def owner_of(self, table_id: str) -> str:
        """The address of the other process that owns a table; empty where it is this one's, nobody's, or unknown."""

    async def claim(self, table_id: str) -> Claim:
        """The right to run a table that this process does not run now.

        What nobody owns is claimed; so is, anew, what was owned here already: what became of an append under the old
        epoch is then settled. Raises ``UnknownTableError``, ``ElsewhereError`` where another owns it, ``DrainingError``
        while this process may own none, ``JournalError`` where nobody can be asked.
        """

    def forget(self, table_id: str) -> None:
        """Where the table was thought to be has turned out wrong."""

    def wake(self) -> None:
        """Look at once for what nobody owns."""

    def place(self) -> str:
        """The address of the process that should make the next table; empty for this one."""

    async def pods(self) -> list[Pod]:
        """The processes that share the tables, this one too; none where there is no other."""

    async def hand_over(self, stop: Callable[[], Awaitable[None]]) -> None:
        """Claim nothing more, have the tables stopped, and let others go on with them."""
