"""The journal, read beside those who write it: after each commit, what is new in it is checked."""

import sqlite3
from collections.abc import Callable

from shared.kit.sealing import SealingKeys
from tests.sim.loop import Process
from tests.support.books import Books, Row
from tests.support.fair_deals import drawn

TABLE_SEAL = SealingKeys([drawn("table", "seal", 32)])
_NEW = (
    "SELECT e.rowid, e.table_id, t.epoch, e.revision, e.command_id, e.command_digest, e.at_ms, e.version,"
    " e.events, e.sealed, e.start FROM entries e JOIN tables t USING (table_id) WHERE e.rowid > ? ORDER BY e.rowid"
)


class Mirror(Books):
    """All tables by the journal."""

    def __init__(self, journal: sqlite3.Connection, fail: Callable[[str], None]) -> None:
        super().__init__(TABLE_SEAL, fail)
        self._journal = journal
        self._last_row = 0

    def read(self, process: Process) -> None:
        """Take in what a process has committed."""
        for number, table_id, epoch, *values in self._journal.execute(_NEW, (self._last_row,)).fetchall():
            self._last_row = number
            self.take(table_id, process.name, epoch, Row(*values))
