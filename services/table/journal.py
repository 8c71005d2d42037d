"""The journal: the only truth about a table. Its contract; ``sqlite_journal.py`` keeps it on SQLite."""

from collections.abc import Awaitable
from typing import Final, NamedTuple, Protocol

from banakil.events.v1.facts_pb2 import Fact

from services.table.events import TableEvent
from services.table.state import TableState
from shared.rules.version import RULES_VERSION

FIRST_EPOCH: Final = 1
"""Who makes a table owns it under this one. On SQLite it is the only one."""


class Entry(NamedTuple):
    """One applied command: what is written before anybody is told of it."""

    table_id: str
    epoch: int
    """Under which its writer owns the table; each claim raises it."""
    revision: int
    """The table's after it: the one before, plus one."""
    command_id: str
    """Unique in the table."""
    command_digest: bytes
    """Of the command's body, to tell a resend from another command under the same id."""
    at_ms: int
    match_id: bytes
    """The match that it is about: the one being played, but for a reveal that came late."""
    deal_no: int
    """The deal of that match."""
    action: str
    """The record's text of a move, of a player or the clock; empty for any other command."""
    events: tuple[TableEvent, ...]
    hidden: bytes
    """A deck or a new stock, which no event may hold; the journal keeps it sealed. Empty for most."""
    state: TableState
    """The table after it; kept where a deal begins, so that a recovery starts there."""
    facts: tuple[Fact, ...]
    """Go to the outbox in the same transaction."""
    owner: str | None = None
    """Of a table's first entry: the process that makes it, where there are several."""


class StoredCommand(NamedTuple):
    """What is remembered of an applied command."""

    command_digest: bytes
    revision: int


class StoredTable(NamedTuple):
    """A table as loaded: the last deal's start, and what came after."""

    start: TableState | None
    """``None`` where no deal has begun: the entries go back to the table's making."""
    deck: bytes
    """The deck of the deal that ``start`` begins, empty where none."""
    entries: tuple["StoredEntry", ...]
    commands: dict[str, StoredCommand]
    """Of the entries and the start, by command id."""
    last_ms: int
    """When the last entry was written."""
    epoch: int = FIRST_EPOCH
    """Of its last claim."""
    rules_version: int = RULES_VERSION
    """Of the rules that it began with."""


class StoredEntry(NamedTuple):
    """An entry as loaded."""

    revision: int
    at_ms: int
    events: tuple[TableEvent, ...]
    hidden: bytes


class StoredDeal(NamedTuple):
    """A revealed deal, for a record."""

    deal_no: int
    starter: int
    fair_json: str
    actions: tuple[str, ...]


class ArchivedMatch(NamedTuple):
    """A match of which nothing but its record is kept."""

    record: str
    seating: tuple[int, ...]
    """For each seat the place in the series' first match of who had it."""


class JournalError(Exception):
    """The journal cannot be asked; or an append failed, and nothing is known of what became of it."""


class FencedError(JournalError):
    """The table has another owner by now, or stands at another revision: nothing was written, and it is to be loaded
    anew."""


class CommandTakenError(Exception):
    """An append's command id was used before."""


class Journal(Protocol):
    """Where tables are kept. Appends of many tables may share a transaction; each has its own answer."""

    def append(self, entry: Entry) -> Awaitable[None]:
        """Write an entry; what it gives is done once that is safe on disk.

        Raises, or that does, ``CommandTakenError`` and ``FencedError``, both with nothing written, and else
        ``JournalError``: then the outcome is not known.
        """

    async def find_command(self, table_id: str, command_id: str) -> StoredCommand | None:
        """The applied command with this id, if any."""

    async def load(self, table_id: str) -> StoredTable | None:
        """The table, or ``None`` where there is none."""

    async def live_tables(self) -> list[str]:
        """The ids of tables that are not closed."""

    async def table_of(self, match_id: bytes) -> str | None:
        """The id of the table that a match is, or was, played at; ``None`` if unknown, or archived."""

    async def matches_of(self, table_id: str) -> list[bytes]:
        """The ids of the matches played at a table, in order."""

    async def match_record(self, match_id: bytes) -> tuple[TableState, list[StoredDeal]] | None:
        """The revealed deals of a match in order, and its table at its last deal's start; ``None`` if unknown, or
        archived."""

    async def archived(self, match_id: bytes) -> str | None:
        """The record of a match that is archived."""

    async def archived_series(self, series_id: bytes) -> list[ArchivedMatch]:
        """The matches of an archived series, in any order; a series has the id of its first match."""

    async def archive(self, ended_by_ms: int, most: int) -> int:
        """Of up to ``most`` tables that ended by then keep no more than the records of their matches; of how many.

        Each is a transaction of its own. One that cannot be read is left as it is, for good.
        """

    async def forget(self, ended_by_ms: int, most: int) -> int:
        """Forget the records of up to ``most`` tables that ended by then; of how many."""

    async def beat(self, at_ms: int) -> None:
        """Note that the owner is alive, so that an outage can be told from a quiet table (R9.4)."""

    async def last_beat_ms(self) -> int:
        """When the owner was last known to be alive; 0 if never."""
