"""What a journal does besides appending: notes that its owner lives, and keeps the records of tables that are over.

In SQL that SQLite and Postgres both understand; parameters are ``$1``, ``$2``, ...
"""

from abc import abstractmethod
from typing import Final, TypeAlias

import structlog

from services.table.journal import JournalError
from services.table.journal_reading import JournalReading
from services.table.records import record_json

Statement: TypeAlias = tuple[object, ...]
"""SQL and its values."""

_BEAT: Final = "INSERT INTO beats (id, at_ms) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at_ms = excluded.at_ms"
_ENDED: Final = "SELECT table_id, ended_ms FROM tables WHERE ended_ms <= $1 ORDER BY ended_ms LIMIT $2"
_MATCHES: Final = "SELECT DISTINCT match_id FROM entries WHERE table_id = $1"
_ARCHIVE: Final = (
    "INSERT INTO archives (match_id, table_id, ended_ms, record) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
)
_NOTHING_LEFT: Final = (
    "DELETE FROM matches WHERE match_id IN (SELECT match_id FROM entries WHERE table_id = $1)",
    "DELETE FROM entries WHERE table_id = $1",
)
_DONE: Final = "UPDATE tables SET ended_ms = NULL, epoch = epoch + 1 WHERE table_id = $1"
_OLD: Final = "SELECT DISTINCT table_id FROM archives WHERE ended_ms <= $1 LIMIT $2"
_FORGET: Final = ("DELETE FROM archives WHERE table_id = $1", "DELETE FROM tables WHERE table_id = $1 AND NOT live")

_log = structlog.get_logger("table.journal")


class JournalKeeping(JournalReading):
    """The rest of a ``Journal``."""

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
                record = None if found is None else record_json(*found)
            except JournalError:
                raise
            except Exception:
                _log.exception("match.not_archived", table=table_id, match=match_id)
                return []
            if record is not None:  # else no card was dealt
                archiving.append((_ARCHIVE, match_id, table_id, ended_ms, record))
        return [*archiving, *((statement, table_id) for statement in _NOTHING_LEFT)]
