"""What a journal is asked, in SQL that SQLite and Postgres both understand; parameters are ``$1``, ``$2``, ..."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sqlalchemy import text

from services.table.journal import ArchivedMatch, StoredCommand, StoredDeal, StoredTable
from services.table.journal_rows import read_deals, read_seating, read_table
from services.table.state import TableState
from shared.kit.database import Database
from shared.kit.sealing import SealingKeys


class JournalReading(ABC):
    """The questions of a ``Journal``."""

    def __init__(self, sealer: SealingKeys) -> None:
        self._sealer = sealer

    @abstractmethod
    async def _rows(self, query: str, *values: object) -> Sequence[Any]:
        """What a SELECT finds, on another connection than the appends'. Raises ``JournalError``."""

    async def find_command(self, table_id: str, command_id: str) -> StoredCommand | None:
        """See ``Journal``."""
        rows = await self._rows(
            "SELECT command_digest, revision FROM entries WHERE table_id = $1 AND command_id = $2", table_id, command_id
        )
        return StoredCommand(*rows[0]) if rows else None

    async def load(self, table_id: str) -> StoredTable | None:
        """See ``Journal``."""
        rows = await self._rows(
            "SELECT epoch, rules_version, entries.revision, command_id, command_digest, at_ms, version, events, sealed,"
            " start FROM entries JOIN tables USING (table_id) WHERE table_id = $1 AND entries.revision >="
            " coalesce((SELECT max(revision) FROM entries WHERE table_id = $1 AND start IS NOT NULL), 0)"
            " ORDER BY entries.revision",
            table_id,
        )
        return read_table(table_id, rows, self._sealer) if rows else None

    async def live_tables(self) -> list[str]:
        """See ``Journal``."""
        return [row[0] for row in await self._rows("SELECT table_id FROM tables WHERE live ORDER BY table_id")]

    async def table_of(self, match_id: bytes) -> str | None:
        """See ``Journal``."""
        return await self._text("SELECT table_id FROM matches WHERE match_id = $1", match_id.hex())

    async def matches_of(self, table_id: str) -> list[bytes]:
        """See ``Journal``."""
        query = "SELECT match_id FROM entries WHERE table_id = $1 GROUP BY match_id ORDER BY min(revision)"
        return [bytes.fromhex(row[0]) for row in await self._rows(query, table_id)]

    async def match_record(self, match_id: bytes) -> tuple[TableState, list[StoredDeal]] | None:
        """See ``Journal``."""
        return read_deals(
            await self._rows(
                "SELECT deal_no, version, action, events, start FROM entries WHERE match_id = $1 AND table_id ="
                " (SELECT table_id FROM matches WHERE matches.match_id = $1) ORDER BY revision",
                match_id.hex(),
            )
        )

    async def archived(self, match_id: bytes) -> str | None:
        """See ``Journal``."""
        return await self._text("SELECT record FROM archives WHERE match_id = $1", match_id.hex())

    async def archived_series(self, series_id: bytes) -> list[ArchivedMatch]:
        """See ``Journal``."""
        rows = await self._rows(
            "SELECT record, seating FROM archives WHERE table_id ="
            " (SELECT table_id FROM archives AS first WHERE first.match_id = $1)",
            series_id.hex(),
        )
        return [ArchivedMatch(record, read_seating(seating)) for record, seating in rows]

    async def last_beat_ms(self) -> int:
        """See ``Journal``."""
        rows = await self._rows("SELECT at_ms FROM beats")
        return int(rows[0][0]) if rows else 0

    async def _text(self, query: str, *values: object) -> str | None:
        """The one text that a SELECT finds."""
        rows = await self._rows(query, *values)
        return str(rows[0][0]) if rows else None


async def holds_sealed(database: Database) -> bool:
    """Whether decks of live tables lie here, so that the keys which sealed them have to be there."""
    query = (
        "SELECT 1 FROM entries JOIN tables USING (table_id) WHERE tables.live AND entries.sealed IS NOT NULL LIMIT 1"
    )
    async with database.reading() as connection:
        return await connection.scalar(text(query)) is not None
