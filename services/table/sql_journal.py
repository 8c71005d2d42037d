"""What the journals on SQLite and on Postgres share: appends gather for a commit, and what is over becomes records.

In SQL that both understand; parameters are ``$1``, ``$2``, ...
"""

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeAlias, TypeVar

import structlog

from services.table.group_commit import GroupCommit, Outcomes
from services.table.journal import Entry, JournalError
from services.table.journal_reading import JournalReading
from services.table.journal_rows import EntryRows, write_entry, write_seating
from services.table.records import record_json
from shared.kit.sealing import SealingKeys
from shared.kit.tasks import spawn

Statement: TypeAlias = tuple[object, ...]
"""SQL and its values."""

_BEAT: Final = "INSERT INTO beats (id, at_ms) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at_ms = excluded.at_ms"
_ENDED: Final = "SELECT table_id, ended_ms FROM tables WHERE ended_ms <= $1 ORDER BY ended_ms LIMIT $2"
_MATCHES: Final = "SELECT DISTINCT match_id FROM entries WHERE table_id = $1"
_ARCHIVE: Final = (
    "INSERT INTO archives (match_id, table_id, ended_ms, record, seating) VALUES ($1, $2, $3, $4, $5)"
    " ON CONFLICT DO NOTHING"
)
_NOTHING_LEFT: Final = (
    "DELETE FROM matches WHERE match_id IN (SELECT match_id FROM entries WHERE table_id = $1)",
    "DELETE FROM entries WHERE table_id = $1",
)
_DONE: Final = "UPDATE tables SET ended_ms = NULL, epoch = epoch + 1 WHERE table_id = $1"
_OLD: Final = "SELECT DISTINCT table_id FROM archives WHERE ended_ms <= $1 LIMIT $2"
_FORGET: Final = ("DELETE FROM archives WHERE table_id = $1", "DELETE FROM tables WHERE table_id = $1 AND NOT live")

_log = structlog.get_logger("table.journal")
_Opened = TypeVar("_Opened", bound="SqlJournal")


class SqlJournal(JournalReading):
    """See ``Journal``. ``wake_outbox`` is called after facts were committed."""

    def __init__(self, sealer: SealingKeys, wake_outbox: Callable[[], None]) -> None:
        super().__init__(sealer)
        self._appends = GroupCommit(self._write, wake_outbox)

    @abstractmethod
    async def _write(self, batch: Sequence[EntryRows]) -> Outcomes:
        """Write entries in one transaction, see ``GroupCommit``."""

    @abstractmethod
    def end(self) -> None:
        """Close what it has open."""

    def append(self, entry: Entry) -> Awaitable[None]:
        """See ``Journal``."""
        return self._appends.append(write_entry(entry, self._sealer))

    async def run(self) -> None:
        """Commit appends for as long as the journal is open, and then those that came before it was closed."""
        await self._appends.run()

    def close(self) -> None:
        """Take no more appends; ``run`` then returns."""
        self._appends.close()

    @abstractmethod
    async def _do(self, *statements: Statement) -> None:
        """Execute statements in one transaction, which waits its turn among the appends. Raises ``JournalError``."""

    async def beat(self, at_ms: int) -> None:
        """See ``Journal``."""
        await self._do((_BEAT, at_ms))

    async def archive(self, ended_by_ms: int, most: int) -> int:
        """See ``Journal``."""
        tables = await self._rows(_ENDED, ended_by_ms, most)
        for table_id, ended_ms in tables:
            await self._do(*await self._archiving(table_id, ended_ms), (_DONE, table_id))
        return len(tables)

    async def forget(self, ended_by_ms: int, most: int) -> int:
        """See ``Journal``."""
        tables = await self._rows(_OLD, ended_by_ms, most)
        await self._do(*((statement, table_id) for (table_id,) in tables for statement in _FORGET))
        return len(tables)

    async def _archiving(self, table_id: str, ended_ms: int) -> list[Statement]:
        """What makes records of a table's matches, once they are all read; nothing where one cannot be."""
        archiving: list[Statement] = []
        for (match_id,) in await self._rows(_MATCHES, table_id):
            try:
                found = await self.match_record(bytes.fromhex(match_id))
                kept = None if found is None else (record_json(*found), write_seating(found[0].series.seating))
            except JournalError:
                raise
            except Exception:
                _log.exception("match.not_archived", table=table_id, match=match_id)
                return []
            if kept is not None:  # else no card was dealt
                archiving.append((_ARCHIVE, match_id, table_id, ended_ms, *kept))
        return [*archiving, *((statement, table_id) for statement in _NOTHING_LEFT)]


@asynccontextmanager
async def running(journal: _Opened) -> AsyncIterator[_Opened]:
    """Has a journal commit what comes, to the block's end; then what came before that."""
    task = spawn(journal.run(), "journal")
    try:
        yield journal
    finally:
        journal.close()
        await asyncio.wait([task])
        journal.end()
