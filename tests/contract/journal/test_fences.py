"""However many owners a table has had, and however they append at once: its entries follow one another, each was one
owner's, what was acknowledged is there once, and what was fenced off is not there at all.
"""

import asyncio
import random
from collections import Counter

from sqlalchemy import text

from services.table.journal import CommandTakenError, FencedError, Journal
from services.table.replaying import replayed
from tests.support.journals import Kept
from tests.support.tables import PureTable, table_id_of

TABLES = 64
STEPS = 4


class Owner:
    """A process with its own idea of who owns a table, and where that stands."""

    def __init__(self, name: str, kept: Kept, journal: Journal, table: PureTable, rng: random.Random) -> None:
        self.table_id = table.state.table_id
        self.written: list[str] = []
        self.refused: list[str] = []
        self._name = name
        self._kept = kept
        self._journal = journal
        self._entry = table.entries[1]
        self._rng = rng
        self._epoch, self._revision = 1, 1

    async def live(self) -> None:
        for step in range(STEPS):
            if self._rng.random() < 0.2:
                await self.claim()
            command_id = f"{self._name}:{step}"
            again = self._rng.random() < 0.1
            if again and self.written:
                command_id = self.written[-1]
            try:
                await self._append(command_id)
            except FencedError:
                self.refused += [command_id] * (command_id not in self.written)
                if self._rng.random() < 0.7:
                    await self.claim()
            except CommandTakenError:
                assert command_id in self.written
            else:
                assert command_id not in self.written
                self.written.append(command_id)
                self._revision += 1

    async def claim(self) -> None:
        raised = text("UPDATE tables SET epoch = epoch + 1 WHERE table_id = :table RETURNING epoch")
        async with self._kept.database.transaction() as connection:
            self._epoch = int(await connection.scalar(raised, {"table": self.table_id}) or 0)
        stored = await self._journal.load(self.table_id)
        assert stored is not None
        self._revision = replayed(stored).revision

    async def _append(self, command_id: str) -> None:
        entry = self._entry._replace(command_id=command_id, epoch=self._epoch, revision=self._revision + 1)
        await self._journal.append(entry)


async def test_owners_that_follow_one_another_or_think_so_never_write_over_one_another(
    kept: Kept, journal: Journal, rng: random.Random
) -> None:
    tables = [PureTable(table_id=table_id_of(number)) for number in range(TABLES)]
    for table in tables:
        table.settle()
    await asyncio.gather(*(journal.append(table.entries[0]) for table in tables))
    async with kept.opened() as other:
        owners = [
            Owner(name, kept, which, table, random.Random(rng.random()))
            for table in tables
            for name, which in (("one", journal), ("two", other), ("three", journal))
        ]
        await asyncio.gather(*(owner.live() for owner in owners))
    found: dict[str, list[tuple[int, str]]] = {}
    for table_id, revision, command_id in await kept.rows(
        "SELECT table_id, revision, command_id FROM entries WHERE revision > 1 ORDER BY table_id, revision"
    ):
        found.setdefault(str(table_id), []).append((int(str(revision)), str(command_id)))
    outcomes: Counter[str] = Counter()
    for table in tables:
        mine = [owner for owner in owners if owner.table_id == table.state.table_id]
        entries = found.get(table.state.table_id, [])
        assert [revision for revision, _ in entries] == list(range(2, len(entries) + 2))
        assert sorted(command for _, command in entries) == sorted(one for owner in mine for one in owner.written)
        for owner in mine:
            outcomes.update(written=len(owner.written), refused=len(owner.refused))
    assert min(outcomes["written"], outcomes["refused"]) > TABLES
